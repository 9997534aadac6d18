/** The process itself: how it ends and what is heard of it, errors nobody catches, signals, warnings, facts. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('process.binding', () => {
  same('gives out some bindings, warns of some each time, and knows no others', (log) => {
    process.on('warning', ({ name, message, code }: any) => log(name, code, message))
    const { binding } = process as unknown as { binding(name: string): object }
    for (const name of ['fs', 'http_parser', 'http_parser', 'url', 'util', 'natives', 'timers', 'nothing']) {
      try {
        log(name, typeof binding(name))
      } catch (error: any) {
        log(name, error.message)
      }
    }
  })
})

describe('the end', () => {
  same('beforeExit comes again as long as there is more to do; exit comes once', (log) => {
    let times = 0
    process.on('beforeExit', (code) => {
      log('beforeExit', code)
      if (++times < 3) setTimeout(() => log('more'), 1)
    })
    process.on('exit', (code) => {
      log('exit', code, process.exitCode)
      setTimeout(() => log('never'), 0)
      void Promise.resolve().then(() => log('never either'))
    })
  })

  same('exit stops at once, with the last code that was said', (log) => {
    process.on('beforeExit', () => log('never'))
    process.on('exit', (code) => {
      log('exit', code)
      process.exitCode = 41
    })
    process.exitCode = 5
    process.exit()
  })

  same('exit inside of exit changes the code and ends', (log) => {
    process.on('exit', (code) => {
      log('first', code)
      if (code === 1) process.exit(2)
    })
    process.on('exit', (code) => log('second', code))
    process.exit(1)
  })

  same('codes that are none are refused', (log) => {
    for (const code of ['a', 1.5, {}, true, '12', null, undefined, ''] as any[]) {
      try {
        process.exitCode = code
        log(code, 'taken', process.exitCode)
      } catch (error: any) {
        log(code, error.code, error.message)
      }
    }
    process.exitCode = 3
  })

  same('timers and servers that are not counted keep nobody alive', (log, require) => {
    setTimeout(() => log('never'), 50).unref()
    setInterval(() => log('never'), 50).unref()
    setImmediate(() => log('never')).unref()
    require('node:net').createServer().listen(0, '127.0.0.1').unref()
    process.on('exit', () => log('exit'))
  })
})

describe('errors nobody catches', () => {
  same('an uncaught exception ends with 1, after exit was told', (log) => {
    process.on('exit', (code) => log('exit', code))
    process.on('uncaughtExceptionMonitor', (error, origin) => log('monitor', error.message, origin))
    setTimeout(() => log('never'), 10)
    throw new Error('thrown')
  })

  same('a handler keeps the process alive, and hears the origin', (log) => {
    process.on('uncaughtException', (error, origin) => log(error.message ?? error, origin))
    setTimeout(() => {
      setImmediate(() => {
        throw new Error('in an immediate')
      })
      throw new Error('in a timer')
    }, 400)
    process.nextTick(() => {
      throw new Error('in a tick')
    })
    queueMicrotask(() => {
      throw new Error('in a microtask')
    })
    void Promise.reject(new Error('a rejection'))
    setTimeout(() => log('still here'), 800)
  })

  same('an unhandled rejection ends with 1', (log) => {
    process.on('exit', (code) => log('exit', code))
    setTimeout(() => log('never'), 10)
    void Promise.reject(new TypeError('rejected'))
    log('end of main')
  })

  same('unhandledRejection and rejectionHandled come when ticks are done', (log) => {
    process.on('unhandledRejection', (reason: any, promise) => {
      log('unhandled', reason.message, promise instanceof Promise)
      setTimeout(() => promise.catch(() => log('caught late')), 1)
    })
    process.on('rejectionHandled', () => log('handled'))
    const late = Promise.reject(new Error('first'))
    const quick = Promise.reject(new Error('quick'))
    process.nextTick(() => quick.catch(() => log('caught in a tick')))
    void late
  })

  same('values that are no errors can be thrown and rejected with', (log) => {
    process.on('uncaughtException', (error: unknown, origin) => {
      log(
        typeof error,
        error instanceof Error ? [error.name, (error as any).code, error.message] : error,
        origin,
      )
    })
    for (const value of [1, 'text', null, undefined, { a: 1 }]) {
      setImmediate(() => {
        throw value
      })
      setImmediate(() => void Promise.reject(value as any))
    }
  })

  same('a capture callback is asked first', (log) => {
    process.on('uncaughtException', () => log('never'))
    process.setUncaughtExceptionCaptureCallback((error: any) => log('captured', error.message))
    log(process.hasUncaughtExceptionCaptureCallback())
    setImmediate(() => {
      throw new Error('late')
    })
  })
})

describe('signals', () => {
  same('a handled signal is an event; its handler keeps nobody alive', async (log) => {
    for (const signal of ['SIGUSR2', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGWINCH'] as const) {
      const heard = new Promise((resolve) => process.once(signal, (...values) => resolve(values)))
      const waiting = setTimeout(() => {}, 10_000)
      log(process.kill(process.pid, signal), await heard)
      clearTimeout(waiting)
    }
    process.on('SIGUSR2', () => {})
  })

  same('a signal without a handler ends the process', (log) => {
    process.on('exit', () => log('never'))
    log('before')
    setTimeout(() => log('never'), 10_000)
    process.kill(process.pid, 'SIGTERM')
  })

  same('a handler that is removed leaves the default', (log) => {
    const handler = () => log('heard')
    process.on('SIGHUP', handler)
    process.off('SIGHUP', handler)
    setTimeout(() => log('never'), 10_000)
    log('before')
    process.kill(process.pid, 'SIGHUP')
  })

  same('mistakes of kill', (log) => {
    for (const [pid, signal] of [
      [process.pid, 0],
      [999_999_999, 0],
      [process.pid, 'SIGNONSENSE'],
      [process.pid, 'sigterm'],
      ['x', 'SIGTERM'],
      [process.pid, 1234],
    ] as [any, any][]) {
      try {
        log(process.kill(pid, signal))
      } catch (error: any) {
        log(error.code, error.syscall, error.message)
      }
    }
  })

  same('SIGKILL and SIGSTOP cannot be listened to', (log) => {
    for (const signal of ['SIGKILL', 'SIGSTOP'] as any[]) {
      try {
        process.on(signal, () => {})
        log('listens')
      } catch (error: any) {
        log(error.code, error.errno, error.syscall, error.message)
      }
    }
  })
})

describe('facts', () => {
  same('warnings are events, deprecations once', async (log) => {
    process.on('warning', ({ name, message, code, detail }: any) => log(name, message, code, detail))
    process.emitWarning('plain')
    process.emitWarning('typed', 'CustomWarning', 'W001')
    process.emitWarning('old', 'DeprecationWarning', 'DEP9999')
    process.emitWarning('old', 'DeprecationWarning', 'DEP9999')
    process.emitWarning('detailed', { type: 'Detail', code: 'W2', detail: 'more' })
    process.emitWarning(new RangeError('an error'))
    log('after')
    await new Promise((resolve) => setImmediate(resolve))
  })

  same('environment variables are strings', (log) => {
    const env: any = process.env
    env.NUMBER = 1
    env.UNDEFINED = undefined
    env.EMPTY = ''
    log(
      env.NUMBER,
      env.UNDEFINED,
      [env.EMPTY],
      env.MISSING,
      'NUMBER' in env,
      delete env.NUMBER,
      'NUMBER' in env,
    )
    log(
      Object.keys(env)
        .filter((key) => /^(UNDEFINED|EMPTY|TZ)$/.test(key))
        .sort(),
    )
    try {
      env.SYMBOL = Symbol('s')
    } catch (error: any) {
      log(error.name, error.message)
    }
    log(Object.getOwnPropertyDescriptor(env, 'EMPTY'))
  })

  same('arguments, directories, masks, times', (log, require) => {
    const { basename } = require('node:path')
    log(process.argv.length, basename(process.argv[1]), process.execArgv, basename(process.argv[0]))
    log(process.cwd() === __dirname, process.platform, process.version === `v${process.versions.node}`)
    require('node:fs').mkdirSync('inner')
    process.chdir('inner')
    log(basename(process.cwd()))
    try {
      process.chdir('missing')
    } catch (error: any) {
      log(
        error.code,
        error.syscall,
        error.path === undefined,
        error.dest,
        error.message.split(' ').slice(0, 5),
      )
    }
    log(process.umask(0o27).toString(8).length > 0, process.umask().toString(8))
    const [seconds, nanoseconds] = process.hrtime()
    const after = process.hrtime([seconds, nanoseconds])
    log(after[0] >= 0, typeof process.hrtime.bigint(), process.uptime() > 0)
    log(Object.keys(process.memoryUsage()), Object.keys(process.resourceUsage()).length)
    log(Object.keys(process.cpuUsage()), process.stdin.isTTY, process.stdout.isTTY)
    log(
      Object.prototype.toString.call(process),
      typeof process.pid,
      process.config === Object(process.config),
    )
  })

  same('the order of ticks, microtasks, immediates and timers', (log) => {
    setImmediate(() => {
      log('immediate')
      setTimeout(() => log('timer'), 1)
    })
    process.nextTick((...values: unknown[]) => log('tick', ...values), 1, 2)
    queueMicrotask(() => {
      log('microtask')
      process.nextTick(() => log('tick of a microtask'))
    })
    void Promise.resolve().then(() => log('promise'))
    process.nextTick(() => {
      log('second tick')
      queueMicrotask(() => log('microtask of a tick'))
    })
    log('main')
  })

  same(
    'a process becomes another program, with its number and its streams (Node 22 and later)',
    (log, require) => {
      const net = require('node:net')
      if (!('execve' in process)) return log('Node has no execve yet')
      const { PORT, PID, STAGE = '1' } = process.env
      log('stage', STAGE, process.argv.slice(2), process.argv0 === 'called' || STAGE === '1')
      process.on('exit', (code) => log('exit', STAGE, code))
      const become = (args: string[], env: object): unknown =>
        (process as any).execve(process.execPath, ['called', process.argv[1], ...args], env)
      if (STAGE === '1') {
        const server = net.createServer().listen(0, '127.0.0.1', () => {
          become(['a', 'b'], { STAGE: '2', PORT: String(server.address().port), PID: String(process.pid) })
          log('never')
        })
      } else {
        log(process.pid === Number(PID), Object.keys(process.env).includes('PATH'))
        net.connect(Number(PORT), '127.0.0.1').on('error', ({ code }: any) => log(code))
      }
      for (const wrong of [
        () => become([1 as any], {}),
        () => become([], { A: 1 }),
        () => (process as any).execve(),
      ]) {
        try {
          wrong()
        } catch ({ code, message }: any) {
          log(code, message)
        }
      }
      return undefined
    },
  )
})

describe('the object', () => {
  same('begins with what the binary gives it', (log) => {
    const { binding, _linkedBinding } = process as any
    log(Object.keys(process).slice(0, 9))
    log(binding.name, binding.length, _linkedBinding.name, _linkedBinding.length)
    try {
      binding('nothing')
    } catch (error: any) {
      log(error.code, error.message)
    }
  })
})
