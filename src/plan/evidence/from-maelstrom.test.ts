import { describe, expect, it } from 'vitest'
import type { FaultRecord } from '../../maelstrom/running/fault-evidence.ts'
import type { LoggedOperation } from '../../maelstrom/running/operation-log.ts'
import { verdictOf } from '../verdict/verdict.ts'
import { budget, question } from './evidence.test-support.ts'
import { evidenceSchema, type Evidence } from './evidence.ts'
import { evidenceFromMaelstrom, type MaelstromRun } from './from-maelstrom.ts'

const PARTITION: FaultRecord = {
  nemesis: 'partition',
  shape: 'minority-third',
  nodes: ['n0'],
  injector: 'cut',
  victim: '4 messages dropped',
  signals: 4,
}

/** Twenty reads, a cut that ends after the tenth. */
function operations(): LoggedOperation[] {
  const list: Omit<LoggedOperation, 'index'>[] = []
  for (let at = 0; at < 20; at++) {
    if (at === 10)
      list.push({ time: 10e9, type: 'info', process: 'nemesis', f: 'stop-partition', value: null })
    list.push({ time: at * 1e9 + 1, type: 'invoke', process: 0, f: 'read', value: null, node: 'n0' })
    list.push({ time: at * 1e9 + 2, type: 'ok', process: 0, f: 'read', value: 1, node: 'n0' })
  }
  return list.map((operation, index) => ({ index, ...operation }))
}

type Changes = { [Part in keyof MaelstromRun]?: Partial<MaelstromRun[Part]> } & { seed?: number }

function run(seed: number, { results, facts, ...changes }: Changes = {}): MaelstromRun {
  const valid = { 'valid?': true } as const
  const byFunction = { read: { 'valid?': true, count: 20, 'ok-count': 20, 'fail-count': 0, 'info-count': 0 } }
  return {
    facts: {
      version: 1,
      workload: 'lin-kv',
      program: ['node', 'node.js'],
      nodes: ['n0', 'n1', 'n2'],
      concurrency: seed,
      nemesis: ['partition'],
      availability: null,
      seed,
      clock: 'virtual',
      ...facts,
    },
    results: {
      perf: valid,
      timeline: valid,
      stats: { count: 20, 'by-f': byFunction },
      availability: { 'valid?': true, 'ok-fraction': 1 },
      exceptions: valid,
      net: { all: { 'recv-count': 40 } } as unknown as MaelstromRun['results']['net'],
      nodes: { 'valid?': true, counts: {}, errors: [] },
      workload: valid,
      'valid?': true,
      ...results,
    },
    operations: operations(),
    faults: [PARTITION, PARTITION],
    reproducer: `npx wavetank maelstrom test --seed ${seed}`,
    artefact: `seed-${seed}`,
    ...changes,
  } as MaelstromRun
}

const CONTROL = { name: 'broken', detected: true, by: ['checker: maelstrom lin-kv'], message: '' }
const ASKED = question({
  model: 'map',
  checkers: ['maelstrom lin-kv'],
  budgets: { smoke: budget({ operations: 0 }), hardening: budget({ operations: 50 }), release: null },
})

function evidence(...changes: Changes[]): Evidence {
  const runs = [1, 2, 3].map((seed, index) => run(seed, changes[index]))
  return { ...evidenceFromMaelstrom(runs, { what: '-w lin-kv', versions: {} }), controls: [CONTROL] }
}

const verdict = (found: Evidence, nemeses = ['full-partition']) =>
  verdictOf({ ...ASKED, nemeses }, { ...found, wallMs: 1 })

describe('evidence from Maelstrom tests', () => {
  it('is evidence, and enough to pass at hardening', () => {
    const found = evidence()
    expect(evidenceSchema.parse(found)).toEqual(found)
    expect(verdict(found)).toMatchObject({ state: 'PASS-hardening' })
    expect(found).toMatchObject({
      operations: [{ f: 'read', ok: 60 }],
      history: { operations: 60, truncated: false, clock: 'virtual', reusedIds: 0, outputsOfTimeouts: 0 },
      recovery: { completed: true },
      topologies: ['3 nodes, 1 clients', '3 nodes, 2 clients', '3 nodes, 3 clients'],
    })
  })

  it('proves a minority only by the shape that cuts one off', () => {
    expect(verdict(evidence(), ['minority-partition']).state).toBe('PASS-hardening')
    const faults = [{ ...PARTITION, shape: 'majority' as const }]
    const other = evidence({ faults }, { faults }, { faults })
    expect(verdict(other, ['full-partition']).decidedBy).not.toBe('faults')
    expect(verdict(other, ['minority-partition']).state).toBe('INCONCLUSIVE-fault-not-proven')
  })

  it('does not take a cut that no message met for one that landed', () => {
    const faults = [{ ...PARTITION, victim: null, signals: 0 }]
    expect(verdict(evidence({ faults }, { faults }, { faults })).state).toBe('INCONCLUSIVE-fault-not-proven')
  })

  it('has a violation by its checker, with the seed that showed it', () => {
    const wrong = { 'valid?': false, findings: ['not-linearizable: x'] } as const
    const found = evidence({}, { results: { workload: wrong, 'valid?': false } })
    expect(found.violations).toMatchObject([
      { signature: 'checker: maelstrom lin-kv', message: 'not-linearizable: x', seed: 2, seeds: 1 },
    ])
    expect(verdict(found).state).toBe('FAIL-nondeterministic')
  })

  it('tells a node that breaks the protocol from one that is not there', () => {
    const error = (kind: 'exited' | 'not-started') => ({
      nodes: { 'valid?': false as const, counts: {}, errors: [{ kind, node: 'n0', text: 'it is gone' }] },
      'valid?': false as const,
    })
    expect(verdict(evidence({ results: error('exited') })).state).toBe('FAIL-nondeterministic')
    const absent = verdict(evidence({ results: error('not-started') }))
    expect(absent).toMatchObject({ state: 'INCONCLUSIVE-env', reasons: ['it is gone'] })
  })

  it.each<[string, Changes, string]>([
    ['was interrupted', { results: { interrupted: true } }, 'history'],
    ['has a history that lost its end', { operations: operations().slice(0, 9) }, 'history'],
    [
      'cannot be judged',
      { results: { workload: { 'valid?': 'unknown' }, 'valid?': 'unknown' } },
      'oracle-ran',
    ],
    ['has an output of a time-out', { operations: timedOut() }, 'history'],
  ])('does not pass if a test %s', (_, changes, by) => {
    expect(verdict(evidence(changes)).decidedBy).toBe(by)
  })
})

function timedOut(): LoggedOperation[] {
  const list = operations()
  return list.map((operation, index) =>
    index === list.length - 1 ? { ...operation, type: 'info' } : operation,
  )
}
