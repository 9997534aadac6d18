import { describe, expect, it } from 'vitest'
import { Coordinator, LIMITS, TICK_MS } from './coordinator.js'
import { ERRORS, ERRORS_OF } from './errors.js'
import { isDerived } from './ids.js'
import { COMMANDS, CoordinatorMachine } from './machine.js'
import type { Shard } from './types.ts'

const LEASE_MS = 10 * TICK_MS
const COOLDOWN_MS = 2 * TICK_MS
const ROOT = '0000000000000000'

/** A run `r` of tenant `t` with the shards [a, m) and [m, end). */
function begun(): {
  ask: (op: string, more?: object, now?: number) => any
  shards: () => Map<string, Shard>
  core: Coordinator
} {
  const core = new Coordinator()
  const seen = new Map<string, Shard>()
  const ask = (op: string, more: object = {}, now = 0): any => {
    const step = core.execute({ op, tenant: 't', run: 'r', ...more }, now)
    for (const shard of step.shards) seen.set(shard.id, structuredClone(shard))
    expect(step.result.error === undefined || step.result.error in ERRORS).toBe(true)
    return step.result
  }
  ask('create-run', { operation: 'o1', leaseMs: LEASE_MS, cooldownMs: COOLDOWN_MS })
  ask('register-shards', {
    operation: 'o2',
    shards: [
      { start: 'm', end: '' },
      { start: 'a', end: 'm' },
    ],
  })
  return { ask, shards: () => seen, core }
}

const by = (worker: string, fence: number, more: object = {}): object => ({
  shard: ROOT,
  worker,
  fence,
  ...more,
})
const cursor = (key: string, token = ''): { cursor: object } => ({ cursor: { key, token } })

describe('leases', () => {
  it('go to the first free shard, with a fence that rises', () => {
    const { ask } = begun()
    expect(ask('claim', { worker: 'w1' })).toMatchObject({
      shard: ROOT,
      fence: 2,
      deadlineMs: LEASE_MS,
      range: { start: 'a', end: 'm' },
      cursor: null,
      available: 1,
    })
    expect(ask('claim', { worker: 'w2' })).toMatchObject({ shard: '0000000000000001', available: 0 })
    expect(ask('claim', { worker: 'w3' })).toEqual({ error: 'none-available', retryAfterMs: LEASE_MS })
    expect(ask('claim', { worker: 'w3' }, LEASE_MS)).toMatchObject({ shard: ROOT, fence: 3 })
  })

  it('are in force before their deadline, and not at it', () => {
    const { ask } = begun()
    ask('claim', { worker: 'w1' })
    expect(ask('acquire', { worker: 'w2', shard: ROOT }, LEASE_MS - 1)).toEqual({
      error: 'lease-held',
      retryAfterMs: TICK_MS,
    })
    expect(ask('checkpoint', by('w1', 2, { operation: 'c1', ...cursor('b') }), LEASE_MS - 1)).toMatchObject({
      key: 'b',
    })
    expect(ask('renew', by('w1', 2), LEASE_MS)).toEqual({
      error: 'lease-expired',
      deadlineMs: LEASE_MS,
      nowMs: LEASE_MS,
    })
    expect(ask('acquire', { worker: 'w2', shard: ROOT }, LEASE_MS)).toMatchObject({
      fence: 3,
      cursor: { key: 'b' },
    })
  })

  it('are renewed without a new fence', () => {
    const { ask } = begun()
    ask('claim', { worker: 'w1' })
    expect(ask('renew', by('w1', 2), LEASE_MS - 1)).toMatchObject({
      fence: 2,
      deadlineMs: 2 * LEASE_MS - TICK_MS,
    })
  })

  it('are claimed with a pause between', () => {
    const { ask } = begun()
    ask('claim', { worker: 'w1' })
    expect(ask('claim', { worker: 'w1' })).toEqual({ error: 'throttled', retryAfterMs: COOLDOWN_MS })
    expect(ask('claim', { worker: 'w1' }, COOLDOWN_MS)).toMatchObject({ shard: '0000000000000001' })
  })
})

describe('checks', () => {
  it('come in one order', () => {
    const { ask } = begun()
    ask('claim', { worker: 'w1' })
    const wrong = by('w2', 9, { operation: 'c', ...cursor('') })
    expect(ask('checkpoint', { ...wrong, run: 'none' }).error).toBe('run-not-found')
    expect(ask('checkpoint', { ...wrong, tenant: 'other' }).error).toBe('tenant-mismatch')
    expect(ask('checkpoint', { ...wrong, shard: 'none' }).error).toBe('shard-not-found')
    expect(ask('checkpoint', wrong, LEASE_MS)).toEqual({ error: 'stale-fence', presented: 9, current: 2 })
    expect(ask('checkpoint', { ...wrong, fence: 2 }, LEASE_MS).error).toBe('lease-expired')
    expect(ask('checkpoint', { ...wrong, fence: 2 }).error).toBe('not-owner')
    expect(ask('checkpoint', { ...wrong, fence: 2, worker: 'w1' }).error).toBe('cursor-missing-key')
    ask('complete', by('w1', 2, { operation: 'd', ...cursor('l') }))
    expect(ask('checkpoint', wrong).error).toBe('shard-terminal')
  })

  it('have the id of the operation before everything else', () => {
    const { ask } = begun()
    ask('claim', { worker: 'w1' })
    const done = by('w1', 2, { operation: 'd', ...cursor('l') })
    const first = ask('complete', done)
    expect(ask('complete', done, 9 * LEASE_MS)).toEqual({ ...first, replayed: true })
    const shuffled = { ...done, cursor: { token: '', key: 'l' } }
    expect(ask('complete', shuffled)).toEqual({ ...first, replayed: true })
    expect(ask('complete', { ...done, ...cursor('k') }).error).toBe('operation-conflict')
    expect(ask('complete', { ...done, tenant: 'other' }).error).toBe('tenant-mismatch')
  })

  it.each([
    ['cursor-missing-key', '', ''],
    ['cursor-key-too-large', 'c'.repeat(LIMITS.keyChars + 1), ''],
    ['cursor-token-too-large', 'c', 'x'.repeat(LIMITS.tokenChars + 1)],
    ['cursor-regression', 'b', ''],
    ['cursor-out-of-bounds', 'm', ''],
  ])('refuse a cursor with %s', (error, key, token) => {
    const { ask } = begun()
    ask('claim', { worker: 'w1' })
    ask('checkpoint', by('w1', 2, { operation: 'c1', ...cursor('c') }))
    expect(ask('checkpoint', by('w1', 2, { operation: 'c2', ...cursor(key, token) })).error).toBe(error)
    expect(ask('checkpoint', by('w1', 2, { operation: 'c2', ...cursor('c') })).key).toBe('c')
  })
})

describe('splits', () => {
  const replace = (...keys: string[]): object => ({
    children: keys.slice(1).map((end, at) => ({ start: keys[at], end })),
  })

  it('replace a shard by children that cover it exactly', () => {
    const { ask, shards } = begun()
    ask('claim', { worker: 'w1' })
    const { shards: ids } = ask('split-replace', by('w1', 2, { operation: 's', ...replace('a', 'd', 'm') }))
    expect(shards().get(ROOT)).toMatchObject({ state: 'split', lease: null, spawned: ids })
    const children = ids.map((id: string) => shards().get(id))
    expect(children).toMatchObject([
      { start: 'a', end: 'd', parent: ROOT, fence: 1 },
      { start: 'd', end: 'm', parent: ROOT, fence: 1 },
    ])
    expect(ids.every(isDerived)).toBe(true)
    expect(isDerived(ROOT)).toBe(false)
  })

  it.each([
    ['one child', [{ start: 'a', end: 'm' }]],
    [
      'a gap',
      [
        { start: 'a', end: 'c' },
        { start: 'd', end: 'm' },
      ],
    ],
    [
      'an overlap',
      [
        { start: 'a', end: 'd' },
        { start: 'c', end: 'm' },
      ],
    ],
    [
      'a late start',
      [
        { start: 'b', end: 'd' },
        { start: 'd', end: 'm' },
      ],
    ],
    [
      'an early end',
      [
        { start: 'a', end: 'd' },
        { start: 'd', end: 'l' },
      ],
    ],
    [
      'an empty child',
      [
        { start: 'a', end: 'a' },
        { start: 'a', end: 'm' },
      ],
    ],
    [
      'no end',
      [
        { start: 'a', end: 'd' },
        { start: 'd', end: '' },
      ],
    ],
  ])('with %s are refused', (_, children) => {
    const { ask } = begun()
    ask('claim', { worker: 'w1' })
    expect(ask('split-replace', by('w1', 2, { operation: 's', children })).error).toBe('split-invalid')
  })

  it('give the rest of a shard to a child', () => {
    const { ask, shards } = begun()
    ask('claim', { worker: 'w1' })
    ask('checkpoint', by('w1', 2, { operation: 'c', ...cursor('c') }))
    for (const at of ['a', 'c', 'm', 'z'])
      expect(ask('split-residual', by('w1', 2, { operation: 's', at })).error).toBe('split-invalid')
    const { shard } = ask('split-residual', by('w1', 2, { operation: 's', at: 'd' }))
    expect(shards().get(ROOT)).toMatchObject({
      state: 'active',
      start: 'a',
      end: 'd',
      lease: { owner: 'w1' },
    })
    expect(shards().get(shard)).toMatchObject({ start: 'd', end: 'm', parent: ROOT, lease: null })
  })

  it('give the rest once, even when the log has forgotten the operation', () => {
    const { ask } = begun()
    ask('claim', { worker: 'w1' })
    const split = by('w1', 2, { operation: 's', at: 'd' })
    const { shard } = ask('split-residual', split)
    for (let i = 0; i < LIMITS.shardOperations; i++)
      ask('checkpoint', by('w1', 2, { operation: `c${i}`, ...cursor('b') }))
    expect(ask('split-residual', split)).toEqual({ shard, replayed: true })
    expect(ask('split-residual', { ...split, at: 'c' })).toEqual({ error: 'operation-conflict' })
  })

  it('name the children of this split, not those of an earlier one', () => {
    const { ask } = begun()
    ask('claim', { worker: 'w1' })
    const { shard } = ask('split-residual', by('w1', 2, { operation: 'r', at: 'h' }))
    const { shards: ids } = ask('split-replace', by('w1', 2, { operation: 's', ...replace('a', 'd', 'h') }))
    expect(ids).toHaveLength(2)
    expect(ids).not.toContain(shard)
  })

  it('stop at the limits', () => {
    const { ask } = begun()
    ask('claim', { worker: 'w1' })
    const key = (i: number): string => `b${String(i).padStart(5, '0')}`
    const many = Array.from({ length: LIMITS.children }, (_, i) => key(i))
    expect(ask('split-replace', by('w1', 2, { operation: 's', ...replace('a', ...many, 'm') })).error).toBe(
      'split-invalid',
    )
    for (let i = 0; i < LIMITS.spawned; i++)
      expect(ask('split-residual', by('w1', 2, { operation: `r${i}`, at: key(9999 - i) })).error).toBe(
        undefined,
      )
    expect(ask('split-residual', by('w1', 2, { operation: 'more', at: key(0) })).error).toBe(
      'resource-exhausted',
    )
  })
})

describe('queries', () => {
  it('count a lease that has ended as free', () => {
    const { ask, core } = begun()
    const free = (): number =>
      core.query({ op: 'shards', tenant: 't', run: 'r', filter: 'available' }).shards!.length
    ask('claim', { worker: 'w1' })
    expect(free()).toBe(1)
    ask('claim', { worker: 'w2' }, LEASE_MS)
    expect(core.query({ op: 'progress', tenant: 't', run: 'r' })).toMatchObject({ active: 2, available: 1 })
    expect(free()).toBe(1)
  })

  it('say what a cursor means', () => {
    const core = new Coordinator()
    const run = { tenant: 't', run: 'q', leaseMs: 1, cooldownMs: 1, operation: 'o' }
    core.execute({ op: 'create-run', ...run, cursorMeans: 'dispatched' }, 0)
    expect(core.query({ op: 'run', tenant: 't', run: 'q' })).toMatchObject({ cursorMeans: 'dispatched' })
    expect(core.execute({ op: 'create-run', ...run }, 0).result.error).toBe('operation-conflict')
  })
})

describe('errors', () => {
  it('are a closed set, and so are those of every command', () => {
    expect(Object.keys(ERRORS_OF)).toEqual(Object.keys(COMMANDS))
    const used = new Set(Object.values(ERRORS_OF).flat())
    expect([...used].sort()).toEqual(Object.keys(ERRORS).sort())
  })
})

describe('parked shards', () => {
  it('come back only by a person, with a new fence', () => {
    const { ask, shards } = begun()
    ask('claim', { worker: 'w1' })
    ask('park', by('w1', 2, { operation: 'p', reason: 'poisoned' }))
    expect(shards().get(ROOT)).toMatchObject({ state: 'parked', parkReason: 'poisoned', lease: null })
    expect(ask('acquire', { worker: 'w1', shard: ROOT }).error).toBe('shard-terminal')
    expect(ask('unpark', { shard: ROOT, operation: 'u' })).toEqual({ state: 'active', fence: 3 })
    expect(ask('unpark', { shard: ROOT, operation: 'u' })).toMatchObject({ replayed: true })
    expect(ask('unpark', { shard: ROOT, operation: 'v' }).error).toBe('not-parked')
    expect(ask('checkpoint', by('w1', 2, { operation: 'c', ...cursor('b') })).error).toBe('stale-fence')
  })
})

describe('runs', () => {
  it('begin in two steps and end once', () => {
    const core = new Coordinator()
    const ask = (op: string, more: object = {}): any =>
      core.execute({ op, tenant: 't', run: 'r', operation: op, ...more }, 0).result
    const settings = { leaseMs: 1, cooldownMs: 1 }
    expect(ask('create-run', settings)).toEqual({ state: 'initializing' })
    expect(ask('create-run', settings)).toEqual({ state: 'initializing', replayed: true })
    expect(ask('create-run', { ...settings, operation: 'x' }).error).toBe('run-exists')
    expect(ask('create-run', { ...settings, tenant: 'other' }).error).toBe('run-exists')
    expect(ask('claim', { worker: 'w' }).error).toBe('run-not-active')
    expect(ask('complete-run').error).toBe('run-not-active')
    const overlap = [
      { start: 'a', end: 'c' },
      { start: 'b', end: '' },
    ]
    expect(ask('register-shards', { shards: overlap }).error).toBe('ranges-invalid')
    expect(ask('register-shards', { shards: [{ start: '', end: '' }] }).state).toBe('active')
    expect(ask('register-shards', { shards: [{ start: '', end: '' }], operation: 'x' }).error).toBe(
      'run-registered',
    )
    expect(ask('complete-run').error).toBe('run-unfinished')
    expect(ask('cancel-run').state).toBe('cancelled')
    expect(ask('fail-run').error).toBe('run-terminal')
    expect(ask('claim', { worker: 'w' }).error).toBe('run-terminal')
  })

  it('are cancelled before they have shards, and done when every shard is', () => {
    const core = new Coordinator()
    core.execute({ op: 'create-run', tenant: 't', run: 'q', operation: 'o', leaseMs: 1, cooldownMs: 1 }, 0)
    const cancelled = core.execute({ op: 'cancel-run', tenant: 't', run: 'q', operation: 'p' }, 0)
    expect(cancelled.result).toEqual({ state: 'cancelled' })
    const { ask } = begun()
    for (const [shard, key] of [
      [ROOT, 'l'],
      ['0000000000000001', 'z'],
    ]) {
      ask('acquire', { worker: 'w1', shard })
      ask('complete', { ...by('w1', 2, { operation: 'd', ...cursor(key) }), shard })
    }
    expect(ask('complete-run', { operation: 'e' })).toEqual({ state: 'done' })
  })
})

describe('the ledger', () => {
  it('takes a finding once, from the holder of the shard, inside the shard', () => {
    const { ask, core } = begun()
    ask('claim', { worker: 'w1' })
    expect(ask('record', by('w1', 2, { keys: ['b', 'c'] }))).toEqual({ recorded: 2, known: 0 })
    expect(ask('record', by('w1', 2, { keys: ['c', 'd'] }))).toEqual({ recorded: 1, known: 1 })
    expect(ask('record', by('w1', 2, { keys: ['z'] })).error).toBe('finding-out-of-bounds')
    expect(ask('record', by('w1', 1, { keys: ['e'] })).error).toBe('stale-fence')
    expect(ask('record', by('w1', 2, { keys: ['e'] }), LEASE_MS).error).toBe('lease-expired')
    const { findings } = core.query({ op: 'findings', tenant: 't', run: 'r' })
    expect(findings?.map(({ key }) => key)).toEqual(['b', 'c', 'd'])
  })
})

describe('the machine', () => {
  it('is the same after a snapshot', () => {
    const { ask, core } = begun()
    ask('claim', { worker: 'w1' })
    ask('checkpoint', by('w1', 2, { operation: 'c', ...cursor('b') }))
    ask('record', by('w1', 2, { keys: ['b'] }))
    const copy = new Coordinator()
    copy.restore(structuredClone(core.snapshot()))
    const again = {
      op: 'checkpoint',
      tenant: 't',
      run: 'r',
      ...by('w1', 2, { operation: 'c', ...cursor('b') }),
    }
    const command = again as unknown as Parameters<Coordinator['execute']>[0]
    expect(copy.execute(command, 0).result).toMatchObject({ replayed: true })
    expect(copy.snapshot()).toEqual(core.snapshot())
  })

  it('names what is wrong with a malformed command', () => {
    const machine = new CoordinatorMachine()
    expect(machine.check({ op: 'steal' })).toMatch(/^op is one of create-run/)
    for (const op of Object.keys(COMMANDS))
      expect(machine.check({ op })).toBe(`${op}: tenant is missing or malformed`)
    expect(machine.check({ op: 'claim', tenant: 't', run: 'r' })).toBe(
      'claim: worker is missing or malformed',
    )
    expect(machine.check({ op: 'claim', tenant: 't', run: 'r', worker: 'w' })).toBe(null)
    expect(machine.checkQuery({ op: 'shards', tenant: 't', run: 'r', filter: 'no' })).toMatch(/filter/)
  })
})
