import { describe, expect, it } from 'vitest'
import { takeInternals } from '../library/internals.ts'
import type { ProcessFunction } from './program-options.ts'
import { runOne, runPrograms } from './programs.test-support.ts'

describe('an uncaught exception', () => {
  it('ends the process with code 1 and prints its stack', async () => {
    const { stderr, exit } = await runOne(({ process, globalThis: global }) => {
      process.on('exit', (code) => process.stdout.write(`exit ${code}`))
      global.setTimeout(() => {
        throw new Error('boom')
      }, 1)
    })
    expect(stderr).toMatch(/^Error: boom\n {4}at /)
    expect(exit).toEqual({ code: 1, signal: null })
  })

  it('is survived with a handler, and the rest of the turn goes on', async () => {
    const { stdout, exit } = await runOne(({ process, globalThis: global }) => {
      process.on('uncaughtException', (error, origin) => process.stdout.write(`${error.message} ${origin}\n`))
      global.setTimeout(() => {
        throw new Error('first')
      }, 1)
      global.setTimeout(() => process.stdout.write('second\n'), 1)
      process.nextTick(() => {
        throw new Error('tick')
      })
      process.nextTick(() => process.stdout.write('next tick\n'))
    })
    expect(stdout).toBe('tick uncaughtException\nnext tick\nfirst uncaughtException\nsecond\n')
    expect(exit?.code).toBe(0)
  })

  it('in its own handler ends the process with code 7', async () => {
    const { exit } = await runOne(({ process }) => {
      process.on('uncaughtException', () => {
        throw new Error('again')
      })
      throw new Error('once')
    })
    expect(exit).toEqual({ code: 7, signal: null })
  })
})

describe('an unhandled rejection', () => {
  it('ends the process as an exception does', async () => {
    const { stderr, exit } = await runOne(({ globalThis: global }) => {
      void global.Promise.reject(new Error('not handled'))
    })
    expect(stderr).toContain('Error: not handled')
    expect(exit).toEqual({ code: 1, signal: null })
  })

  it('is reported to its handler, and not when it was handled in time', async () => {
    const { stdout, exit } = await runOne(({ process }) => {
      process.on('unhandledRejection', (reason: any) => process.stdout.write(`unhandled ${reason.message}\n`))
      Promise.reject(new Error('a')).catch(() => process.stdout.write('caught\n'))
      void Promise.reject(new Error('b'))
    })
    expect(stdout).toBe('caught\nunhandled b\n')
    expect(exit?.code).toBe(0)
  })
})

describe('a process that has exited', () => {
  it('does nothing any more, even if its code goes on', async () => {
    const { stdout, exit } = await runOne(({ process, globalThis: global }) => {
      process.nextTick(() => process.stdout.write('a tick'))
      void global.Promise.resolve().then(() => process.stdout.write('a microtask'))
      global.setTimeout(() => process.stdout.write('a timer'), 0)
      process.stdout.write('before')
      try {
        process.exit(3)
      } catch {
        process.stdout.write('caught')
      } finally {
        process.stdout.write('finally')
      }
    })
    expect(stdout).toBe('before')
    expect(exit).toEqual({ code: 3, signal: null })
  })

  it('takes its exit code from process.exitCode, and lets exit handlers change it', async () => {
    const { exit } = await runOne(({ process }) => {
      process.exitCode = 4
      process.on('exit', (code) => {
        process.exitCode = code + 1
      })
    })
    expect(exit?.code).toBe(5)
  })

  it('emits beforeExit until nothing new comes up', async () => {
    const { stdout } = await runOne(({ process, globalThis: global }) => {
      let rounds = 0
      process.on('beforeExit', () => {
        process.stdout.write(`${++rounds} `)
        if (rounds < 3) global.setTimeout(() => {}, 1)
      })
    })
    expect(stdout).toBe('1 2 3 ')
  })
})

describe('what a process has rejected', () => {
  it('is its own: its mode, what is pending, and who listens', async () => {
    const late = (): Promise<void> => {
      const rejection = Promise.reject(new Error('late'))
      setTimeout(() => rejection.catch(() => {}), 1)
      return rejection
    }
    const { stdout, stderr, exits } = await runPrograms({
      warns: {
        execArgv: ['--unhandled-rejections=warn'],
        entry: () => void late(),
      },
      hears: ({ process }) => {
        process.on('unhandledRejection', (error: Error) => process.stdout.write(`${error.message} `))
        process.on('rejectionHandled', () => process.stdout.write('handled'))
        void late()
      },
      captures: ({ process }) => {
        process.setUncaughtExceptionCaptureCallback((error) => process.stdout.write(error.message))
        throw new Error('captured')
      },
      dies: ({ globalThis: global }) => {
        global.setTimeout(() => void Promise.reject(new Error('last')), 10)
      },
    })
    expect(stderr.warns).toMatch(
      /UnhandledPromiseRejectionWarning: Error: late[^]*PromiseRejectionHandledWarning/,
    )
    expect([stdout.hears, stderr.hears]).toEqual(['late handled', ''])
    expect([stdout.captures, stderr.captures]).toEqual(['captured', ''])
    expect(stderr.dies).toMatch(/^Error: last/)
    expect(Object.values(exits).map((exit) => exit?.code)).toEqual([0, 0, 0, 1])
  })

  it('and resolved twice is reported to listeners, with a warning in each process', async () => {
    const { natives } = takeInternals().internalBinding('builtins')
    const isTold = (natives['internal/process/promises'] as string).includes('multipleResolves')
    const listens: ProcessFunction = ({ process }) => {
      const events = process as NodeJS.EventEmitter
      events.on('multipleResolves', (type) => process.stdout.write(String(type)))
      void new Promise<void>((resolve) => {
        resolve()
        resolve()
      })
    }
    const { stdout, stderr } = await runPrograms({
      one: listens,
      deaf: () =>
        void new Promise<void>((resolve) => {
          resolve()
          resolve()
        }),
      two: listens,
    })
    expect(stdout).toEqual({ one: isTold ? 'resolve' : '', deaf: '', two: isTold ? 'resolve' : '' })
    expect([stderr.one, stderr.two].map((text) => text.includes('DEP0160'))).toEqual([isTold, isTold])
  })
})
