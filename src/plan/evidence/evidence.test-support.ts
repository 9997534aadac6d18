/** Evidence and questions that pass at hardening, for tests to spoil. */
import { HISTORY_FIELDS } from '../model/history-fields.ts'
import type { Budget } from '../model/budget.ts'
import type { Question } from '../verdict/question.ts'
import { EVIDENCE_VERSION, type Evidence } from './evidence.ts'

export function goodEvidence(changes: Partial<Evidence> = {}): Evidence {
  return {
    version: EVIDENCE_VERSION,
    kind: 'evidence',
    source: { kind: 'command', what: 'test', versions: {} },
    ended: 'completed',
    environment: { missing: [], facts: {} },
    operations: [{ f: 'write', ok: 900, fail: 0, info: 100 }],
    history: {
      operations: 1000,
      truncated: false,
      clock: 'virtual',
      reusedIds: 0,
      outputsOfTimeouts: 0,
      fields: Object.fromEntries(HISTORY_FIELDS.map((field) => [field, 'recorded'])),
    },
    oracles: [
      {
        name: 'checker: linearizable',
        kind: 'checker',
        verdict: 'valid',
        checks: 10,
        operations: 1000,
        ignored: 0,
        when: 'end',
        reason: null,
      },
    ],
    faults: [{ nemesis: 'full-partition', injected: 5, landed: 4, victimSignals: 40, signal: null }],
    seeds: [1, 2, 3, 4, 5].map((seed) => ({ seed, outcome: 'held' as const })),
    violations: [],
    wallMs: 5000,
    simulatedMs: null,
    level: null,
    iterations: null,
    recovery: { completed: true, tookMs: 10 },
    topologies: ['3 nodes', '5 nodes'],
    controls: [{ name: 'broken', detected: true, by: ['checker: linearizable'], message: '' }],
    notes: [],
    ...changes,
  }
}

export function budget(changes: Partial<Budget> = {}): Budget {
  return {
    seeds: 3,
    operations: 100,
    level: null,
    iterations: null,
    faults: 'on',
    durationMs: 0,
    timeoutMs: null,
    ...changes,
  }
}

export function question(changes: Partial<Question> = {}): Question {
  return {
    serious: true,
    model: 'register',
    historyFields: [],
    checkers: ['linearizable'],
    nemeses: ['full-partition'],
    tier: 'hardening',
    budgets: { smoke: budget(), hardening: budget({ seeds: 5, operations: 500 }), release: null },
    answers: [
      { question: 'fair-baseline', answer: 'n/a', reason: 'no baseline' },
      { question: 'hidden-retries', answer: 'yes', reason: 'no retries' },
      { question: 'symmetric-partitions-only', answer: 'yes', reason: 'links are symmetric' },
    ],
    ...changes,
  }
}

/** A violation that was reproduced `failedAgain` times of `tried`. */
export function violation(
  tried: number,
  failedAgain: number,
  origin: 'oracle' | 'harness' | 'environment' = 'oracle',
): Evidence['violations'][number] {
  return {
    signature: 'checker: linearizable',
    message: 'a stale read',
    origin,
    seed: 1,
    seeds: 1,
    reruns: { tried, failedAgain },
    reproducer: 'npx wavetank replay f1.json',
    artefact: 'f1.json',
    story: [],
    shrunk: null,
  }
}
