/**
 * WebSocket, the global: messages of both kinds, fragments, pings, ends from either side, and what fails. Its peer speaks
 * the protocol by hand (RFC 6455), since Node has no server of its own. In Node 20 the global needs its flag.
 */
import { describe } from 'vitest'
import { same } from './parity.ts'

const FLAGS = ['--experimental-websocket']

/** A server module: `listen(onframe)` resolves to a base URL and calls back with every frame of a client. */
const SERVER = `
const http = require('node:http')
const { createHash } = require('node:crypto')
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

exports.frame = (opcode, payload, fin = true) => {
  const body = Buffer.from(payload)
  const head = body.length < 126 ? [body.length] : [126, body.length >> 8, body.length & 255]
  return Buffer.concat([Buffer.from([(fin ? 0x80 : 0) | opcode, ...head]), body])
}

exports.listen = async (onframe, onopen = () => {}) => {
  const server = http.createServer((request, response) => response.writeHead(404).end())
  server.on('upgrade', (request, socket) => {
    const key = request.url === '/forged' ? 'x' : request.headers['sec-websocket-key']
    const protocol = request.headers['sec-websocket-protocol']
    socket.on('error', () => {})
    if (request.url === '/refused') return socket.end('HTTP/1.1 403 Forbidden\\r\\ncontent-length: 0\\r\\n\\r\\n')
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\nconnection: upgrade\\r\\n' +
      'sec-websocket-accept: ' + createHash('sha1').update(key + GUID).digest('base64') + '\\r\\n' +
      (protocol ? 'sec-websocket-protocol: ' + protocol.split(',')[0] + '\\r\\n' : '') + '\\r\\n')
    onopen(socket, request)
    let bytes = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      for (;;) {
        if (bytes.length < 6) return
        let size = bytes[1] & 127
        let at = 2
        if (size === 126) { size = bytes.readUInt16BE(2); at = 4 }
        if (bytes.length < at + 4 + size) return
        const mask = bytes.subarray(at, at + 4)
        const body = Buffer.from(bytes.subarray(at + 4, at + 4 + size)).map((byte, i) => byte ^ mask[i % 4])
        const opcode = bytes[0] & 15
        bytes = bytes.subarray(at + 4 + size)
        onframe(socket, opcode, Buffer.from(body), request)
      }
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, base: 'ws://127.0.0.1:' + server.address().port }
}
`
const FILES = { 'server.cjs': SERVER }

describe('WebSocket', () => {
  same(
    'text and bytes, whole and in fragments, and a close that both agree on',
    async (log, require) => {
      const { listen, frame } = require('./server.cjs')
      const { server, base } = await listen((socket: any, opcode: number, body: Buffer) => {
        log('server', opcode, opcode === 8 ? body.readUInt16BE() : body.length)
        if (opcode === 1)
          socket.write(Buffer.concat([frame(1, 'hel', false), frame(9, 'ping'), frame(0, 'lo')]))
        if (opcode === 2) socket.write(frame(2, body))
        if (opcode === 8) socket.end(frame(8, body))
      })
      const client = new WebSocket(`${base}/chat`, ['first', 'second'])
      log(client.readyState, client.protocol, client.binaryType, client.url === `${base}/chat`)
      client.onopen = () => {
        log('open', client.readyState, client.protocol, client.extensions)
        client.send('x'.repeat(300))
        log(client.bufferedAmount > 0)
      }
      client.onmessage = async ({ data, type }) => {
        log(type, typeof data, data instanceof Blob ? await data.text() : data)
        if (data instanceof Blob) {
          client.binaryType = 'arraybuffer'
          client.send(new Uint8Array([1, 2, 3]))
        } else if (typeof data === 'string') client.send(Buffer.from('bytes'))
        else client.close(4001, 'enough')
      }
      client.onclose = ({ code, reason, wasClean }) => {
        log('close', code, reason, wasClean, client.readyState)
        server.close(() => log('closed'))
      }
    },
    FILES,
    FLAGS,
  )

  same(
    'a close of the server, and a connection that breaks',
    async (log, require) => {
      const { listen, frame } = require('./server.cjs')
      const { server, base } = await listen(
        (socket: any, opcode: number) => {
          log('server', opcode)
          socket.end()
        },
        (socket: any, request: any) => {
          if (request.url === '/away')
            socket.write(frame(8, Buffer.concat([Buffer.from([3, 233]), Buffer.from('away')])))
          else setTimeout(() => socket.destroy(), 20)
        },
      )
      for (const path of ['/away', '/broken']) {
        const client = new WebSocket(base + path)
        for (const type of ['open', 'error', 'close']) client.addEventListener(type, () => log(path, type))
        await new Promise<void>((resolve) => {
          client.addEventListener('close', ({ code, reason, wasClean }) => {
            log(code, reason, wasClean)
            resolve()
          })
        })
      }
      server.closeAllConnections()
      server.close(() => log('closed'))
    },
    FILES,
    FLAGS,
  )

  same(
    'what is refused, forged, unreachable or wrong',
    async (log, require) => {
      const { listen } = require('./server.cjs')
      const { server, base } = await listen(() => {})
      for (const url of [`${base}/refused`, `${base}/forged`, 'ws://127.0.0.1:1/']) {
        const client = new WebSocket(url)
        const events: unknown[] = []
        client.addEventListener('open', () => events.push('open'))
        client.addEventListener('close', ({ code, wasClean }) => events.push('close', code, wasClean))
        await new Promise((resolve) => client.addEventListener('error', resolve))
        // Before Node 24 there is no close after an error.
        await new Promise((resolve) => setTimeout(resolve, 20))
        log(events, client.readyState)
      }
      for (const wrong of [
        () => new WebSocket('no url'),
        () => new WebSocket('ftp://x'),
        () => new WebSocket('ws://x', ['a', 'a']),
        () => new WebSocket(base).send('too early'),
        () => new WebSocket(base).close(1),
      ]) {
        try {
          wrong()
        } catch ({ name, message }: any) {
          log(name, message)
        }
      }
      server.closeAllConnections()
      process.exit()
    },
    FILES,
    FLAGS,
  )
})
