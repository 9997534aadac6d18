/** Threads: what can be sent and what is moved, the order of messages, ends of threads and what they say of them. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('threads', () => {
  same('a thread has its data, its id and its parent; messages go both ways in order', (log, require) => {
    const { isMainThread, parentPort, threadId, Worker, workerData } = require('node:worker_threads')
    if (isMainThread) {
      log('main', threadId, parentPort, workerData)
      const worker = new Worker(__filename, { workerData: { list: [1, new Map([['k', new Date(0)]])] } })
      // It comes through another port than messages do: on a busy machine, after them.
      let online = false
      worker.on('online', () => (online = true))
      worker.on('message', (value: unknown) => log('from the worker', value))
      worker.on('exit', (code: number) => log('exit', code, worker.threadId, online))
      for (let i = 0; i < 3; i++) worker.postMessage(i)
      worker.postMessage('end')
    } else {
      parentPort.postMessage({ workerData, threadId })
      parentPort.on('message', (value: unknown) => {
        parentPort.postMessage(['echo', value])
        if (value === 'end') parentPort.close()
      })
    }
  })

  same('how a thread ends is how its exit event tells it', async (log, require) => {
    const { isMainThread, Worker, workerData } = require('node:worker_threads')
    if (isMainThread) {
      for (const how of ['return', 'exit', 'exitCode', 'throw', 'reject', 'uncaught-handled', 'terminate']) {
        const worker = new Worker(__filename, { workerData: how })
        worker.on('error', (error: any) =>
          log(how, 'error', error.name, error.message, error instanceof Error),
        )
        if (how === 'terminate')
          worker.on('online', async () => log('terminated with', await worker.terminate()))
        log(how, await new Promise((resolve) => worker.on('exit', resolve)))
      }
    } else {
      if (workerData === 'exit') process.exit(3)
      if (workerData === 'exitCode') process.exitCode = 4
      if (workerData === 'throw') throw new TypeError('thrown')
      if (workerData === 'reject') void Promise.reject(new RangeError('rejected'))
      if (workerData === 'uncaught-handled') {
        process.on('uncaughtException', () => process.exit(5))
        throw new Error('caught')
      }
      if (workerData === 'terminate') setInterval(() => {}, 1000)
    }
  })

  same('process.exit in a thread ends the thread alone', (log, require) => {
    const { isMainThread, parentPort, Worker } = require('node:worker_threads')
    if (isMainThread) {
      const worker = new Worker(__filename)
      worker.on('message', (value: unknown) => log(value))
      worker.on('exit', (code: number) => {
        log('exit', code)
        setTimeout(() => log('main lives'), 10)
      })
    } else {
      process.on('exit', (code) => parentPort.postMessage(`exit handler ${code}`))
      process.exit(7)
    }
  })

  same('stdout and stderr of a thread reach its parent', async (log, require) => {
    const { isMainThread, Worker } = require('node:worker_threads')
    if (isMainThread) {
      const worker = new Worker(__filename, { stdout: true, stderr: true, stdin: true })
      const chunks: string[] = []
      worker.stdout.on('data', (chunk: Buffer) => chunks.push(`out ${chunk}`))
      worker.stderr.on('data', (chunk: Buffer) => chunks.push(`err ${chunk}`))
      worker.stdin.end('typed')
      await new Promise((resolve) => worker.on('exit', resolve))
      await new Promise((resolve) => setTimeout(resolve, 20))
      log(chunks.sort().join('|'))
    } else {
      process.stdin.on('data', (chunk) => process.stdout.write(`read ${chunk}`))
      process.stderr.write('warned')
    }
  })

  same('environment: copied, shared or given', async (log, require) => {
    const { isMainThread, SHARE_ENV, Worker, workerData } = require('node:worker_threads')
    if (isMainThread) {
      process.env.COLOUR = 'blue'
      for (const [name, env] of [
        ['copied', undefined],
        ['given', { COLOUR: 'red' }],
        ['shared', SHARE_ENV],
      ]) {
        await new Promise((resolve) => new Worker(__filename, { env, workerData: name }).on('exit', resolve))
        log(name, process.env.COLOUR)
      }
    } else {
      const before = process.env.COLOUR
      process.env.COLOUR = `${workerData} ${before}`
    }
  })

  same('a thread from a string, and one that cannot be started', async (log, require) => {
    const { Worker } = require('node:worker_threads')
    const evaluated = new Worker(
      'const { parentPort, workerData } = require("node:worker_threads"); parentPort.postMessage(workerData * 2)',
      { eval: true, workerData: 21 },
    )
    log(await new Promise((resolve) => evaluated.on('message', resolve)))
    const missing = new Worker('./missing.js')
    missing.on('error', ({ code, message }: any) => log(code, message.split('\n')[0].split('/').at(-1)))
    log(await new Promise((resolve) => missing.on('exit', resolve)))
    for (const args of [['relative.js'], [12], ['./x.js', { execArgv: 'no' }], ['./x.js', { argv: 'no' }]]) {
      try {
        log(new Worker(...args).threadId)
      } catch ({ code, name }: any) {
        log(args, code, name)
      }
    }
    const broken = new Worker('this is not JavaScript', { eval: true })
    broken.on('error', (error: any) => log(error.name, error.message))
    log(await new Promise((resolve) => broken.on('exit', resolve)))
  })
})

describe('messages', () => {
  same('what is transferred is gone here', async (log, require) => {
    const { MessageChannel } = require('node:worker_threads')
    const { port1, port2 } = new MessageChannel()
    const bytes = new Uint8Array([1, 2, 3])
    port1.postMessage(bytes, [bytes.buffer])
    log(bytes.length, bytes.buffer.byteLength)
    const kept = new Uint8Array([4, 5])
    port1.postMessage(kept)
    log(kept.length)
    port2.on('message', (value: unknown) => log('got', value))
    port2.on('messageerror', (error: any) => log('messageerror', error.message))
    await new Promise((resolve) => port2.once('message', () => setImmediate(resolve)))
    for (const [value, list] of [
      [() => {}, []],
      [Symbol('s'), []],
      [bytes, [bytes.buffer]],
      [1, [port1]],
      [1, [kept.buffer, kept.buffer]],
      [port2, []],
      [1, ['nonsense']],
    ] as [unknown, unknown[]][]) {
      try {
        port1.postMessage(value, list)
        log('sent')
      } catch ({ name, code, message }: any) {
        log(name, code, message)
      }
    }
    port1.postMessage('last')
    port2.on('message', (value: unknown) => value === 'last' && port1.close())
  })

  same('cloned values keep their kind and their cycles', async (log, require) => {
    const { MessageChannel } = require('node:worker_threads')
    const { port1, port2 } = new MessageChannel()
    const cycle: any = { name: 'cycle' }
    cycle.self = cycle
    class Point {
      x = 1
      #hidden = 2
      get sum() {
        return this.x + this.#hidden
      }
    }
    const values = [
      cycle,
      new Point(),
      new Set([1]),
      /x/gi,
      new Error('lost', { cause: 'reason' }),
      Object.assign([], { 1: 'sparse' }),
      10n,
      new Date(5),
      Buffer.from('hi'),
      Object(true),
      new Int16Array([1, -1]),
      undefined,
      null,
      -0,
      NaN,
    ]
    for (const value of values) port1.postMessage(value)
    port1.postMessage('end')
    for await (const [value] of require('node:events').on(port2, 'message')) {
      if (value === 'end') break
      log(value instanceof Error ? [value.name, value.message, value.cause] : value)
    }
    port1.close()
  })

  same('a port starts when it is listened to, and closing says so on both ends', async (log, require) => {
    const { MessageChannel, receiveMessageOnPort } = require('node:worker_threads')
    const { port1, port2 } = new MessageChannel()
    for (let i = 0; i < 4; i++) port1.postMessage(i)
    log(receiveMessageOnPort(port2), receiveMessageOnPort(port2))
    port2.on('close', () => log('close 2'))
    port1.on('close', () => log('close 1'))
    port1.ref()
    port2.onmessage = ({ data, target }: any) => {
      log('message', data, target === port2)
      if (data === 3) port2.close()
    }
    log(receiveMessageOnPort(port2), receiveMessageOnPort(port2), receiveMessageOnPort(port2))
    port1.postMessage(3)
    await new Promise((resolve) => port1.on('close', resolve))
    log(port1.postMessage('into the void'))
    try {
      receiveMessageOnPort({})
    } catch ({ code }: any) {
      log(code)
    }
  })

  same('messages, timers and promises are ordered as on one loop', (log, require) => {
    const { MessageChannel } = require('node:worker_threads')
    const { port1, port2 } = new MessageChannel()
    port2.on('message', (value: unknown) => {
      log('message', value)
      process.nextTick(() => log('tick of', value))
      void Promise.resolve().then(() => log('promise of', value))
      if (value === 'second') port2.close()
    })
    setImmediate(() => {
      log('immediate')
      port1.postMessage('second')
    })
    port1.postMessage('first')
    process.nextTick(() => log('tick'))
    void Promise.resolve().then(() => log('promise'))
    log('end of main')
  })

  same('a port can be handed on, with what waits in it', (log, require) => {
    const { isMainThread, MessageChannel, parentPort, Worker } = require('node:worker_threads')
    if (isMainThread) {
      const { port1, port2 } = new MessageChannel()
      port1.postMessage('before')
      const worker = new Worker(__filename)
      worker.postMessage({ port: port2 }, [port2])
      port1.postMessage('after')
      port1.on('message', (value: unknown) => {
        log(value)
        if (value === 'got after') port1.close()
      })
      port1.on('close', () => log('close'))
      worker.on('exit', (code: number) => log('exit', code))
      try {
        port2.postMessage('x')
        log('a moved port is silent')
      } catch ({ name }: any) {
        log(name)
      }
    } else {
      parentPort.once('message', ({ port }: any) => {
        port.on('message', (value: unknown) => port.postMessage(`got ${value as string}`))
      })
    }
  })

  same('shared memory is one memory', (log, require) => {
    const { isMainThread, Worker, workerData } = require('node:worker_threads')
    if (isMainThread) {
      const shared = new Int32Array(new SharedArrayBuffer(8))
      const worker = new Worker(__filename, { workerData: shared })
      worker.on('exit', () => log(Atomics.load(shared, 0), shared))
    } else {
      Atomics.add(workerData, 0, 42)
      log(Atomics.compareExchange(workerData, 1, 0, 7), workerData.buffer instanceof SharedArrayBuffer)
    }
  })

  same('a message that cannot be read is a messageerror; marks forbid cloning and moving', (log, require) => {
    const threads = require('node:worker_threads')
    const { port1, port2 } = new threads.MessageChannel()
    const buffer = new ArrayBuffer(4)
    threads.markAsUntransferable(buffer)
    try {
      port1.postMessage(buffer, [buffer])
      log('copied', buffer.byteLength)
    } catch ({ name, code, message }: any) {
      log(name, code, message)
    }
    threads.setEnvironmentData('key', { deep: true })
    log(threads.getEnvironmentData('key'), threads.getEnvironmentData('other'))
    port2.close()
  })

  same('broadcast channels reach everybody but the sender', (log, require) => {
    const { isMainThread, Worker } = require('node:worker_threads')
    const channel = new BroadcastChannel('news')
    if (isMainThread) {
      const other = new BroadcastChannel('news')
      const heard: string[] = []
      const listen = (name: string, each: any) => {
        each.onmessage = ({ data }: any) => {
          heard.push(`${name} ${data}`)
          if (data !== 'from the thread') return
          each.close()
          try {
            each.postMessage('late')
          } catch (error: any) {
            log(error.name, error.message)
          }
          if (heard.length === 3) log(heard.sort())
        }
      }
      listen('first', channel)
      listen('other', other)
      channel.postMessage('hello')
      new Worker(__filename).on('exit', (code: number) => setTimeout(() => log('exit', code), 500))
    } else {
      channel.postMessage('from the thread')
      channel.close()
    }
  })
})
