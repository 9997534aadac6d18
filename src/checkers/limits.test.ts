import { describe, expect, it } from 'vitest'
import { History } from '../history/history.ts'
import type { HistoryEvent } from '../history/operation.ts'
import { Budget, type BudgetOptions } from './budget.ts'
import { causal } from './consistency/causal.ts'
import { pram } from './consistency/pram.ts'
import { sessionGuarantees } from './consistency/session-guarantees.ts'
import { kafka } from './kafka/index.ts'
import type { CheckResult } from './result.ts'
import { stats } from './service/stats.ts'
import * as levels from './transactions/levels/index.ts'

const OPERATIONS = 2000

function history(operation: (i: number) => { f: string; input: unknown; output: unknown }): History {
  const events: HistoryEvent[] = []
  for (let i = 0; i < OPERATIONS; i++) {
    const { f, input, output } = operation(i)
    const process = i % 40
    events.push({ type: 'invoke', process, f, key: 'x', value: input })
    events.push({ type: 'ok', process, f, key: 'x', value: output })
  }
  return History.from(events)
}

const register = history((i) =>
  i % 2 === 0 ? { f: 'write', input: i, output: i } : { f: 'read', input: null, output: i - 1 },
)
const transactions = history((i) => ({
  f: 'txn',
  input: [],
  output: [
    ['r', 'x', i === 0 ? null : i],
    ['r', 'y', i === 0 ? null : i],
    ['w', 'x', i + 1],
    ['w', 'y', i + 1],
  ],
}))
/** Twenty logs, each with one client that sends and one that polls. */
const log = history((i) => {
  const sent = i - (i % 2)
  const key = `k${sent % 40}`
  const entry = [Math.floor(i / 40), sent]
  return i % 2 === 0
    ? { f: 'send', input: [['send', key, sent]], output: [['send', key, entry]] }
    : { f: 'poll', input: [['poll', {}]], output: [['poll', { [key]: [entry] }]] }
})

type Check = (options: BudgetOptions) => CheckResult

const CHECKS: readonly (readonly [string, Check])[] = [
  ['kafka', (options) => kafka(log, options)],
  ['causal', (options) => causal(register, options)],
  ['causal-convergent', (options) => causal(register, { model: 'causal-convergent', ...options })],
  ['causal-memory', (options) => causal(register, { model: 'causal-memory', ...options })],
  ['pram', (options) => pram(register, options)],
  ['session guarantees', (options) => sessionGuarantees(register, options)],
  ['read committed', (options) => levels.readCommitted(transactions, options)],
  ['item cut isolation', (options) => levels.itemCutIsolation(transactions, options)],
  ['read atomic', (options) => levels.readAtomic(transactions, options)],
  ['causal of transactions', (options) => levels.causal(transactions, options)],
]

/** Is spent after a number of looks, whatever time and memory the search takes. */
class FewLooks extends Budget {
  #left: number
  constructor(looks: number) {
    super()
    this.#left = looks
  }
  override isSpent(): boolean {
    return this.look()
  }
  override look(): boolean {
    if (this.reason === null && --this.#left < 0) this.reason = 'there were too few looks'
    return this.reason !== null
  }
}

describe.each(CHECKS)('the limits of %s', (_, check) => {
  it('let an ordinary history pass', () => {
    expect(check({}).verdict).toBe('valid')
  })

  it('make the answer unknown when the time is over', () => {
    expect(check({ timeoutWallMs: 1e-6 })).toMatchObject({
      verdict: 'unknown',
      reason: 'the time limit of 0.000001 ms was reached',
    })
  })

  it('make the answer unknown when the memory is too small', () => {
    expect(check({ memoryMb: 0.01 })).toMatchObject({
      verdict: 'unknown',
      reason: 'the memory limit of 0.01 MB was reached',
    })
  })

  it('are asked all along the search, and what it held is given back', () => {
    for (const looks of [1, 10, 100, OPERATIONS / 2]) {
      const budget = new FewLooks(looks)
      expect(check({ budget })).toMatchObject({ verdict: 'unknown', reason: 'there were too few looks' })
      expect(budget.heldBytes).toBe(0)
    }
  })
})

it('a violation that was found before the limit stays a violation', () => {
  const events: HistoryEvent[] = [...log.operations()].flatMap(({ process, f, input, output }) => [
    { type: 'invoke', process, f, value: input },
    { type: 'ok', process, f, value: output },
  ])
  const thinAir = [['poll', { k: [[7, 'x']] }]]
  const broken = History.from([
    { type: 'invoke', process: 99, f: 'poll', value: [['poll', {}]] },
    { type: 'ok', process: 99, f: 'poll', value: thinAir },
    ...events,
  ])
  const result = kafka(broken, { budget: new FewLooks(100) })
  expect([result.verdict, result.anomalies[0].type]).toEqual(['invalid', 'unexpected'])
})

describe('the name of the time limit', () => {
  const messageOf = (ask: () => unknown): string => {
    try {
      ask()
    } catch (error) {
      return (error as Error).message
    }
    return 'accepted'
  }

  it('says which clock it means', () => {
    const old = { timeoutMs: 5 } as BudgetOptions
    expect(messageOf(() => causal(register, old))).toContain(
      'there is no option "timeoutMs"; it is "timeoutWallMs"',
    )
  })

  it('is not suggested to a checker without a limit', () => {
    const message = messageOf(() => stats(register, { timeoutMs: 5 } as object))
    expect(message).toContain('there is no option "timeoutMs"')
    expect(message).not.toContain('timeoutWallMs')
  })
})
