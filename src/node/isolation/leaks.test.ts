import { createRequire } from 'node:module'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { World } from '../../world/world.ts'
import { NodeProgram } from '../process/program.ts'
import type { ProcessContext } from '../process/program-options.ts'
import { runOne, runPrograms } from '../process/programs.test-support.ts'
import { NodeThread } from './thread.ts'

describe('what a program leaves behind in the thread', () => {
  it('is nothing when it behaves', async () => {
    await runOne(({ require, process }) => {
      require('net')
      require('http')
      process.stdout.write('x')
    })
    NodeThread.get().leaks.restore()
    await runOne(({ require, globalThis: global }) => {
      ;(global as any).mine = 1
      require('http').request = null
    })
    expect(NodeThread.get().leaks.restore()).toEqual([])
  })

  it('is found, put back and named', async () => {
    const { listen } = await listenOf()
    await runOne(({ require }) => {
      ;(Array.prototype as any).last = function () {}
      // oxlint-disable-next-line no-extend-native
      ;(String.prototype as any).anchor = () => 'broken' // which no test runner uses meanwhile
      require('net').Server.prototype.listen = () => 'patched'
    })
    const leaks = NodeThread.get().leaks.restore()
    expect(leaks).toContainEqual({ path: 'Array.prototype.last', kind: 'added' })
    expect(leaks).toContainEqual({ path: 'String.prototype.anchor', kind: 'changed' })
    expect(leaks).toContainEqual({ path: 'net.Server.prototype.listen', kind: 'changed' })
    expect('last' in []).toBe(false)
    expect(('a' as any).anchor('b')).toBe('<a name="b">a</a>')
    expect((await listenOf()).listen).toBe(listen)
  })

  it('is found in classes that the library keeps under a name of its own', async () => {
    const patching = ({ require, process }: ProcessContext): void => {
      const { Hash } = require('crypto')
      const { Console } = require('console')
      process.stdout.write(`${Hash.prototype.digest.name} ${typeof Console.prototype.mine}`)
      Hash.prototype.digest = function patched() {}
      Console.prototype.mine = () => {}
    }
    expect((await runOne(patching)).stdout).toBe('digest undefined')
    const leaks = NodeThread.get().leaks.restore()
    expect(leaks).toContainEqual({ path: 'internal/crypto/hash.Hash.prototype.digest', kind: 'changed' })
    expect(leaks).toContainEqual({
      path: 'internal/console/constructor.Console.prototype.mine',
      kind: 'added',
    })
    expect((await runOne(patching)).stdout).toBe('digest undefined')
    NodeThread.get().leaks.restore()
  })

  it('is none of what every load defines anew, also after the host has changed the same object', async () => {
    const world = async (): Promise<unknown> => {
      await runOne(({ require }) => void require('crypto'))
      return NodeThread.get().endWorld()
    }
    await world()
    await world() // crypto.constants is known to be shared
    const { constants } = createRequire(import.meta.url)('node:crypto') as {
      constants: Record<string, unknown>
    }
    constants['OF_THE_HOST'] = 1
    try {
      await nextTurn()
      expect(await world()).toEqual([])
      expect(await world()).toEqual([])
      await nextTurn()
      await runOne(({ require }) => (require('crypto').constants.mine = 2))
      expect(NodeThread.get().endWorld()).toEqual([{ path: 'crypto.constants.mine', kind: 'added' }])
    } finally {
      delete constants['OF_THE_HOST']
    }
  })

  it('is put back although a script declared it for good', async () => {
    const declare = () =>
      runOne(({ require, process }) => {
        const global = require('vm').runInThisContext('this') as Record<string, unknown>
        process.stdout.write(`${global['declared']} ${global['forgotten']} `)
        require('vm').runInThisContext('function declared() {}')
        require('vm').runInThisContext('forgotten = 1')
      })
    expect((await declare()).stdout).toBe('undefined undefined ')
    const leaks = NodeThread.get().endWorld()
    expect(leaks).toContainEqual({ path: 'globalThis.declared', kind: 'added' })
    expect(leaks).toContainEqual({ path: 'globalThis.forgotten', kind: 'added' })
    expect(NodeThread.get().endWorld()).toEqual([])
    expect((await declare()).stdout).toBe('undefined undefined ')
  })

  it('is found between two worlds of one macrotask, at whose end the host is as it was', async () => {
    const thread = NodeThread.get()
    await runOne(() => {})
    thread.endWorld()
    const math = () => Object.getOwnPropertyDescriptor(globalThis, 'Math')!
    const before = math()
    const found: unknown[] = []
    setImmediate(() => {
      for (const round of [1, 2]) {
        thread.burst(() => {
          found.push('leaked' in globalThis || 'hidden' in [], typeof math().get)
          ;(globalThis as Record<string, unknown>).leaked = round
          // oxlint-disable-next-line no-extend-native
          Object.defineProperty(Array.prototype, 'hidden', { value: round, configurable: true })
        })
        found.push(thread.endWorld().map(({ path }) => path))
      }
    })
    await new Promise((resolve) => setTimeout(resolve, 1))
    await new Promise((resolve) => setImmediate(resolve))
    const leaks = ['Array.prototype.hidden', 'globalThis.leaked']
    expect(found).toEqual([false, 'function', leaks, false, 'function', leaks])
    expect(math()).toEqual(before)
  })

  it('is found although it is what the search itself would use', async () => {
    const { ownKeys } = Reflect
    const { getOwnPropertyDescriptor, is } = Object
    await runOne(() => {
      Reflect.ownKeys = () => []
      Object.is = () => true
      Object.getOwnPropertyDescriptor = () => undefined
    })
    const paths = NodeThread.get()
      .endWorld()
      .map(({ path }) => path)
    expect(paths).toEqual(['Object.getOwnPropertyDescriptor', 'Object.is', 'Reflect.ownKeys'])
    expect(Reflect.ownKeys).toBe(ownKeys)
    expect(Object.getOwnPropertyDescriptor).toBe(getOwnPropertyDescriptor)
    expect(Object.is).toBe(is)
  })

  it('is reported once where it cannot be put back', async () => {
    await runOne(() => {
      Object.defineProperty(Error, '__madeForEver__', { value: 1 })
    })
    expect(NodeThread.get().endWorld()).toContainEqual({ path: 'Error.__madeForEver__', kind: 'added' })
    await runOne(() => {})
    expect(NodeThread.get().endWorld()).toEqual([])
  })

  it('is not its limit of stack frames, which every process has of its own', async () => {
    const host = Error.stackTraceLimit
    Error.stackTraceLimit = 77
    try {
      const { stdout } = await runPrograms({
        deep: ({ process, require }) => {
          Error.stackTraceLimit = 3
          require('timers').setTimeout(() => process.stdout.write(`${Error.stackTraceLimit}`), 10)
        },
        plain: ({ process, require }) => {
          require('timers').setTimeout(() => process.stdout.write(`${Error.stackTraceLimit}`), 20)
        },
      })
      expect(stdout).toEqual({ deep: '3', plain: '30' })
      expect(NodeThread.get().endWorld()).toEqual([])
      expect(Error.stackTraceLimit).toBe(77)
    } finally {
      Error.stackTraceLimit = host
    }
  })

  it('is not the limit of the host either, looked at before the host has its own again', async () => {
    const thread = NodeThread.get()
    const host = Error.stackTraceLimit
    Error.stackTraceLimit = 77
    try {
      const world = new World({ seed: 1 })
      world.addProcess('a', world.addHost('a'), new NodeProgram({ entry: () => {} })).start()
      thread.burst(() => world.kernel.run())
      expect(thread.endWorld()).toEqual([])
      await new Promise((resolve) => setImmediate(resolve))
      expect(Error.stackTraceLimit).toBe(77)
    } finally {
      Error.stackTraceLimit = host
    }
  })
})

/** The method that the next process finds. */
async function listenOf(): Promise<{ listen: unknown }> {
  let listen: unknown
  await runOne(({ require }) => {
    listen = require('net').Server.prototype.listen
  })
  return { listen }
}

describe('real I/O behind the back of the tank', () => {
  it('is an error that says where', async () => {
    const { createServer } = await import('node:net')
    const { stderr, exits } = await runPrograms({
      main: () => {
        createServer().listen(0)
      },
    })
    expect(stderr.main).toContain('process main reached tcp_wrap.TCP.bind6 of the real machine')
    expect(exits.main?.code).toBe(1)
  })
})
