/** Keep-alive agents: which connection a request gets, when it is kept, when it is given up. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('agents', () => {
  same('a connection is used again when the answer has been read', async (log, require) => {
    const http = require('node:http')
    let connections = 0
    const server = http.createServer((request: any, response: any) => {
      response.end(`${request.url} ${request.headers.connection}`)
    })
    server.on('connection', () => connections++)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address()
    const agent = new http.Agent({ keepAlive: true })
    const get = (path: string, options: object = {}) =>
      new Promise<void>((resolve) => {
        const request = http.get(
          { port, host: '127.0.0.1', path, agent, ...options },
          async (response: any) => {
            let body = ''
            for await (const chunk of response) body += chunk
            log(body, response.headers.connection, response.headers['keep-alive'], request.reusedSocket)
            resolve()
          },
        )
      })
    await get('/1')
    await get('/2')
    await Promise.all([get('/3'), get('/4')])
    await get('/5', { agent: false })
    await get('/6', { headers: { connection: 'close' } })
    log(connections, Object.keys(agent.freeSockets).length, Object.keys(agent.sockets).length)
    agent.destroy()
    server.close(() => log('closed'))
  })

  same('limits make requests wait, in order', async (log, require) => {
    const http = require('node:http')
    const waiting: any[] = []
    const server = http.createServer((request: any, response: any) => waiting.push([request.url, response]))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address()
    const agent = new http.Agent({ keepAlive: true, maxSockets: 2, maxFreeSockets: 1 })
    const count = (table: Record<string, unknown[]>) =>
      Object.values(table).reduce((sum, list) => sum + list.length, 0)
    const done: string[] = []
    const all = ['/a', '/b', '/c', '/d'].map(
      (path) =>
        new Promise<void>((resolve) => {
          http.get({ port, host: '127.0.0.1', path, agent }, (response: any) => {
            response.resume().on('end', () => {
              done.push(path)
              resolve()
            })
          })
        }),
    )
    while (waiting.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    log(count(agent.sockets), count(agent.requests), agent.totalSocketCount)
    while (done.length < 4) {
      const next = waiting.shift()
      if (next === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
      else next[1].end()
    }
    await Promise.all(all)
    await new Promise((resolve) => setTimeout(resolve, 20))
    log(done.length, count(agent.sockets), count(agent.freeSockets), count(agent.requests))
    agent.destroy()
    server.close()
    server.closeAllConnections()
  })

  same('a kept connection that the server closes is noticed', async (log, require) => {
    const http = require('node:http')
    const server = http.createServer({ keepAliveTimeout: 50 }, (_request: any, response: any) =>
      response.end('x'),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const agent = new http.Agent({ keepAlive: true })
    const get = () =>
      new Promise<void>((resolve) => {
        const request = http.get(
          { port: server.address().port, host: '127.0.0.1', agent },
          (response: any) => {
            response.resume().on('end', () => {
              log(response.statusCode, request.reusedSocket)
              resolve()
            })
          },
        )
      })
    await get()
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    log(Object.keys(agent.freeSockets).length)
    await get()
    agent.destroy()
    server.close()
  })

  same('names, and what an agent says of a request', (log, require) => {
    const { Agent, globalAgent } = require('node:http')
    const https = require('node:https')
    const agent = new Agent()
    log(
      agent.getName({ host: 'h', port: 1, localAddress: 'l' }),
      agent.getName({ family: 6 }),
      agent.getName(),
    )
    log(new https.Agent().getName({ host: 'h', port: 1, servername: 's', rejectUnauthorized: false }))
    log(globalAgent.keepAlive, globalAgent.maxSockets, globalAgent.maxFreeSockets, globalAgent.scheduling)
    for (const options of [{ maxTotalSockets: 'x' }, { scheduling: 'x' }]) {
      try {
        log(new Agent(options).maxTotalSockets)
      } catch ({ code, message }: any) {
        log(code, message)
      }
    }
  })

  same('a server that hangs up while a request waits', async (log, require) => {
    const http = require('node:http')
    const server = http.createServer((request: any) => request.socket.destroy())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const agent = new http.Agent({ keepAlive: true })
    await new Promise<void>((resolve) => {
      const request = http.get({ port: server.address().port, host: '127.0.0.1', agent })
      request.on('error', ({ code, message }: any) => log('error', code, message))
      request.on('close', () => {
        log('close', request.destroyed, agent.totalSocketCount)
        resolve()
      })
    })
    server.close()
    await new Promise<void>((resolve) => {
      http.get({ port: 1, host: '127.0.0.1', agent }).on('error', ({ code, syscall, port }: any) => {
        log(code, syscall, port)
        resolve()
      })
    })
  })
})
