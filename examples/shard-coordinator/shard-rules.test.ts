/**
 * Negative controls of the rules: true steps of a coordinator break none; a step that no coordinator can make, written
 * by hand, breaks the rule that names what is wrong with it.
 */
import { describe, expect, it } from 'vitest'
import { Coordinator, LIMITS } from './coordinator.js'
import { RULES, RuleWatch, type Rule } from './shard-rules.ts'
import type { Command, Shard, Step } from './types.ts'

const LEASE_MS = 1000
const ROOT = '0000000000000000'
const OTHER = '0000000000000001'

type Change = (step: any) => void

/** A coordinator whose steps are watched; `ask` may falsify a step before it is seen. */
class Watched {
  readonly watch = new RuleWatch()
  private readonly core = new Coordinator()
  private index = 0

  constructor() {
    this.ask('create-run', { operation: 'c', leaseMs: LEASE_MS, cooldownMs: 100 })
    const shards = [
      { start: 'a', end: 'm' },
      { start: 'm', end: '' },
    ]
    this.ask('register-shards', { operation: 'r', shards })
  }

  ask(
    op: string,
    fields: object,
    { now = 0, change = () => {} }: { now?: number; change?: Change } = {},
  ): any {
    const command = { op, tenant: 't', run: 'r', ...fields } as Command
    const done = this.core.execute(command, now)
    const step = structuredClone({ index: ++this.index, command, ...done }) as Step
    change(step)
    this.watch.line('s1', JSON.stringify(step))
    return done.result
  }

  /** What the holder of the first shard does, with its id. */
  holder(op: string, fields: object, more: { now?: number; change?: Change } = {}): any {
    return this.ask(
      op,
      { shard: ROOT, worker: 'w', fence: 2, operation: `${op}${this.index}`, ...fields },
      more,
    )
  }
}

function begun(): Watched {
  const watched = new Watched()
  watched.ask('claim', { worker: 'w' })
  watched.holder('checkpoint', { cursor: { key: 'c', token: '' } })
  return watched
}

const shardOf = (step: any, id = ROOT): any => step.shards.find((shard: Shard) => shard.id === id)
const cursor = (key: string): object => ({ cursor: { key, token: '' } })
const granted: Change = (step) => {
  step.result = { key: 'd' }
}

/** Each makes a watched coordinator break one rule. */
const BROKEN: Partial<Record<Rule, (watched: Watched) => void>> = {
  'an old fence is refused': (w) => w.holder('checkpoint', { fence: 1, ...cursor('d') }, { change: granted }),
  'an expired lease does nothing': (w) =>
    w.holder('checkpoint', cursor('d'), { now: LEASE_MS, change: granted }),
  'checks come in their order': (w) =>
    w.holder(
      'checkpoint',
      { fence: 1, ...cursor('d') },
      {
        change: (step) => (step.result = { error: 'lease-expired' }),
      },
    ),
  'a refusal says what is documented, and no more': (w) =>
    w.ask('acquire', { shard: ROOT, worker: 'v' }, { change: (step) => (step.result.owner = 'w') }),
  'what is refused or answered again changes nothing': (w) =>
    w.ask('acquire', { shard: ROOT, worker: 'v' }, { change: (step) => step.runs.push({ id: 'r' }) }),
  'only the holder of a lease works on its shard': (w) =>
    w.holder('checkpoint', { worker: 'v', ...cursor('d') }, { change: granted }),
  'a terminal shard stays as it is': (w) => {
    w.holder('complete', cursor('d'))
    w.holder('checkpoint', cursor('e'), { change: granted })
  },
  'a shard has at most one lease at a time': (w) =>
    w.ask(
      'acquire',
      { shard: OTHER, worker: 'w' },
      {
        change: (step) => {
          step.shards = [
            {
              ...shardOf(step, OTHER),
              id: ROOT,
              start: 'a',
              end: 'm',
              fence: 3,
              cursor: { key: 'c', token: '' },
            },
          ]
        },
      },
    ),
  'the fence of a shard rises with every new holder': (w) =>
    w.ask('acquire', { shard: OTHER, worker: 'w' }, { change: (step) => (shardOf(step, OTHER).fence = 1) }),
  'a shard that is unparked has a new fence': (w) => {
    w.holder('park', { reason: 'other' })
    w.ask('unpark', { shard: ROOT, operation: 'u' }, { change: (step) => (shardOf(step).fence = 2) })
  },
  'a repeated operation gets its first answer': (w) => {
    w.holder('checkpoint', { operation: 'x', ...cursor('d') })
    w.holder(
      'checkpoint',
      { operation: 'x', ...cursor('d') },
      {
        change: (step) => (step.result = { error: 'lease-expired' }),
      },
    )
  },
  'an operation id stands for one operation': (w) => {
    w.holder('checkpoint', { operation: 'x', ...cursor('d') })
    w.holder('checkpoint', { operation: 'x', ...cursor('e') }, { change: granted })
  },
  'a cursor never goes back': (w) =>
    w.holder('checkpoint', cursor('d'), { change: (step) => (shardOf(step).cursor.key = 'b') }),
  'a cursor stays inside its shard': (w) =>
    w.holder('checkpoint', cursor('d'), { change: (step) => (shardOf(step).cursor.key = 'x') }),
  'the children of a split cover their parent exactly': (w) =>
    w.holder('split-residual', { at: 'f' }, { change: (step) => (step.shards.at(-1).start = 'g') }),
  'the answer to a split names its children': (w) =>
    w.holder('split-residual', { at: 'f' }, { change: (step) => (step.result.shard = OTHER) }),
  'a record is whole': (w) =>
    w.holder('checkpoint', cursor('d'), { change: (step) => (shardOf(step).parkReason = 'other') }),
  'a run that is over stays as it is': (w) => {
    w.ask('cancel-run', { operation: 'k' })
    w.ask(
      'fail-run',
      { operation: 'f' },
      {
        change: (step) => {
          step.result = { state: 'failed' }
          step.runs = [{ id: 'r', tenant: 't', state: 'failed', cooldownMs: 100, claims: {}, log: [] }]
        },
      },
    )
  },
  'a worker waits between two claims': (w) => {
    const change: Change = (step) => (step.command.worker = 'w')
    w.ask('claim', { worker: 'v' }, { now: 50, change })
  },
  'a claim gets the first free shard': (w) =>
    w.ask('claim', { worker: 'v' }, { now: LEASE_MS, change: (step) => (step.result.range.start = 'm') }),
  'the hint says how many shards are free': (w) =>
    w.ask('claim', { worker: 'v' }, { now: 200, change: (step) => (step.result.available = 9) }),
  'a finding names a lease that was given': (w) =>
    w.holder('record', { keys: ['d'] }, { change: (step) => (step.findings[0].worker = 'v') }),
  'a finding has the fence of its shard': (w) =>
    w.holder('record', { keys: ['d'] }, { change: (step) => (step.findings[0].fence = 1) }),
  'no finding comes after the end of its shard': (w) => {
    w.holder('complete', cursor('d'))
    w.holder(
      'record',
      { keys: ['d'] },
      {
        change: (step) => step.findings.push({ key: 'd', run: 'r', shard: ROOT, fence: 2, worker: 'w' }),
      },
    )
  },
  'the fences of the ledger never fall': (w) => {
    w.holder('record', { keys: ['d'] }, { change: (step) => (step.findings[0].fence = 9) })
    w.holder('record', { keys: ['e'] })
  },
  'a finding is recorded once': (w) => {
    w.holder('record', { keys: ['d'] })
    w.holder('record', { keys: ['e'] }, { change: (step) => (step.findings[0].key = 'd') })
  },
  'cluster time does not run ahead of real time': (w) => {
    const command = { op: 'claim', tenant: 't', run: 'none' }
    const nothing = { result: { error: 'run-not-found' }, shards: [], runs: [], findings: [] }
    w.watch.line('s1', JSON.stringify({ index: 99, nowMs: 500, command, ...nothing }), 400)
  },
  'servers agree on every entry': (w) => w.watch.line('s2', '{"index":1,"nowMs":7}'),
  'a server ends only for a reason': (w) =>
    w.watch.ended({ process: 's1', change: 'exit', code: 1, signal: null, ordered: false }),
}

describe('the rules', () => {
  it('hold for what a coordinator does', () => {
    const watched = begun()
    watched.holder('record', { keys: ['b'] })
    watched.holder('split-residual', { at: 'f' })
    watched.holder('split-replace', {
      children: [
        { start: 'a', end: 'd' },
        { start: 'd', end: 'f' },
      ],
    })
    watched.ask('claim', { worker: 'v' }, { now: LEASE_MS })
    watched.ask('claim', { worker: 'v' }, { now: LEASE_MS })
    watched.holder('renew', {})
    for (let i = 0; i <= LIMITS.shardOperations; i++)
      watched.ask('unpark', { shard: OTHER, operation: `u${i}` })
    expect(Object.fromEntries(watched.watch.broken)).toEqual({})
  })

  it('have a negative control each', () => {
    expect(Object.keys(BROKEN).sort()).toEqual([...RULES].sort())
  })

  it.each(Object.keys(BROKEN) as Rule[])('notice a breach of: %s', (rule) => {
    const watched = begun()
    expect([...watched.watch.broken.keys()]).toEqual([])
    BROKEN[rule]!(watched)
    expect([...watched.watch.broken.keys()]).toContain(rule)
  })
})
