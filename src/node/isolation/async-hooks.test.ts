import { createHook } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { runOne, runPrograms } from '../process/programs.test-support.ts'

describe('async hooks of a process', () => {
  it('see a resource from its beginning to its end, under ids counted by the process', async () => {
    const program = ({ require, process }: any): void => {
      const { createHook } = require('async_hooks')
      const seen: string[] = []
      const note = (what: string) => (id: number) => seen.push(`${what} ${id}`)
      createHook({
        init: (id: number, type: string) => seen.push(`init ${id} ${type}`),
        before: note('before'),
        after: note('after'),
        destroy: note('destroy'),
      }).enable()
      require('timers').setImmediate(() => {})
      // What writing itself makes comes after these.
      process.on('exit', () => {
        const before = seen.join('\n')
        process.stdout.write(before)
      })
    }
    const first = await runOne(program)
    const id = /^init (\d+) Immediate/.exec(first.stdout)![1]
    expect(first.stdout).toBe(`init ${id} Immediate\nbefore ${id}\nafter ${id}\ndestroy ${id}`)
    expect((await runOne(program)).stdout).toBe(first.stdout)
  })

  it('are its own: a run is the same whether the host has hooks or not', async () => {
    const program = ({ require, process }: any): void => {
      require('fs').writeFile('/tmp/a', 'x', () => {
        require('timers').setTimeout(() => process.stdout.write('done'), 5)
      })
    }
    const { hash, stdout } = await runPrograms({ main: program })
    const seen: number[] = []
    const ofHost = createHook({ init: () => {}, destroy: (id) => void seen.push(id) }).enable()
    try {
      expect((await runPrograms({ main: program })).hash).toBe(hash)
      await new Promise((resolve) => setImmediate(resolve))
    } finally {
      ofHost.disable()
    }
    expect(stdout.main).toBe('done')
    expect(seen.length).toBeGreaterThan(0)
  })

  it('handle what a callback throws in its scope', async () => {
    const { stdout } = await runOne(({ require, process }) => {
      const { AsyncLocalStorage } = require('async_hooks')
      const storage = new AsyncLocalStorage()
      process.on('uncaughtException', () => process.stdout.write(String(storage.getStore())))
      storage.run('mine', () => {
        require('dns').lookup('localhost', () => {
          throw new Error('thrown in a callback')
        })
      })
    })
    expect(stdout).toBe('mine')
  })
})
