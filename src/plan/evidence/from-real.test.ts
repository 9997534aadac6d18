import { describe, expect, it } from 'vitest'
import { conclude } from '../../checkers/result.ts'
import { FAMILIES } from '../../faults/families.ts'
import { NEMESES as REAL } from '../../real/nemeses/index.ts'
import type { RealResult } from '../../real/running/result.ts'
import { familiesOf, REAL_NEMESES } from '../catalog/mechanisms.ts'
import { verdictOf } from '../verdict/verdict.ts'
import { budget, question } from './evidence.test-support.ts'
import { evidenceSchema, type Evidence } from './evidence.ts'
import { evidenceFromReal } from './from-real.ts'

const SCOPE = { operations: 20, ignored: 0, functions: [] }
const KILL: RealResult['faults'][number] = {
  id: 1,
  nemesis: 'kill',
  family: 'reboot',
  group: 'process',
  text: 'kill n1',
  targets: ['n1'],
  beginUs: 0,
  endUs: 1,
  injector: 'SIGKILL',
  victim: 'n1 (process 7) ended by SIGKILL',
  landed: true,
}

function result(seed: number, changes: Partial<RealResult> = {}): RealResult {
  return {
    version: 1,
    name: 'kv',
    file: 'kv.sim.ts',
    seed,
    nodes: ['n1', 'n2', 'n3'],
    concurrency: seed,
    rate: 0,
    timeLimitS: 5,
    nemeses: ['kill'],
    durationS: 6,
    operations: [{ f: 'read', ok: 18, fail: 1, info: 1 }],
    load: { loop: 'open', turns: 20, notBegun: 0, fromDueMs: null, fromBeginMs: null },
    checks: [conclude({ checker: 'linearizable', scope: SCOPE, checks: 20, anomalies: [] })],
    invariants: [{ name: 'reads go on', checks: 40, status: 'held', reason: null }],
    faults: [KILL, { ...KILL, id: 2 }],
    failures: [],
    doubts: [],
    verdict: 'held',
    ...changes,
  }
}

function evidence(...changes: Partial<RealResult>[]): Evidence {
  const tests = [1, 2, 3].map((seed, index) => ({
    result: result(seed, changes[index]),
    reproducer: 'npx wavetank real test kv',
    artefact: `seed-${seed}`,
  }))
  const by = ['checker: linearizable', 'invariant: reads go on']
  const controls = [{ name: 'broken', detected: true, by, message: '' }]
  return { ...evidenceFromReal(tests, { what: 'kv', versions: {} }), controls }
}

const ASKED = question({
  nemeses: ['hard-kill'],
  budgets: { smoke: budget({ operations: 0 }), hardening: budget({ operations: 50 }), release: null },
})
const verdict = (found: Evidence, checkers = ['linearizable']) =>
  verdictOf({ ...ASKED, checkers }, { ...found, wallMs: 1 })

describe('evidence from real processes', () => {
  it('is evidence, and enough to pass at hardening', () => {
    const found = evidence()
    expect(evidenceSchema.parse(found)).toEqual(found)
    expect(found).toMatchObject({
      operations: [{ f: 'read', ok: 54, fail: 3, info: 3 }],
      history: { operations: 60, clock: 'monotonic' },
      recovery: { completed: true },
    })
    expect(verdict(found)).toMatchObject({ state: 'PASS-hardening' })
    expect(verdict(found, ['invariant: reads go on']).state).toBe('PASS-hardening')
  })

  it('does not take a fault that no victim showed for one that landed', () => {
    const faults = [{ ...KILL, landed: false, victim: null }]
    const found = evidence({ faults }, { faults }, { faults })
    expect(verdict(found).state).toBe('INCONCLUSIVE-fault-not-proven')
    expect(found.recovery).toBeNull()
  })

  it.each<[string, Partial<RealResult>, string]>([
    [
      'a checker gave up',
      {
        checks: [
          conclude({ checker: 'linearizable', scope: SCOPE, checks: 1, anomalies: [], doubt: 'too long' }),
        ],
      },
      'oracle-ran',
    ],
    ['a checker did not run in one of the seeds', { checks: [] }, 'scope'],
    [
      'the simulation has a mistake',
      { failures: [{ category: 'mistake', title: 'check', message: 'x', timeUs: 0 }] },
      'ending',
    ],
  ])('does not pass if %s', (_, changes, by) => {
    expect(verdict(evidence(changes)).decidedBy).toBe(by)
  })

  it('does not let an invariant decide that the run left out', () => {
    const invariants = [
      { name: 'reads go on', checks: 0, status: 'left out' as const, reason: 'it needs the tank' },
    ]
    const found = evidence({ invariants }, { invariants }, { invariants })
    expect(verdict(found, ['invariant: reads go on']).state).toBe('PARTIAL-surface')
  })

  it('has a violation, with the command that runs its seed again', () => {
    const failures = [
      { category: 'invariant' as const, title: 'reads go on', message: 'read 1 after 2', timeUs: 5 },
    ]
    const found = evidence({}, { failures }, { failures })
    expect(found.violations).toMatchObject([
      {
        signature: 'invariant: reads go on',
        origin: 'oracle',
        seed: 2,
        seeds: 2,
        reproducer: 'npx wavetank real test kv',
      },
    ])
    expect(found.seeds.map(({ outcome }) => outcome)).toEqual(['held', 'violated', 'violated'])
  })
})

describe('the nemeses of real clusters', () => {
  it('are all known to the catalogue, by families that exist', () => {
    const families = new Set<string>(FAMILIES.map(({ name }) => name))
    for (const { name, variants } of REAL)
      for (const variant of variants) {
        const proven = familiesOf(REAL_NEMESES, `${name}:${variant}`)
        expect(proven.length, `${name}:${variant}`).toBeGreaterThan(0)
        for (const each of proven) expect(families).toContain(each.split('/')[0])
      }
  })

  it('are there for every name of the catalogue', () => {
    const injected = REAL.flatMap(({ name, variants }) => [
      name,
      ...variants.map((each) => `${name}:${each}`),
    ])
    expect(Object.keys(REAL_NEMESES).filter((name) => !injected.includes(name))).toEqual([])
  })
})
