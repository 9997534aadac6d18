import { describe, expect, it } from 'vitest'
import { UsageError } from '../../kernel/errors.ts'
import { thrownData, thrownOf } from './thrown.ts'

const sent = (thrown: unknown): Error => thrownOf(structuredClone(thrownData(4, thrown)))

describe('what was thrown in another thread', () => {
  it('keeps its class where it is a user’s mistake, its name and code otherwise, and says where it was', () => {
    const usage = sent(new UsageError('ERR_WAVETANK_RACE_TITLE', 'no such race'))
    expect(usage).toBeInstanceOf(UsageError)
    expect(usage).toMatchObject({
      code: 'ERR_WAVETANK_RACE_TITLE',
      message: 'no such race (schedule 4, in a worker thread)',
    })
    const unsupported = Object.assign(new TypeError('not here'), { code: 'ERR_WAVETANK_UNSUPPORTED' })
    expect(sent(unsupported)).toMatchObject({ name: 'TypeError', code: 'ERR_WAVETANK_UNSUPPORTED' })
  })

  it('has the stack of the place where it was thrown', () => {
    const { stack } = sent(new Error('broken'))
    expect(stack).toMatch(
      /^Error: broken \(schedule 4, in a worker thread\)\n {4}at .*thrown\.test\.ts:\d+:\d+/,
    )
  })

  it('need not be an error', () => {
    expect(sent({ broken: true }).message).toBe('{ broken: true } (schedule 4, in a worker thread)')
  })
})
