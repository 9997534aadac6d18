import { describe, expect, it } from 'vitest'
import { conclude } from '../../checkers/result.ts'
import type { RealFaultRecord } from '../nemeses/nemesis.ts'
import { EventLog } from '../../sim/authoring/event-log.ts'
import { doubtsOf, successesInTime, verdictOf } from './result.ts'

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
    const doubts = doubtsOf(good, { okInTime: 1 })
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
    [
      'a kind of operation that never succeeded',
      { operations: [...operations, { f: 'write', ok: 0, fail: 0, info: 30 }] },
      "operation 'write' never succeeded (0 failed, 30 unknown",
    ],
    ['nothing checked', { checks: [] }, 'nothing was checked'],
    [
      'a checker that gave up',
      { checks: [conclude({ checker: 'c', scope, checks: 1, anomalies: [], doubt: 'too long' })] },
      'c is unknown: too long',
    ],
  ])('is unknown with %s', (_, change, doubt) => {
    const doubts = doubtsOf({ ...good, ...change }, { okInTime: 1 })
    expect(doubts.join()).toContain(doubt)
    expect(verdictOf({ failures: [], doubts })).toBe('unknown')
  })

  it('is unknown when nothing succeeded that began before the faults were undone', () => {
    const events = new EventLog()
    const publish = (name: string, data: unknown): void => {
      events.publish({ step: 0, timeUs: 0, source: 'test', name, data })
    }
    for (const id of [1, 2]) publish('operation', { id, type: 'invoke' })
    publish('operation', { id: 1, type: 'info' })
    publish('phase', 'heal')
    publish('operation', { id: 3, type: 'invoke' })
    publish('operation', { id: 3, type: 'ok' })
    expect(successesInTime(events)).toBe(0)
    expect(doubtsOf(good, { okInTime: 0 })).toEqual([
      'nothing succeeded that clients began before the faults were undone',
    ])
    publish('operation', { id: 2, type: 'ok' })
    expect(successesInTime(events)).toBe(1)
  })

  it('is held without a success of a kind where the simulation says so', () => {
    const some = [...operations, { f: 'break-in', ok: 0, fail: 50, info: 0 }]
    const here = { ...good, operations: some }
    expect(doubtsOf(here, { okInTime: 1 })).toHaveLength(1)
    expect(doubtsOf(here, { okInTime: 1, allowGaps: ['no-success'] })).toEqual([])
  })

  it('is violated whatever is doubted, and a mistake in the simulation violates nothing', () => {
    const failure = { title: 't', message: 'm', timeUs: 0 }
    expect(verdictOf({ failures: [{ ...failure, category: 'invariant' }], doubts: ['?'] })).toBe('violated')
    expect(verdictOf({ failures: [{ ...failure, category: 'mistake' }], doubts: [] })).toBe('unknown')
    expect(verdictOf({ failures: [{ ...failure, category: 'workload' }], doubts: [] })).toBe('unknown')
  })
})
