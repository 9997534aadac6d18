/** async_hooks and AsyncLocalStorage: what flows where, and which resources are told of. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('AsyncLocalStorage', () => {
  same('flows through every kind of asynchronous call', async (log, require) => {
    const { AsyncLocalStorage } = require('node:async_hooks')
    const { EventEmitter, once } = require('node:events')
    const fs = require('node:fs')
    const storage = new AsyncLocalStorage()
    const lines: string[] = []
    const told = (what: string) => lines.push(`${what}: ${storage.getStore()}`)
    await storage.run('outer', async () => {
      told('run')
      const waits: Promise<unknown>[] = []
      const later = (start: (done: () => void) => void, what: string) =>
        waits.push(
          new Promise<void>((resolve) =>
            start(() => {
              told(what)
              resolve()
            }),
          ),
        )
      later((done) => setTimeout(done, 1), 'timeout')
      later((done) => setImmediate(done), 'immediate')
      later((done) => process.nextTick(done), 'tick')
      later((done) => queueMicrotask(done), 'microtask')
      later((done) => void Promise.resolve().then(done), 'promise')
      later((done) => fs.stat('.', done), 'fs')
      later((done) => require('node:zlib').deflate('x', done), 'zlib')
      later((done) => require('node:crypto').randomBytes(8, done), 'randomBytes')
      later((done) => require('node:dns').lookup('localhost', done), 'dns')
      later((done) => {
        const server = require('node:net').createServer((socket: any) => {
          told('connection')
          socket.end()
          server.close(done)
        })
        server.listen(0, '127.0.0.1', () => {
          require('node:net').connect(server.address().port, '127.0.0.1').resume()
        })
      }, 'server closed')
      for (const wait of waits) await wait
      const emitter = new EventEmitter()
      setImmediate(() => storage.run('inner', () => emitter.emit('event', 1)))
      emitter.once('event', () => told('listener'))
      await once(emitter, 'event')
      told('after once')
      storage.run('nested', () => told('nested'))
      storage.exit(() => told('exit'))
      told('end')
    })
    told('outside')
    for (const line of lines.sort()) log(line)
  })

  same('enterWith stays for what follows, snapshots and bindings keep theirs', async (log, require) => {
    const { AsyncLocalStorage, AsyncResource } = require('node:async_hooks')
    const storage = new AsyncLocalStorage()
    storage.enterWith(1)
    const bound = AsyncLocalStorage.bind(() => storage.getStore())
    const snapshot = AsyncLocalStorage.snapshot()
    const resource = new AsyncResource('Mine')
    storage.enterWith(2)
    log(
      storage.getStore(),
      bound(),
      snapshot(() => storage.getStore()),
    )
    log(
      resource.runInAsyncScope(() => storage.getStore()),
      AsyncResource.bind(() => storage.getStore())(),
    )
    setTimeout(() => {
      log('timer', storage.getStore())
      storage.disable()
      log('disabled', storage.getStore())
    }, 1)
    storage.enterWith(3)
  })

  same('each request of a server has its own', async (log, require) => {
    const { AsyncLocalStorage } = require('node:async_hooks')
    const http = require('node:http')
    const storage = new AsyncLocalStorage()
    const server = http.createServer((request: any, response: any) => {
      storage.run(request.url, () => {
        setTimeout(() => {
          request.on('end', () => response.end(storage.getStore()))
          request.resume()
        }, 5)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const visit = async (path: string) =>
      storage.run(`client ${path}`, async () => {
        const response = await fetch(`http://127.0.0.1:${server.address().port}${path}`)
        return [await response.text(), storage.getStore()]
      })
    log(await Promise.all(['/a', '/b', '/c'].map(visit)))
    server.close()
    server.closeAllConnections()
  })
})

describe('async hooks', () => {
  same('tell of resources, by their types', (log, require) => {
    const { createHook } = require('node:async_hooks')
    const types = new Map<string, number>()
    const hook = createHook({
      init: (_id: number, type: string) => types.set(type, (types.get(type) ?? 0) + 1),
    }).enable()
    setTimeout(() => {}, 1)
    setImmediate(() => {})
    process.nextTick(() => {})
    void Promise.resolve().then(() => {})
    require('node:fs').stat('.', () => {})
    require('node:fs').readFile(__filename, () => {})
    require('node:crypto').randomBytes(4, () => {})
    require('node:zlib').deflate('x', () => {})
    require('node:dns').lookup('localhost', () => {})
    const server = require('node:net').createServer().listen(0, '127.0.0.1')
    server.close()
    hook.disable()
    log([...types.keys()].sort())
  })

  same('before, after and destroy come in order, with trigger and execution ids', (_log, require) => {
    const hooks = require('node:async_hooks')
    const fs = require('node:fs')
    const names = new Map<number, string>()
    const say = (...words: unknown[]) => fs.writeSync(1, `${words.join(' ')}\n`)
    hooks
      .createHook({
        init: (id: number, type: string, trigger: number) => {
          if (!/Timeout|Immediate|Mine/.test(type)) return
          names.set(id, type)
          say('init', type, names.get(trigger) ?? (trigger === 1 ? 'main' : 'other'))
        },
        before: (id: number) => names.has(id) && say('before', names.get(id)),
        after: (id: number) => names.has(id) && say('after', names.get(id)),
        destroy: (id: number) => names.has(id) && say('destroy', names.get(id)),
      })
      .enable()
    say(hooks.executionAsyncId(), hooks.triggerAsyncId())
    setTimeout(() => {
      say('timer runs', names.get(hooks.executionAsyncId()))
      setImmediate(() => say('immediate runs', names.get(hooks.triggerAsyncId())))
    }, 30)
    const mine = new hooks.AsyncResource('Mine')
    mine.runInAsyncScope(() => say('in mine', mine.asyncId() === hooks.executionAsyncId()))
    mine.emitDestroy()
  })

  same('an error in a callback leaves no scope behind', (log, require) => {
    const { executionAsyncId, AsyncResource } = require('node:async_hooks')
    process.on('uncaughtException', (error) => log(error.message))
    const resource = new AsyncResource('Mine')
    try {
      resource.runInAsyncScope(() => {
        throw new Error('inside')
      })
    } catch (error: any) {
      log('caught', error.message, executionAsyncId() === 1)
    }
    setTimeout(() => {
      throw new Error('in a timer')
    }, 1)
    setTimeout(() => log(executionAsyncId() > 1), 5)
  })

  same('diagnostics channels are told at once, and errors of theirs later', (log, require) => {
    const { channel, tracingChannel } = require('node:diagnostics_channel')
    process.on('uncaughtException', (error) => log('uncaught', error.message))
    const news = channel('news')
    log(news.hasSubscribers)
    const heard = (value: unknown, name: string) => log('heard', value, name)
    news.subscribe(heard)
    news.subscribe(() => {
      throw new Error('in a subscriber')
    })
    news.publish({ n: 1 })
    log('published', news.unsubscribe(heard), news.unsubscribe(heard))
    const tracing = tracingChannel('work')
    const names = ['start', 'end', 'asyncStart', 'asyncEnd', 'error']
    tracing.subscribe(
      Object.fromEntries(names.map((name) => [name, (context: any) => log(name, context.result)])),
    )
    tracing.traceSync(() => 'sync', {})
    void tracing.tracePromise(() => Promise.resolve('later'), {})
  })
})
