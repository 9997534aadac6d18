import type { AsyncLocalStorage } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { runOne, runPrograms } from '../process/programs.test-support.ts'
import { NodeThread } from './thread.ts'

describe('settings that programs assign', () => {
  it('are each process’s own, and gone with it', async () => {
    const facts = ({ require, process, globalThis: global }: any): void => {
      const { inspect } = require('util')
      const values = [
        require('events').defaultMaxListeners,
        require('stream').getDefaultHighWaterMark(true),
        require('buffer').INSPECT_MAX_BYTES,
        inspect.defaultOptions.depth,
        global.Math.random() < 1,
        global.Date.now() > 5,
      ]
      process.stdout.write(`${values.join()} `)
    }
    const setting = (context: any): void => {
      const { require, globalThis: global } = context
      require('events').defaultMaxListeners = 3
      require('stream').setDefaultHighWaterMark(true, 4)
      require('buffer').INSPECT_MAX_BYTES = 5
      require('util').inspect.defaultOptions.depth = 6
      global.Math.random = () => 7
      global.Date.now = () => 2
      facts(context)
      global.setTimeout(() => facts(context), 20)
    }
    const plain = (context: any): void => {
      facts(context)
      context.globalThis.setTimeout(() => facts(context), 10)
      context.globalThis.setTimeout(() => facts(context), 30)
    }
    const before = EventEmitter.defaultMaxListeners
    const { stdout } = await runPrograms({ setting, plain })
    const own = '3,4,5,6,false,false '
    expect(stdout.setting).toBe(own.repeat(2))
    expect(new Set(stdout.plain.trim().split(' ')).size).toBe(1)
    expect(stdout.plain).toContain('true,true')
    expect(NodeThread.get().endWorld()).toEqual([])
    expect(EventEmitter.defaultMaxListeners).toBe(before)
  })

  it('include stores of AsyncLocalStorage, whose hook does not outlive its world', async () => {
    const ids = async (): Promise<string> =>
      (
        await runOne(async ({ require, process }) => {
          await Promise.resolve()
          process.stdout.write(`${require('async_hooks').executionAsyncId()}`)
        })
      ).stdout
    const before = await ids()
    await runOne(({ require, globalThis: global }) => {
      const store = new (require('async_hooks').AsyncLocalStorage as typeof AsyncLocalStorage)()
      store.run(1, () => global.setInterval(() => {}, 1_000_000).unref())
    })
    NodeThread.get().endWorld()
    expect(await ids()).toBe(before)
  })
})
