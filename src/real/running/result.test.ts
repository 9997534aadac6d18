import { describe, expect, it } from 'vitest'
import { conclude } from '../../checkers/result.ts'
import type { RealFaultRecord } from '../nemeses/nemesis.ts'
import { doubtsOf, verdictOf } from './result.ts'

const scope = { operations: 1, ignored: 0, functions: [] }
const valid = conclude({ checker: 'c', scope, checks: 1, anomalies: [] })
const operations = [{ f: 'read', ok: 3, fail: 0, info: 0 }]
const fault: RealFaultRecord = {
  id: 1,
  nemesis: 'kill',
  family: 'reboot',
  group: 'process',
  text: 'kill n1',
  targets: ['n1'],
  beginUs: 0,
  endUs: 1,
  injector: 'SIGKILL',
  victim: 'n1 ended',
  landed: true,
}
const good = { operations, checks: [valid], invariants: [], faults: [fault], nemeses: ['kill'] }

describe('the verdict of a real run', () => {
  it('is held when something was checked and every fault landed', () => {
    const doubts = doubtsOf(good)
    expect(doubts).toEqual([])
    expect(verdictOf({ failures: [], doubts })).toBe('held')
  })

  it.each([
    [
      'a fault that did not land',
      { faults: [fault, { ...fault, id: 2, landed: false, victim: null }] },
      'fault #2',
    ],
    ['a nemesis that never struck', { nemeses: ['kill', 'pause'] }, 'pause found no moment'],
    ['no operation that succeeded', { operations: [{ f: 'read', ok: 0, fail: 3, info: 1 }] }, 'no operation'],
    ['nothing checked', { checks: [] }, 'nothing was checked'],
    [
      'a checker that gave up',
      { checks: [conclude({ checker: 'c', scope, checks: 1, anomalies: [], doubt: 'too long' })] },
      'c is unknown: too long',
    ],
  ])('is unknown with %s', (_, change, doubt) => {
    const doubts = doubtsOf({ ...good, ...change })
    expect(doubts.join()).toContain(doubt)
    expect(verdictOf({ failures: [], doubts })).toBe('unknown')
  })

  it('is violated whatever is doubted, and a mistake in the simulation violates nothing', () => {
    const failure = { title: 't', message: 'm', timeUs: 0 }
    expect(verdictOf({ failures: [{ ...failure, category: 'invariant' }], doubts: ['?'] })).toBe('violated')
    expect(verdictOf({ failures: [{ ...failure, category: 'mistake' }], doubts: [] })).toBe('unknown')
    expect(verdictOf({ failures: [{ ...failure, category: 'workload' }], doubts: [] })).toBe('unknown')
  })
})
