/** HTTP: keep-alive agents, aborts, time-outs, bodies, errors of both sides, fetch. */
import { describe } from 'vitest'
import { same, sameBetween } from './parity.ts'

describe('HTTP agents', () => {
  same('a keep-alive agent reuses its socket, another does not', async (log, require) => {
    const http = require('node:http')
    const sockets = new Map<unknown, number>()
    const server = http.createServer((request: any, response: any) => {
      if (!sockets.has(request.socket)) sockets.set(request.socket, sockets.size)
      response.end(`${request.url} on socket ${sockets.get(request.socket)}`)
    })
    await new Promise((resolve) => server.listen(0, resolve))
    const get = (agent: unknown, path: string) =>
      new Promise<void>((resolve) => {
        const request = http.get({ port: server.address().port, path, agent }, (response: any) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (data: string) => (text += data))
          response.on('end', () => {
            log(text, request.reusedSocket, response.headers.connection, response.headers['keep-alive'])
            setImmediate(resolve)
          })
        })
      })
    const keeping = new http.Agent({ keepAlive: true })
    await get(keeping, '/a')
    await get(keeping, '/b')
    log(Object.values(keeping.freeSockets).map((free: any) => free.length))
    const single = new http.Agent()
    await get(single, '/c')
    await get(single, '/d')
    await get(undefined, '/e')
    await get(undefined, '/f')
    keeping.destroy()
    http.globalAgent.destroy()
    server.close(() => log('closed'))
  })

  same('more requests than sockets wait their turn', (log, require) => {
    const http = require('node:http')
    const agent = new http.Agent({ keepAlive: true, maxSockets: 2 })
    let now = 0
    let most = 0
    const server = http.createServer((request: any, response: any) => {
      most = Math.max(most, ++now)
      setTimeout(() => {
        now--
        response.end(request.url)
      }, 10)
    })
    server.listen(0, () => {
      let left = 7
      for (let i = 0; i < 7; i++) {
        http.get({ port: server.address().port, path: `/${i}`, agent }, (response: any) => {
          response.resume().on('end', () => {
            if (--left > 0) return
            log('most at once', most)
            agent.destroy()
            server.close()
          })
        })
      }
      log(Object.values(agent.requests).map((waiting: any) => waiting.length))
    })
  })

  same('a server closes idle connections after its keep-alive time-out', (log, require) => {
    const http = require('node:http')
    const server = http.createServer({ keepAliveTimeout: 50 }, (_request: any, response: any) =>
      response.end('x'),
    )
    const agent = new http.Agent({ keepAlive: true })
    server.listen(0, () => {
      http.get({ port: server.address().port, agent }, (response: any) => {
        log(response.headers['keep-alive'])
        response.resume()
        response.socket.on('close', () => {
          log('closed by the server')
          server.close()
        })
      })
    })
  })
})

describe('HTTP messages', () => {
  sameBetween('headers, chunks, trailers, a body in pieces', {
    server: (log, require) => {
      const server = require('node:http').createServer((request: any, response: any) => {
        log(request.method, request.url, request.httpVersion, request.headers.expect)
        const { host, ...headers } = request.headers
        log(typeof host, headers)
        let body = ''
        request.on('data', (data: Buffer) => (body += data))
        request.on('end', () => {
          log(body, request.trailers, request.complete)
          response.setHeader('Date', 'now')
          response.setHeader('X-List', ['a', 'b'])
          response.writeHead(201, 'Made', { Trailer: 'X-Sum' })
          response.write('part')
          response.addTrailers({ 'X-Sum': '1' })
          response.end()
          server.close()
        })
      })
      server.on('checkContinue', (request: any, response: any) => {
        response.writeContinue()
        server.emit('request', request, response)
      })
      server.listen(process.env.PORT, () => log('ready'))
    },
    client: (log, require) => {
      const request = require('node:http').request({
        port: process.env.PORT,
        host: process.env.SERVER,
        method: 'POST',
        path: '/things?x=1',
        headers: { 'Content-Type': 'text/plain', Expect: '100-continue', Trailer: 'X-End' },
      })
      request.on('continue', () => {
        log('continue')
        request.write('one ')
        request.addTrailers({ 'X-End': 'yes' })
        setTimeout(() => request.end('two'), 5)
      })
      for (const name of ['finish', 'close']) request.on(name, () => log(name))
      request.on('response', (response: any) => {
        log(response.statusCode, response.statusMessage, response.rawHeaders.join('|'))
        response.setEncoding('utf8')
        let text = ''
        response.on('data', (data: string) => (text += data))
        response.on('end', () => log(text, response.trailers))
        response.on('close', () => log('response closed', response.complete))
      })
    },
  })

  same('bad requests are answered and closed', (log, require) => {
    const { connect } = require('node:net')
    const server = require('node:http').createServer((request: any, response: any) => {
      log('request', request.url)
      response.end()
    })
    server.on('clientError', ({ code }: any, socket: any) => {
      log('clientError', code)
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    })
    const ask = (text: string) =>
      new Promise<void>((resolve) => {
        const socket = connect(server.address().port)
        let answer = ''
        socket.on('data', (data: Buffer) => (answer += data))
        socket.on('close', () => {
          log(answer.split('\r\n')[0])
          resolve()
        })
        socket.end(text)
      })
    server.listen(0, async () => {
      await ask('nonsense\r\n\r\n')
      await ask(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`)
      await ask('GET /ok HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      await ask('GET / HTTP/1.1\r\n\r\n')
      server.close()
    })
  })

  same('pipelined requests are answered in order', (log, require) => {
    const { connect } = require('node:net')
    const server = require('node:http').createServer((request: any, response: any) => {
      const slow = request.url === '/1'
      setTimeout(() => response.end(`answer ${request.url}`), slow ? 30 : 0)
    })
    server.listen(0, () => {
      const socket = connect(server.address().port)
      let text = ''
      socket.on('data', (data: Buffer) => (text += data))
      socket.on('close', () => {
        log(text.match(/answer \/\d/g))
        server.close()
      })
      socket.write(
        ['/1', '/2', '/3']
          .map(
            (path) =>
              `GET ${path} HTTP/1.1\r\nHost: x\r\n${path === '/3' ? 'Connection: close\r\n' : ''}\r\n`,
          )
          .join(''),
      )
    })
  })

  same('an upgrade hands over the socket', (log, require) => {
    const http = require('node:http')
    const server = http.createServer()
    server.on('upgrade', (request: any, socket: any, head: Buffer) => {
      log('upgrade', request.headers.upgrade, `${head}`)
      socket.write('HTTP/1.1 101 Switching\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n')
      socket.pipe(socket)
    })
    server.listen(0, () => {
      const request = http.request({
        port: server.address().port,
        headers: { Connection: 'Upgrade', Upgrade: 'echo' },
      })
      request.on('upgrade', (response: any, socket: any) => {
        log(response.statusCode, response.headers.upgrade)
        socket.end('hello')
        socket.on('data', (data: Buffer) => log(`${data}`))
        socket.on('close', () => server.close())
      })
      request.end()
    })
  })
})

describe('HTTP failures', () => {
  sameBetween('the client aborts in the middle', {
    server: (log, require) => {
      const server = require('node:http').createServer((request: any, response: any) => {
        request.on('aborted', () => log('aborted'))
        request.on('error', ({ code, message }: any) => log('request error', code, message))
        request.on('close', () => log('request close', request.complete))
        response.on('close', () => {
          log('response close', response.writableFinished)
          server.close()
        })
        response.write('begun')
      })
      server.listen(process.env.PORT, () => log('ready'))
    },
    client: (log, require) => {
      const request = require('node:http').get(
        { port: process.env.PORT, host: process.env.SERVER },
        (response: any) => {
          response.once('data', () => request.destroy())
          response.on('aborted', () => log('aborted'))
          response.on('error', ({ code, message }: any) => log('response error', code, message))
          response.on('close', () => log('response close'))
        },
      )
      request.on('error', ({ code, message }: any) => log('request error', code, message))
      request.on('close', () => log('request close', request.destroyed))
    },
  })

  same('the server hangs up before and in the middle of an answer', (log, require) => {
    const http = require('node:http')
    const server = http.createServer((request: any, response: any) => {
      if (request.url === '/middle') {
        response.writeHead(200, { 'Content-Length': 100 })
        response.write('part', () => request.socket.destroy())
      } else request.socket.destroy()
    })
    server.listen(0, () => {
      const { port } = server.address()
      http.get({ port, path: '/before', agent: false }).on('error', ({ code, message }: any) => {
        log(code, message)
        http.get({ port, path: '/middle', agent: false }, (response: any) => {
          response.on('aborted', () => log('aborted'))
          response.on('error', ({ code: c, message: m }: any) => log(c, m))
          response.on('end', () => log('never'))
          response.on('close', () => {
            log('close', response.complete)
            server.close()
          })
          response.resume()
        })
      })
    })
  })

  same('an abort signal, a time-out of the request, a refused connection', (log, require) => {
    const http = require('node:http')
    const server = http.createServer(() => {})
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      const controller = new AbortController()
      http
        .get({ port, host: '127.0.0.1', signal: controller.signal })
        .on('error', ({ name, code, message }: any) => {
          log(name, code, message)
          const request = http.get({ port, host: '127.0.0.1', timeout: 20 })
          request.on('timeout', () => {
            log('timeout')
            request.destroy(new Error('gave up'))
          })
          request.on('error', (error: any) => {
            log(error.message)
            server.closeAllConnections()
            server.close(() =>
              http
                .get({ port, host: '127.0.0.1' })
                .on('error', ({ code: c, syscall, address }: any) => log(c, syscall, address)),
            )
          })
        })
      setTimeout(() => controller.abort(), 10)
    })
  })

  same('slow headers and slow requests are given up', (log, require) => {
    const { connect } = require('node:net')
    const server = require('node:http').createServer(
      { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 },
      (request: any) => request.on('error', ({ code }: any) => log('request', code)),
    )
    server.listen(0, () => {
      const ask = (text: string, done: () => void) => {
        const socket = connect(server.address().port, () => socket.write(text))
        let answer = ''
        socket.on('data', (data: Buffer) => (answer += data))
        socket.on('close', () => {
          log(answer.split('\r\n')[0])
          done()
        })
        socket.on('error', () => {})
      }
      ask('GET / HTTP/1.1\r\nHost', () =>
        ask('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab', () => server.close()),
      )
    })
  })
})

describe('fetch', () => {
  sameBetween('answers, JSON, streams, failures', {
    server: (log, require) => {
      const server = require('node:http').createServer((request: any, response: any) => {
        log(request.method, request.url)
        if (request.url === '/echo') request.pipe(response)
        else if (request.url === '/slow') setTimeout(() => response.end('late'), 10_000).unref()
        else if (request.url === '/moved') response.writeHead(302, { Location: '/json' }).end()
        else if (request.url === '/cut') {
          response.writeHead(200, { 'Content-Length': '10' })
          response.write('abc', () => response.destroy())
        } else if (request.url === '/end') {
          response.end()
          server.close()
          server.closeAllConnections()
        } else response.setHeader('Content-Type', 'application/json').end('{"a":[1,2]}')
      })
      server.listen(process.env.PORT, () => log('ready'))
    },
    client: async (log) => {
      const base = `http://${process.env.SERVER}:${process.env.PORT}`
      const json = await fetch(`${base}/moved`)
      log(json.status, json.redirected, json.headers.get('content-type'), await json.json())
      const echoed = await fetch(`${base}/echo`, { method: 'POST', body: 'hello' })
      log(await echoed.text())
      const timed = await fetch(`${base}/slow`, { signal: AbortSignal.timeout(50) }).catch((error) => error)
      log(timed.name, timed.code, timed.message)
      const controller = new AbortController()
      setTimeout(() => controller.abort('reason'), 20)
      log(await fetch(`${base}/slow`, { signal: controller.signal }).catch((error) => error))
      const cut = await fetch(`${base}/cut`)
        .then((response) => response.text())
        .catch((error) => error)
      log(cut.name, cut.message, cut.cause?.code)
      await fetch(`${base}/end`)
        .then((response) => response.text())
        .catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 50))
      const refused = await fetch(`${base}/gone`).catch((error) => error)
      log(refused.name, refused.message, refused.cause?.code, refused.cause?.syscall)
    },
  })
})
