import { describe, expect, it } from 'vitest'
import { runOne, runPrograms } from '../process/programs.test-support.ts'
import type { ProcessContext } from '../process/program-options.ts'
import { NodeThread } from './thread.ts'

const toJson = ({ process }: ProcessContext): void => {
  // oxlint-disable-next-line no-extend-native -- the statement of many programs
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    value(this: bigint) {
      return String(this)
    },
  })
  process.stdout.write(JSON.stringify([1n]))
}

describe('a change that is made for good', () => {
  it('succeeds in every process of a world, and in every world', async () => {
    for (let world = 0; world < 2; world++) {
      const { stdout, stderr } = await runPrograms({ one: toJson, two: toJson })
      expect({ stdout, stderr }).toEqual({
        stdout: { one: '["1"]', two: '["1"]' },
        stderr: { one: '', two: '' },
      })
      expect(NodeThread.get().endWorld()).toEqual([{ path: 'BigInt.prototype.toJSON', kind: 'added' }])
    }
    expect('toJSON' in BigInt.prototype).toBe(false)
  })

  it('is a frozen prototype in its world, and none in the next', async () => {
    const { stdout } = await runOne(({ process }) => {
      Object.freeze(Map.prototype)
      let refusal = ''
      try {
        // oxlint-disable-next-line no-extend-native -- which is refused
        Map.prototype.get = () => undefined
      } catch (error) {
        refusal = (error as Error).name
      }
      process.stdout.write(
        `${Object.isFrozen(Map.prototype)} ${Object.isExtensible(Map.prototype)} ${refusal}`,
      )
    })
    expect(stdout).toBe('true false TypeError')
    expect(NodeThread.get().endWorld().length).toBeGreaterThan(5)
    expect(Object.isFrozen(Map.prototype)).toBe(false)
    expect(Object.getOwnPropertyDescriptor(Map.prototype, 'get')!.writable).toBe(true)
    expect(NodeThread.get().isStained).toBe(false)
  })

  it('is noticed when old methods make an accessor that gives the same value', async () => {
    const { stdout } = await runOne(({ process }) => {
      const { values } = Set.prototype
      ;(Set.prototype as any).__defineGetter__('values', () => values)
      process.stdout.write(String(new Set([1]).values().next().value))
    })
    expect(stdout).toBe('1')
    expect(NodeThread.get().endWorld()).toEqual([{ path: 'Set.prototype.values', kind: 'changed' }])
    expect(Object.getOwnPropertyDescriptor(Set.prototype, 'values')).toMatchObject({ enumerable: false })
  })

  it('is noticed when a stack is put on a function', async () => {
    await runOne(() => Error.captureStackTrace(Math.max))
    expect(NodeThread.get().endWorld()).toEqual([{ path: 'Math.max.stack', kind: 'added' }])
    expect('stack' in Math.max).toBe(false)
  })

  it('differs from an ordinary mistake, whose error has no frame of ours', async () => {
    const { stderr } = await runOne(() => {
      Object.defineProperty(Object.freeze({}), 'x', { value: 1 })
    })
    expect(stderr).toContain('Cannot define property x, object is not extensible')
    expect(stderr).not.toContain('own-members')
  })

  it('ends the thread where nothing can put it back', async () => {
    const { stdout } = await runOne(({ require, process }) => {
      // A context has functions of the engine's own.
      require('vm').runInNewContext('Object').defineProperty(WeakSet.prototype, 'stain', { value: 1 })
      process.stdout.write('done')
    })
    expect(stdout).toBe('done')
    expect(NodeThread.get().endWorld()).toEqual([
      { path: 'WeakSet.prototype.stain', kind: 'added', forGood: true },
    ])
    await expect(runOne(() => {})).rejects.toMatchObject({ code: 'ERR_WAVETANK_STAINED' })
  })
})
