import { describe, expect, it } from 'vitest'
import { History } from '../../history/history.ts'
import type { HistoryEvent } from '../../history/operation.ts'
import { everyRun, sequence, types, type CorrectObject } from '../histories.test-support.ts'
import { lock } from './lock.ts'

const acquire = (process: number, output: unknown = true) => ({ f: 'acquire', process, output })
const release = (process: number, type: 'ok' | 'fail' | 'info' = 'ok') => ({ f: 'release', process, type })

interface LockState {
  holder: number | null
  fence: number
}

const correctLock: CorrectObject<LockState> = {
  init: () => ({ holder: null, fence: 0 }),
  ask: (draw) => (draw % 2 === 0 ? { f: 'acquire' } : { f: 'release' }),
  apply(state, f, _, process) {
    if (f === 'release') {
      if (state.holder === process) state.holder = null
      return null
    }
    if (state.holder !== null) return false
    state.holder = process
    return ++state.fence
  },
}

describe('lock', () => {
  it('is valid when holders take turns', () => {
    const history = sequence(
      acquire(1),
      release(1),
      acquire(2, false),
      acquire(2),
      release(2, 'info'),
      acquire(1),
    )
    expect(lock(history).verdict).toBe('valid')
  })

  it('finds two holders at once', () => {
    const result = lock(sequence(acquire(1), acquire(2)))
    expect([result.verdict, types(result)]).toEqual(['invalid', ['not-exclusive']])
    expect(result.anomalies[0].message).toBe('process 2 acquired the lock while process 1 held it')
  })

  it('finds two holders when a third came and went between', () => {
    const history = sequence(
      acquire(1),
      { ...acquire(2), key: 'b' },
      { ...release(2), key: 'b' },
      acquire(3),
      release(1),
    )
    expect(types(lock(history))).toEqual(['not-exclusive'])
  })

  it('keeps locks of different keys apart', () => {
    expect(lock(sequence({ ...acquire(1), key: 'a' }, { ...acquire(2), key: 'b' })).verdict).toBe('valid')
  })

  it('takes an unknown acquire as no proof, and any release as the end of certainty', () => {
    const unknown = { f: 'acquire', process: 1, type: 'info' as const }
    expect(lock(sequence(unknown, acquire(2))).verdict).toBe('valid')
    for (const type of ['info', 'fail'] as const) {
      expect(lock(sequence(acquire(1), release(1, type), acquire(2))).verdict).toBe('valid')
    }
  })

  it('trusts nothing that a client acquires after a release that may still happen, unless that names its token', () => {
    const again = [acquire(1, 2), acquire(2, 3)]
    expect(lock(sequence(acquire(1, 1), release(1, 'info'), ...again)).verdict).toBe('valid')
    const named = { ...release(1, 'info'), input: { fence: 1 } }
    expect(types(lock(sequence(acquire(1, 1), named, ...again)))).toEqual(['not-exclusive'])
  })

  it('lets the holder of a reentrant lock in again, until as many releases', () => {
    const twice = [acquire(1), acquire(1), release(1)]
    expect(types(lock(sequence(...twice)))).toEqual(['not-exclusive'])
    expect(lock(sequence(...twice, release(1), acquire(2)), { reentrant: true }).verdict).toBe('valid')
    expect(types(lock(sequence(...twice, acquire(2)), { reentrant: true }))).toEqual(['not-exclusive'])
  })

  it.each([
    ['smaller', 3],
    ['equal', 4],
  ])('finds a fencing token that is %s', (_, fence) => {
    const result = lock(sequence(acquire(1, { fence: 4 }), release(1), acquire(2, { fence })))
    expect(types(result)).toEqual(['fence-not-monotonic'])
  })

  it('finds an old fencing token that is still accepted', () => {
    const write = (process: number, token: number) => ({ f: 'write', process, input: { token } })
    const before = [acquire(1, 1), release(1), acquire(2, 2)]
    expect(types(lock(sequence(...before, write(2, 2), write(1, 1))))).toEqual(['stale-fence-accepted'])
    expect(lock(sequence(...before, write(1, 1), write(2, 2), write(2, 2))).verdict).toBe('valid')
    const refused = { ...write(1, 1), type: 'fail' as const }
    expect(lock(sequence(...before, write(2, 2), refused)).verdict).toBe('valid')
  })

  it('is unknown when clients have no names', () => {
    const events: HistoryEvent[] = [{ type: 'ok', f: 'acquire', value: true }]
    expect(lock(History.from(events)).reason).toContain('which client ran it')
  })

  it('never calls a correct lock invalid', () => {
    everyRun(correctLock, (history) => expect(lock(history).anomalies).toEqual([]))
  })

  it('agrees with comparing every two holdings, on a lock that forgets its holder', () => {
    const forgetful: CorrectObject<LockState> = {
      ...correctLock,
      apply: (state, f, input, process, key) => {
        if (state.fence % 3 === 2 && f === 'acquire') state.holder = null
        return correctLock.apply(state, f, input, process, key)
      },
    }
    let violations = 0
    everyRun(forgetful, (history) => {
      const found = lock(history).verdict === 'invalid'
      if (found) violations++
      expect(found).toBe(overlap(history))
    })
    expect(violations).toBeGreaterThan(0)
  })
})

/** Whether two certain holdings overlap, by looking at all pairs. */
function overlap(history: History): boolean {
  const ops = [...history.operations()]
  const holdings = ops.flatMap((op) => {
    if (op.f !== 'acquire' || op.type !== 'ok' || op.output === false) return []
    const doubtful = ops.some(
      ({ f, type, process, invokeIndex }) =>
        f === 'release' && type === 'info' && process === op.process && invokeIndex < op.completeIndex!,
    )
    if (doubtful) return []
    const ends = ops
      .filter(
        ({ f, process, invokeIndex }) =>
          f === 'release' && process === op.process && invokeIndex > op.completeIndex!,
      )
      .map(({ invokeIndex }) => invokeIndex)
    return [{ from: op.completeIndex!, until: Math.min(Number.POSITIVE_INFINITY, ...ends) }]
  })
  return holdings.some((a, i) => holdings.some((b, j) => j > i && a.from < b.until && b.from < a.until))
}

describe('lease', () => {
  const ttlUs = 100

  it('ends by itself', () => {
    const idle = { f: 'nothing', us: 200 }
    expect(lock(sequence(acquire(1), idle, acquire(2)), { ttlUs }).verdict).toBe('valid')
    expect(types(lock(sequence(acquire(1), acquire(2)), { ttlUs }))).toEqual(['not-exclusive'])
  })

  it('lasts longer when it is renewed', () => {
    const renew = { f: 'renew', process: 1 }
    const history = sequence(
      acquire(1),
      { f: 'nothing', us: 60 },
      renew,
      { f: 'nothing', us: 60 },
      acquire(2),
    )
    expect(types(lock(history, { ttlUs }))).toEqual(['not-exclusive'])
  })

  it('is unknown without times', () => {
    const events: HistoryEvent[] = [
      { type: 'invoke', process: 1, f: 'acquire' },
      { type: 'ok', process: 1, f: 'acquire', value: true },
    ]
    expect(lock(History.from(events), { ttlUs }).reason).toContain('too weak for this checker because')
  })
})
