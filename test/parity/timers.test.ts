/** Order: ticks, promises, timers, immediates, I/O, and what a throw does to each of them. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('timers, ticks and promises run in the same order', () => {
  same('ticks before promises before timers, from the main script', (log) => {
    setTimeout(() => log('timeout'), 1)
    void Promise.resolve().then(() => log('promise'))
    queueMicrotask(() => log('microtask'))
    process.nextTick(() => {
      log('tick')
      void Promise.resolve().then(() => log('promise of a tick'))
      process.nextTick(() => log('tick of a tick'))
    })
    process.on('exit', (code) => log('exit', code))
    process.on('beforeExit', () => log('beforeExit'))
  })

  same('immediates before timers, from an I/O callback', (log, require) => {
    require('node:fs').readFile(__filename, () => {
      setTimeout(() => log('timeout'), 0)
      setImmediate(() => log('immediate'))
      process.nextTick(() => log('tick'))
      void Promise.resolve().then(() => log('promise'))
    })
  })

  same('ticks and promises between two immediates and between two timers', (log) => {
    const two = (name: string) => {
      log(name)
      process.nextTick(() => log(`${name} tick`))
      void Promise.resolve().then(() => log(`${name} promise`))
    }
    setImmediate(two, 'immediate 1')
    setImmediate(two, 'immediate 2')
    setTimeout(two, 20, 'timer 1')
    setTimeout(two, 20, 'timer 2')
  })

  same('an immediate made by an immediate waits for the next turn', (log) => {
    setImmediate(() => {
      log('first')
      setImmediate(() => log('third'))
    })
    setImmediate(() => log('second'))
  })

  same('timers of one duration in the order of their creation, others by their due time', (log) => {
    for (const [name, ms] of [
      ['c', 30],
      ['a', 10],
      ['b', 10],
      ['d', 31],
    ] as const)
      setTimeout(log, ms, name)
  })

  same('a cleared timer or immediate does not run, even when another of its list clears it', (log) => {
    const second = setTimeout(() => log('never'), 1_000)
    setTimeout(() => clearTimeout(second), 1)
    const immediate = setImmediate(() => log('never'))
    clearImmediate(immediate)
    const third = setImmediate(() => {
      log('clears the next')
      clearImmediate(fourth)
    })
    const fourth = setImmediate(() => log('never'))
    void third
    const interval = setInterval(() => {
      log('interval')
      clearInterval(interval)
    }, 2)
  })

  same('an unref’d timer does not keep the process', (log) => {
    const timer = setTimeout(() => log('never'), 10_000).unref()
    log(timer.hasRef(), timer.ref().hasRef(), timer.unref().hasRef())
    const interval = setInterval(() => log('never'), 10_000)
    interval.unref()
    process.on('exit', () => log('exit'))
  })

  same('refresh starts a timer anew', (log) => {
    const timer = setTimeout(() => log('refreshed'), 1_000)
    setTimeout(() => timer.refresh(), 500)
    setTimeout(() => log('between'), 1_250)
  })

  same('after a throw the rest of the queue goes on', (log) => {
    process.on('uncaughtException', (error) => log('caught', error.message))
    setImmediate(() => {
      process.nextTick(() => log('tick of the thrower'))
      throw new Error('immediate')
    })
    setImmediate(() => log('next immediate'))
    setTimeout(() => {
      throw new Error('timer')
    }, 500)
    setTimeout(() => log('next timer'), 500)
  })

  same('after a throw in a tick or a microtask the others run', (log) => {
    process.on('uncaughtException', (error) => log('caught', error.message))
    process.nextTick(() => {
      throw new Error('tick')
    })
    process.nextTick(() => log('next tick'))
    queueMicrotask(() => {
      throw new Error('microtask')
    })
    queueMicrotask(() => log('next microtask'))
  })

  same('an uncaught exception ends the process with 1, a rejection too', (log) => {
    process.on('exit', (code) => log('exit', code))
    process.on('uncaughtExceptionMonitor', (error, origin) => log(error.message, origin))
    setTimeout(() => log('never'), 50)
    void Promise.reject(new Error('rejected'))
  })

  same('rejections are told when ticks and promises are done', (log) => {
    process.on('unhandledRejection', (reason) => log('unhandled', reason))
    process.on('rejectionHandled', () => log('handled later'))
    const promise = Promise.reject('late')
    void Promise.reject('in time').catch((reason) => log('caught', reason))
    process.nextTick(() => log('tick'))
    setTimeout(() => void promise.catch(() => log('caught late')), 5)
  })

  same('beforeExit may start new work, exit may not', (log) => {
    let rounds = 0
    process.on('beforeExit', (code) => {
      log('beforeExit', code)
      if (rounds++ < 2) setTimeout(() => log('more'), 1)
    })
    process.on('exit', (code) => {
      log('exit', code)
      setTimeout(() => log('never'), 0)
      process.nextTick(() => log('never'))
    })
    process.exitCode = 3
  })

  same('timers/promises: values, intervals, abort', async (log, require) => {
    const timers = require('node:timers/promises')
    log(await timers.setTimeout(5, 'value'), await timers.setImmediate('now'))
    let n = 0
    for await (const value of timers.setInterval(2, 'tick')) {
      log(value)
      if (++n === 3) break
    }
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('enough')), 5)
    await timers
      .setTimeout(10_000, null, { signal: controller.signal })
      .catch((error: any) => log(error.name, error.code, error.message, error.cause?.message))
    await timers.scheduler.wait(3)
    log('waited')
  })

  same('durations out of range become one millisecond', (log) => {
    for (const ms of [-1, 0, Number.NaN, 2 ** 31, Infinity, 1.5])
      log(ms, (setTimeout(() => {}, ms) as any)._idleTimeout)
  })

  same('process.nextTick starves everything else, as long as it goes on', (log) => {
    let n = 0
    setImmediate(() => log('immediate after', n))
    const again = () => {
      if (++n < 100) process.nextTick(again)
    }
    again()
  })
})
