/** Clusters: workers that share a port, messages, and how their ends are told. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('cluster', () => {
  same('workers share a port, and every one of them answers', async (log, require) => {
    const cluster = require('node:cluster')
    const http = require('node:http')
    if (cluster.isPrimary) {
      const workers = [cluster.fork(), cluster.fork()]
      let listening = 0
      await new Promise<void>((resolve) => {
        cluster.on('listening', (_worker: any, address: any) => {
          listening++
          if (listening === 2) {
            cluster.address = address
            resolve()
          }
        })
      })
      const answers = new Set<string>()
      for (let i = 0; i < 4; i++) {
        const text = await new Promise<string>((resolve) => {
          http.get({ port: cluster.address.port, host: '127.0.0.1', agent: false }, async (response: any) => {
            let body = ''
            for await (const chunk of response) body += chunk
            resolve(body)
          })
        })
        answers.add(text)
      }
      log([...answers].sort())
      cluster.disconnect(() => log('disconnected', Object.keys(cluster.workers).length))
      for (const worker of workers)
        worker.on('exit', (code: number) => log('exit', code, worker.exitedAfterDisconnect))
    } else {
      http
        .createServer((_request: any, response: any) => response.end(`worker ${cluster.worker.id}`))
        .listen(0, '127.0.0.1')
    }
  })

  same('events of a worker come in order on both sides', (log, require) => {
    const cluster = require('node:cluster')
    if (cluster.isPrimary) {
      cluster.setupPrimary({ args: ['given'] })
      const worker = cluster.fork({ COLOUR: 'blue' })
      for (const event of ['fork', 'online', 'disconnect', 'exit']) {
        cluster.on(event, (_worker: any, ...values: unknown[]) => log('cluster', event, ...values))
        worker.on(event, (...values: unknown[]) => log('worker', event, ...values))
      }
      worker.on('message', (value: unknown) => {
        log('message', value)
        worker.send('bye')
      })
      log(worker.id, worker.isConnected(), worker.isDead(), cluster.isWorker)
    } else {
      process.send!({ env: process.env.COLOUR, args: process.argv.slice(2), id: cluster.worker.id })
      process.on('message', () => {
        cluster.worker.disconnect()
      })
    }
  })

  same('a worker that is killed, one that throws, one that exits', async (log, require) => {
    const cluster = require('node:cluster')
    if (cluster.isPrimary) {
      for (const how of ['kill', 'throw', 'exit']) {
        cluster.setupPrimary({ args: [how], silent: true })
        const worker = cluster.fork()
        if (how === 'kill') worker.on('online', () => worker.process.kill('SIGKILL'))
        const end = await new Promise((resolve) =>
          worker.on('exit', (...values: unknown[]) => resolve(values)),
        )
        log(how, end, worker.exitedAfterDisconnect, worker.isDead(), worker.isConnected())
      }
      log(Object.keys(cluster.workers))
    } else {
      if (process.argv[2] === 'throw') throw new Error('no')
      if (process.argv[2] === 'exit') process.exit(9)
      setInterval(() => {}, 1000)
    }
  })

  same('two that want one port without a cluster cannot have it', async (log, require) => {
    const net = require('node:net')
    const first = net.createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => first.on('listening', resolve))
    const second = net.createServer().listen(first.address().port, '127.0.0.1')
    second.on('error', ({ code, syscall, address }: any) => {
      log(code, syscall, address)
      first.close()
    })
  })
})
