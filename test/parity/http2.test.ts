/** HTTP/2: streams, headers, pushes, errors and ends of sessions; over plain connections. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('http2', () => {
  same('a request and its answer, with trailers and informational headers', async (log, require) => {
    const http2 = require('node:http2')
    const server = http2.createServer()
    server.on('stream', (stream: any, headers: any) => {
      log('server', headers[':method'], headers[':path'], headers.extra)
      stream.additionalHeaders({ ':status': 103, link: 'x' })
      stream.respond({ ':status': 201, answer: 'yes' }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ sum: '1' }))
      let body = ''
      stream.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      stream.on('end', () => stream.end(`got ${body}`))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const client = http2.connect(`http://127.0.0.1:${server.address().port}`)
    client.on('connect', () => log('connected', client.encrypted, client.alpnProtocol))
    const request = client.request({ ':method': 'POST', ':path': '/p', extra: 'e' })
    request.on('headers', (headers: any) => log('informed', headers[':status'], headers.link))
    request.on('response', (headers: any) => log('response', headers[':status'], headers.answer))
    request.on('trailers', (headers: any) => log('trailers', headers.sum))
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.end('hello')
    await new Promise((resolve) => request.on('close', resolve))
    log(text, request.rstCode, request.id)
    await new Promise((resolve) => client.close(resolve))
    server.close(() => log('closed'))
  })

  same('the compatible interface, and many streams at once', async (log, require) => {
    const http2 = require('node:http2')
    const server = http2.createServer((request: any, response: any) => {
      response.setHeader('x-path', request.url)
      setTimeout(() => response.end(request.httpVersion), 20 - 5 * Number(request.url.slice(1)))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const client = http2.connect(`http://127.0.0.1:${server.address().port}`)
    const all = await Promise.all(
      [1, 2, 3].map(
        (n) =>
          new Promise((resolve) => {
            const stream = client.request({ ':path': `/${n}` })
            let path: string
            stream.on('response', (headers: any) => (path = headers['x-path']))
            stream.resume().on('end', () => resolve([path, stream.id]))
          }),
      ),
    )
    log(all)
    client.close()
    server.close()
  })

  same('resets, refusals and sessions that end', async (log, require) => {
    const http2 = require('node:http2')
    const server = http2.createServer()
    server.on('stream', (stream: any, headers: any) => {
      stream.on('error', ({ code }: any) => log('server stream', code))
      if (headers[':path'] === '/reset') stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR)
      else if (headers[':path'] === '/goaway')
        stream.session.goaway(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM)
      else if (headers[':path'] === '/destroy') stream.session.destroy()
      else stream.on('aborted', () => log('aborted'))
    })
    server.on('sessionError', ({ code }: any) => log('session error', code))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    for (const path of ['/reset', '/cancel', '/goaway', '/destroy']) {
      const client = http2.connect(`http://127.0.0.1:${server.address().port}`)
      client.on('error', ({ code, message }: any) => log(path, 'session', code, message))
      if (path === '/goaway') client.on('goaway', (code: number) => log('goaway', code))
      const stream = client.request({ ':path': path })
      stream.on('error', ({ code, message }: any) => log(path, 'stream', code, message))
      if (path === '/cancel') stream.on('ready', () => setTimeout(() => stream.close(8), 20))
      await new Promise((resolve) => stream.on('close', resolve))
      log(path, stream.rstCode, stream.aborted, stream.destroyed)
      client.destroy()
    }
    server.close()
  })

  same('a session that is destroyed says so to its peer, wherever that happens', async (log, require) => {
    const http2 = require('node:http2')
    const { NGHTTP2_ENHANCE_YOUR_CALM } = http2.constants
    const ways: Record<string, (session: any) => void> = {
      plainly: (session) => session.destroy(),
      'with a code': (session) => session.destroy(NGHTTP2_ENHANCE_YOUR_CALM),
      'with an error': (session) => session.destroy(new Error('broken')),
      later: (session) => setTimeout(() => session.destroy(undefined, NGHTTP2_ENHANCE_YOUR_CALM), 20),
    }
    for (const [way, destroy] of Object.entries(ways)) {
      const server = http2.createServer()
      server.on('sessionError', ({ message }: any) => log(way, 'server', message))
      server.on('stream', (stream: any) => {
        stream.on('error', ({ message }: any) => log(way, 'server stream', message))
        destroy(stream.session)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const client = http2.connect(`http://127.0.0.1:${server.address().port}`)
      client.on('goaway', (code: number, last: number) => log(way, 'goaway', code, last))
      client.on('error', ({ message }: any) => log(way, 'client', message))
      const stream = client.request().resume()
      stream.on('error', ({ message }: any) => log(way, 'client stream', message))
      await new Promise((resolve) => client.on('close', resolve))
      log(way, stream.rstCode)
      await new Promise((resolve) => server.close(resolve))
    }
  })

  same('pushes, pings and settings', async (log, require) => {
    const http2 = require('node:http2')
    const server = http2.createServer({ settings: { maxConcurrentStreams: 7 } })
    server.on('stream', (stream: any) => {
      stream.pushStream({ ':path': '/pushed' }, (error: any, push: any) => {
        log('push', error, push.pushAllowed)
        push.respond({ ':status': 200 })
        push.end('pushed data')
        stream.respond({ ':status': 204 })
        stream.end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const client = http2.connect(`http://127.0.0.1:${server.address().port}`)
    client.on('stream', (stream: any, headers: any) => {
      log('pushed', headers[':path'])
      stream.on('push', (pushed: any) => log('push headers', pushed[':status']))
      stream.setEncoding('utf8').on('data', (chunk: string) => log('pushed', chunk))
    })
    await new Promise((resolve) => client.on('remoteSettings', resolve))
    log(client.remoteSettings.maxConcurrentStreams, client.pendingSettingsAck)
    const request = client.request({ ':path': '/' })
    await new Promise((resolve) => request.resume().on('close', resolve))
    await new Promise<void>((resolve) => {
      client.ping(Buffer.from('12345678'), (error: any, duration: number, payload: Buffer) => {
        log(error, duration >= 0, `${payload}`)
        resolve()
      })
    })
    client.close()
    server.close()
  })

  same('mistakes are thrown', async (log, require) => {
    const http2 = require('node:http2')
    const server = http2.createServer()
    server.on('stream', (stream: any) => {
      for (const call of [
        () => stream.respond({ ':status': 'x' }),
        () => stream.respond({ ':status': 101 }),
        () => stream.respond({ connection: 'close' }),
        () => stream.sendTrailers({}),
      ]) {
        try {
          call()
        } catch ({ code, message }: any) {
          log(code, message)
        }
      }
      stream.respond()
      stream.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const client = http2.connect(`http://127.0.0.1:${server.address().port}`)
    const request = client.request()
    await new Promise((resolve) => request.resume().on('close', resolve))
    client.close()
    for (const call of [
      () => client.request(),
      () => http2.connect('ftp://x'),
      () => http2.getPackedSettings({ maxFrameSize: 1 }),
    ]) {
      try {
        call()
      } catch ({ code, message }: any) {
        log(code, message)
      }
    }
    server.close()
  })
})
