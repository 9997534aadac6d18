/** Abort signals: their own events and reasons, and every API that takes one. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('signals', () => {
  same('abort once, with a reason, before and after listening', (log) => {
    const controller = new AbortController()
    const { signal } = controller
    signal.addEventListener('abort', (event) => log(event.type, event.isTrusted, event.target === signal))
    signal.onabort = () => log('onabort')
    controller.abort('why')
    controller.abort('again')
    log(signal.aborted, signal.reason)
    try {
      signal.throwIfAborted()
    } catch (reason) {
      log(reason)
    }
    const plain: any = AbortSignal.abort().reason
    log(plain.name, plain.code, plain.message, plain instanceof DOMException)
  })

  same('time-outs and combinations', async (log) => {
    const alive = setInterval(() => {}, 1_000)
    const timeout = AbortSignal.timeout(10)
    await new Promise((resolve) => timeout.addEventListener('abort', resolve))
    const reason: any = timeout.reason
    log(reason.name, reason.code, reason.message)
    const one = new AbortController()
    const two = new AbortController()
    const any = AbortSignal.any([one.signal, two.signal, AbortSignal.timeout(1_000)])
    any.addEventListener('abort', () => log('any', any.reason))
    two.abort('second')
    one.abort('first')
    clearInterval(alive)
    log(any.aborted, AbortSignal.any([]).aborted, AbortSignal.any([AbortSignal.abort('done')]).reason)
  })

  same('a time-out nobody waits for keeps nobody alive', (log) => {
    AbortSignal.timeout(60_000)
    const began = performance.now()
    process.on('exit', () => log(performance.now() - began < 30_000))
  })
})

describe('what takes a signal', () => {
  same('timers', async (log, require) => {
    const timers = require('node:timers/promises')
    const told = ({ name, code, message, cause }: any) => log(name, code, message, cause)
    for (const start of [
      (signal: AbortSignal) => timers.setTimeout(10_000, null, { signal }),
      (signal: AbortSignal) => timers.setImmediate(null, { signal }),
      (signal: AbortSignal) => timers.scheduler.wait(10_000, { signal }),
      async (signal: AbortSignal) => {
        for await (const _ of timers.setInterval(5, null, { signal })) log('tick')
      },
    ]) {
      await start(AbortSignal.abort('before')).catch(told)
      const controller = new AbortController()
      const waiting = start(controller.signal).catch(told)
      controller.abort('while')
      await waiting
    }
  })

  same('events', async (log, require) => {
    const { EventEmitter, on, once, addAbortListener } = require('node:events')
    const told = ({ name, code, message }: any) => log(name, code, message)
    const emitter = new EventEmitter()
    await once(emitter, 'x', { signal: AbortSignal.abort() }).catch(told)
    const controller = new AbortController()
    const waiting = once(emitter, 'x', { signal: controller.signal }).catch(told)
    const iterating = (async () => {
      for await (const values of on(emitter, 'y', { signal: controller.signal })) log(values)
    })().catch(told)
    emitter.emit('y', 1)
    addAbortListener?.(controller.signal, () => log('listener'))
    controller.abort()
    await Promise.all([waiting, iterating])
    log(emitter.listenerCount('x'), emitter.listenerCount('y'), emitter.listenerCount('error'))
    const target = new EventTarget()
    const removing = new AbortController()
    target.addEventListener('z', () => log('never'), { signal: removing.signal })
    removing.abort()
    target.dispatchEvent(new Event('z'))
  })

  same('streams', async (log, require) => {
    const { Readable, PassThrough, addAbortSignal, finished } = require('node:stream')
    const { pipeline } = require('node:stream/promises')
    const told = ({ name, code, message }: any) => log(name, code, message)
    const forever = () => new Readable({ read() {} })
    const controller = new AbortController()
    const waiting = pipeline(forever(), new PassThrough(), { signal: controller.signal }).catch(told)
    controller.abort()
    await waiting
    const stream = addAbortSignal(AbortSignal.abort(), forever())
    await new Promise((resolve) => stream.on('error', told).on('close', resolve))
    const other = new AbortController()
    finished(forever(), { signal: other.signal }, told)
    other.abort()
    await Readable.from([1, 2, 3])
      .map((n: number) => n, { signal: AbortSignal.abort() })
      .toArray()
      .catch(told)
    await new Promise((resolve) => setImmediate(resolve))
  })

  same('servers, requests and fetch', async (log, require) => {
    const http = require('node:http')
    const net = require('node:net')
    const closing = new AbortController()
    const server = http.createServer((request: any) => request.on('close', () => log('server saw it close')))
    server.on('close', () => log('server closed'))
    server.listen({ port: 0, host: '127.0.0.1', signal: closing.signal })
    await new Promise((resolve) => server.on('listening', resolve))
    const url = `http://127.0.0.1:${server.address().port}/`
    const controller = new AbortController()
    const request = http.get(url, { signal: controller.signal })
    server.once('request', () => controller.abort(new Error('enough')))
    await new Promise<void>((resolve) => {
      request.on('error', ({ name, code, message, cause }: any) => {
        log('request', name, code, message, cause?.message)
        resolve()
      })
    })
    const second = new AbortController()
    server.once('request', () => second.abort())
    await fetch(url, { signal: second.signal }).catch(({ name, code, message }: any) =>
      log('fetch', name, code, message),
    )
    await fetch(url, { signal: AbortSignal.abort(new Error('mine')) }).catch(({ message }: any) =>
      log('fetch', message),
    )
    await fetch(url, { signal: AbortSignal.timeout(500) }).catch(({ name }: any) => log('fetch', name))
    const socket = net.connect({
      port: server.address().port,
      host: '127.0.0.1',
      signal: AbortSignal.abort(),
    })
    await new Promise<void>((resolve) => {
      socket.on('error', ({ name, code }: any) => {
        log('socket', name, code)
        resolve()
      })
    })
    closing.abort()
    server.closeAllConnections()
  })

  same('datagrams, lines and exec', async (log, require) => {
    const controller = new AbortController()
    const socket = require('node:dgram').createSocket({ type: 'udp4', signal: controller.signal })
    socket.on('close', () => log('closed'))
    socket.bind(0, () => controller.abort())
    await new Promise((resolve) => socket.on('close', resolve))
    const { PassThrough } = require('node:stream')
    const ending = new AbortController()
    const lines = require('node:readline').createInterface({
      input: new PassThrough(),
      signal: ending.signal,
    })
    lines.on('close', () => log('lines closed'))
    ending.abort()
    const { execFile } = require('node:child_process')
    const stopping = new AbortController()
    const child = execFile(
      process.execPath,
      ['-e', 'setInterval(() => {}, 1000)'],
      { signal: stopping.signal },
      ({ name, code }: any) => log('exec', name, code),
    )
    child.on('spawn', () => stopping.abort())
    child.on('exit', (code: number, signal: string) => log('exit', code, signal))
  })
})
