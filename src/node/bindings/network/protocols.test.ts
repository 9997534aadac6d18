import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { ProcessFunction } from '../../process/program-options.ts'
import { runOne, runPrograms } from '../../process/programs.test-support.ts'

const folder = mkdtempSync(join(tmpdir(), 'wavetank-tls-'))
afterAll(() => rmSync(folder, { recursive: true }))

function selfSigned(): { key: string; cert: string } {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=server', '-addext', 'subjectAltName=DNS:server']
  const options = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '36500', ...subject]
  execFileSync('openssl', [...options, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}

function hasOpenssl(): boolean {
  try {
    selfSigned()
    return true
  } catch {
    return false
  }
}

describe.skipIf(!hasOpenssl())('over TLS (needs the openssl command)', () => {
  const { key, cert } = hasOpenssl() ? selfSigned() : { key: '', cert: '' }

  it('https is real, and its runs have one hash though its bytes differ', async () => {
    const server: ProcessFunction = ({ require }) => {
      require('https')
        .createServer({ key, cert }, (request: any, response: any) => response.end(request.url))
        .listen(443)
    }
    const client: ProcessFunction = ({ require, process, globalThis: global }) => {
      global.setTimeout(() => {
        require('https').get('https://server/secret', { ca: cert }, (response: any) => {
          response.on('data', (data: Buffer) =>
            process.stdout.write(`${data} ${response.socket.getProtocol()}`),
          )
          response.on('end', () => process.exit(0))
        })
      }, 50)
    }
    const runs = [await runPrograms({ server, client }), await runPrograms({ server, client })]
    expect(runs[0].stdout.client).toBe('/secret TLSv1.3')
    expect(runs[0].hash).toBe(runs[1].hash)
  })
})

it('HTTP/2 sessions exchange streams', async () => {
  const server: ProcessFunction = ({ require }) => {
    const http2 = require('http2').createServer()
    http2.on('stream', (stream: any, headers: any) => {
      stream.respond({ ':status': 200, kind: 'answer' })
      stream.end(`for ${headers[':path']}`)
    })
    http2.listen(80)
  }
  const client: ProcessFunction = ({ require, process, globalThis: global }) => {
    global.setTimeout(() => {
      const session = require('http2').connect('http://server')
      let open = 3
      for (let i = 0; i < 3; i++) {
        const request = session.request({ ':path': `/${i}` })
        request.setEncoding('utf8')
        request.on('response', (headers: any) =>
          process.stdout.write(`${headers[':status']} ${headers.kind} `),
        )
        request.on('data', (data: string) => process.stdout.write(`${data}\n`))
        request.on('end', () => --open === 0 && session.close(() => process.exit(0)))
      }
    }, 10)
  }
  const runs = [await runPrograms({ server, client }), await runPrograms({ server, client })]
  expect(runs[0].stdout.client.match(/for \/\d/g)?.sort()).toEqual(['for /0', 'for /1', 'for /2'])
  expect(runs[0].exits.client).toEqual({ code: 0, signal: null })
  expect(runs[0].hash).toBe(runs[1].hash)
})

it('datagrams arrive with their sender', async () => {
  const receiver: ProcessFunction = ({ require, process }) => {
    const socket = require('dgram').createSocket('udp4')
    socket.on('message', (message: Buffer, from: any) => {
      process.stdout.write(`${message} from ${from.address}`)
      socket.close()
    })
    socket.bind(9999)
  }
  const sender: ProcessFunction = ({ require, globalThis: global }) => {
    global.setTimeout(() => {
      const socket = require('dgram').createSocket('udp4')
      socket.send('hello', 9999, 'receiver', () => socket.close())
    }, 5)
  }
  const { stdout } = await runPrograms({ receiver, sender }, { until: 'receiver' })
  expect(stdout.receiver).toBe('hello from 10.0.0.2')
})

it('unix sockets connect processes of one host by a path', async () => {
  const { stdout } = await runOne(({ require, process }) => {
    const net = require('net')
    const server = net.createServer((socket: any) => socket.end('over the pipe'))
    server.listen('/tmp/here.sock', () => {
      process.stdout.write(`${require('fs').statSync('/tmp/here.sock').isSocket()} `)
      net.connect('/tmp/here.sock').on('data', (data: Buffer) => {
        process.stdout.write(String(data))
        server.close()
      })
    })
    net.connect('/tmp/nowhere.sock').on('error', (error: any) => process.stdout.write(`${error.code} `))
  })
  expect(stdout.split(' ').sort().join(' ')).toBe('ENOENT over pipe the true')
})

it('zlib and crypto do real work, with random bytes of the process', async () => {
  const program: ProcessFunction = ({ require, process }) => {
    const { gzip, gunzip } = require('zlib')
    const crypto = require('crypto')
    gzip('x'.repeat(10_000), (_error: unknown, packed: Buffer) =>
      gunzip(packed, (_failure: unknown, bytes: Buffer) => process.stdout.write(`${bytes.length} `)),
    )
    crypto.pbkdf2('secret', 'salt', 10, 8, 'sha256', (_error: unknown, derived: Buffer) => {
      process.stdout.write(
        `${derived.toString('hex')} ${crypto.randomUUID()} ${crypto.randomBytes(4).toString('hex')} `,
      )
    })
  }
  const [first, second] = [await runOne(program), await runOne(program)]
  expect(first.stdout).toContain('10000 ')
  expect(first.stdout).toMatch(/ [0-9a-f]{16} [0-9a-f-]{36} [0-9a-f]{8} |^[0-9a-f]{16} /)
  expect(first.stdout).toBe(second.stdout)
})

it('a broadcast channel and a message channel deliver clones', async () => {
  const { stdout } = await runOne(({ process, globalThis: global }) => {
    const { MessageChannel, BroadcastChannel } = global as any
    const { port1, port2 } = new MessageChannel()
    const sent = { list: [1, new Date(0)] }
    port1.onmessage = ({ data }: any) => {
      process.stdout.write(`${data.list[1].toISOString()} ${data === sent} `)
      port1.close()
    }
    port2.postMessage(sent)
    const [here, there] = [new BroadcastChannel('news'), new BroadcastChannel('news')]
    there.onmessage = ({ data }: any) => {
      process.stdout.write(data)
      here.close()
      there.close()
    }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    here.postMessage('heard')
  })
  expect(stdout).toContain('1970-01-01T00:00:00.000Z false ')
  expect(stdout).toContain('heard')
})

it('a cluster shares a port among its workers', async () => {
  const cluster = `
    const cluster = require('cluster')
    const http = require('http')
    if (cluster.isPrimary) {
      for (let i = 0; i < 2; i++) cluster.fork()
      let ready = 0
      cluster.on('listening', () => {
        if (++ready < 2) return
        const answers = []
        for (let i = 0; i < 4; i++) {
          http.get({ port: 8000, agent: false }, (response) => {
            response.on('data', (data) => answers.push(String(data)))
            response.on('end', () => {
              if (answers.length < 4) return
              console.log(answers.sort().join())
              for (const id in cluster.workers) cluster.workers[id].kill()
            })
          })
        }
      })
    } else http.createServer((request, response) => response.end(String(cluster.worker.id))).listen(8000)`
  const { stdout } = await runOne(({ require, process }) => {
    require('fs').writeFileSync('/tmp/cluster.js', cluster)
    const child = require('child_process').spawn(process.execPath, ['/tmp/cluster.js'], { stdio: 'inherit' })
    child.on('exit', (code: number) => process.stdout.write(`exit ${code}`))
  })
  expect(stdout).toBe('1,1,2,2\nexit 0')
})
