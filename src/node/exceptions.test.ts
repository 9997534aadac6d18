import { describe, expect, it } from 'vitest'
import { runOne } from './programs.test-support.ts'

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
      void global.Promise.reject(new Error('nobody cares'))
    })
    expect(stderr).toContain('Error: nobody cares')
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
