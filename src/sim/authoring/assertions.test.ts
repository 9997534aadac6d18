import { afterEach, describe, expect, it } from 'vitest'
import { AssertionTable, mergeAssertions, statusOf } from './assertion-table.ts'
import {
  always,
  alwaysAtMost,
  alwaysOrUnreachable,
  reachable,
  sometimes,
  sometimesAll,
  sometimesEach,
  sometimesGreaterThan,
  unreachable,
} from './assertions.ts'
import { useRun, type RunScope } from '../running/current-run.ts'
import { EventLog } from './event-log.ts'
import type { Failure } from '../running/failure.ts'

interface Recorded {
  readonly table: AssertionTable
  readonly failures: Pick<Failure, 'title' | 'message' | 'details'>[]
  readonly overflows: string[]
}

function begin(): Recorded {
  const overflows: string[] = []
  const failures: Recorded['failures'] = []
  const table = new AssertionTable((message) => overflows.push(message))
  const run: RunScope = {
    assertions: table,
    events: new EventLog(),
    publish: () => {},
    currentProcess: () => null,
    fail: (_category, title, message, more) => failures.push({ title, message, details: more?.details }),
  }
  useRun(run)
  return { table, failures, overflows }
}

function statuses(table: AssertionTable): Record<string, string> {
  return Object.fromEntries(table.summaries().map((one) => [one.message, statusOf(one)]))
}

afterEach(() => useRun(null))

describe('assertions', () => {
  it('do nothing outside the tank', () => {
    expect(() => {
      always(false, 'a')
      unreachable('b')
      alwaysAtMost(2, 1, 'c')
      sometimesEach('d', { x: 1 })
    }).not.toThrow()
  })

  it('record what was promised, fail when it is broken, and go on', () => {
    const { table, failures } = begin()
    always(true, 'holds')
    always(true, 'breaks')
    always(false, 'breaks', { balance: -1 })
    alwaysOrUnreachable(true, 'holds too')
    alwaysAtMost(3, 5, 'bounded')
    alwaysAtMost(6, 5, 'unbounded')
    unreachable('never here')
    expect(failures.map((failure) => failure.title)).toEqual(['breaks', 'unbounded', 'never here'])
    expect(failures[0].details).toEqual({ balance: -1 })
    expect(statuses(table)).toEqual({
      holds: 'pass',
      breaks: 'fail',
      'holds too': 'pass',
      bounded: 'pass',
      unbounded: 'fail',
      'never here': 'fail',
    })
  })

  it('take an always that was compiled and never reached for a miss, an alwaysOrUnreachable not', () => {
    const { table } = begin()
    table.declare('always', 'must be seen')
    table.declare('always-or-unreachable', 'may be seen')
    table.declare('unreachable', 'must not be seen')
    table.declare('reachable', 'hoped for')
    expect(statuses(table)).toEqual({
      'must be seen': 'miss',
      'may be seen': 'pass',
      'must not be seen': 'pass',
      'hoped for': 'miss',
    })
  })

  it('take a hope that never came true for a miss, and never for a failure', () => {
    const { table, failures } = begin()
    sometimes(false, 'leader changed')
    sometimes(true, 'cache hit')
    reachable('retry')
    sometimesGreaterThan(1, 10, 'queue was long')
    sometimesAll('all at once', { partition: true, reboot: false })
    sometimesEach('codes', { code: 200 })
    sometimesEach('codes', { code: 500 })
    expect(failures).toEqual([])
    expect(statuses(table)).toEqual({
      'leader changed': 'miss',
      'cache hit': 'pass',
      retry: 'pass',
      'queue was long': 'miss',
      'all at once': 'miss',
      codes: 'pass',
    })
    const byMessage = new Map(table.summaries().map((one) => [one.message, one]))
    expect(byMessage.get('codes')!.buckets).toEqual(['code=200', 'code=500'])
    expect(byMessage.get('all at once')!.frontier).toEqual({ best: 1, of: 2 })
  })

  it('keep the value nearest to the bound', () => {
    const { table } = begin()
    for (const left of [1, 4, 2]) alwaysAtMost(left, 5, 'queue')
    for (const left of [1, 4, 2]) sometimesGreaterThan(left, 10, 'load')
    const bounds = Object.fromEntries(table.summaries().map((one) => [one.message, one.bound]))
    expect(bounds).toEqual({
      queue: { relation: '≤', left: 4, right: 5 },
      load: { relation: '>', left: 4, right: 10 },
    })
  })

  it('say aloud when messages are not constant', () => {
    const { overflows } = begin()
    for (let i = 0; i < 5000; i++) sometimes(true, `message ${i}`)
    expect(overflows.length).toBeGreaterThan(0)
    expect(overflows[0]).toMatch(/constant/)
  })

  it('add up over runs', () => {
    const first = begin().table
    sometimes(false, 'seen')
    sometimesEach('codes', { code: 200 })
    const second = begin().table
    sometimes(true, 'seen')
    sometimesEach('codes', { code: 500 })
    const merged = mergeAssertions([first.summaries(), second.summaries()])
    expect(merged.map((one) => [one.message, one.reached, one.passed, one.buckets])).toEqual([
      ['seen', 2, 1, []],
      ['codes', 2, 2, ['code=200', 'code=500']],
    ])
  })
})
