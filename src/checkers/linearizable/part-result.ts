/** The result for one object, from what decided it: a monitor, a search that ended, or a search that was stopped. */
import type { History } from '../../history/history.ts'
import { Budget } from '../budget.ts'
import type { Anomaly, CheckResult } from '../result.ts'
import type { Model } from './model.ts'
import type { MonitorAnswer } from './monitors/answer.ts'
import type { Part } from './partition.ts'
import { proofOf, witnessOf, type LinearizabilityProof } from './proof.ts'
import { Search } from './search.ts'

export function nothing(model: string): CheckResult {
  return {
    checker: `linearizable ${model}`,
    verdict: 'valid',
    reason: null,
    scope: { operations: 0, ignored: 0, functions: [] },
    checks: 0,
    anomalies: [],
    method: null,
    assumptions: [],
    details: {},
    parts: [],
  }
}

function partly(model: string, part: Part): CheckResult {
  const operations = part.positions.length
  return { ...nothing(model), scope: { operations, ignored: 0, functions: [] }, checks: operations }
}

export function answered(history: History, model: Model, part: Part, answer: MonitorAnswer): CheckResult {
  // Plain data, as all results are.
  const witness = answer.witness === null ? null : Array.from(answer.witness)
  return {
    ...partly(model.name, part),
    verdict: answer.anomaly === null ? 'valid' : 'invalid',
    anomalies: answer.anomaly === null ? [] : [answer.anomaly],
    method: answer.method,
    details: { key: part.key, witness, events: history.eventCount },
  }
}

/** Time to find out at which operation a history that is known to be invalid fails. */
const NAMING_MS = 5_000
const METHOD = 'search (Wing, Gong and Lowe; deep, wide and leaping in turns)'

export function decided(part: Part, search: Search): CheckResult {
  const base = { ...partly(search.space.model.name, part), method: METHOD }
  switch (search.state) {
    case 'valid':
      return { ...base, details: { key: part.key, witness: witnessOf(search), ...statistics(search) } }
    default: {
      const proof = proofOf(exhaustive(search))
      const details = { key: part.key, proof, ...statistics(search) }
      return { ...base, verdict: 'invalid', anomalies: [anomaly(proof)], details }
    }
  }
}

/**
 * A search that gave up on hopeless configurations knows the verdict, but not which return is the first that cannot
 * be passed. Another without that short cut does, if it ends within a few times the effort.
 */
function exhaustive(search: Search): Search {
  if (!search.gaveUp) return search
  const again = new Search({ ...search.space, overwriters: null }, new Budget({ timeoutWallMs: NAMING_MS }))
  const steps = Math.min(search.steps * 4 + 2000, 20_000)
  return again.run(steps) === 'invalid' ? again : search
}

export function undecided(part: Part, search: Search, why: string): CheckResult {
  const { levels } = search.space
  const reason = `${why}: ${search.furthest} of ${levels} completed operations can be linearized, the rest is open after ${search.configurations.count} configurations`
  return {
    ...partly(search.space.model.name, part),
    verdict: 'unknown',
    reason,
    method: METHOD,
    details: { key: part.key, partial: proofOf(search), ...statistics(search) },
  }
}

/** The search could not even begin: there are too many operations at once. */
export function tooWide(model: Model, part: Part, memoryMb: number): CheckResult {
  const reason = `the memory limit of ${memoryMb} MB is too small for the number of operations at the same time: none was looked at`
  return {
    ...partly(model.name, part),
    verdict: 'unknown',
    reason,
    method: METHOD,
    details: { key: part.key },
  }
}

function statistics(search: Search): Record<string, unknown> {
  return {
    configurations: search.configurations.count,
    steps: search.steps,
    bytes: search.bytes,
    unobservable: search.space.dropped,
  }
}

function anomaly(proof: LinearizabilityProof): Anomaly {
  const states = [...new Set(proof.configurations.map(({ state }) => state))]
  const shown = states.length > 4 ? `${states.slice(0, 4).join(', ')}, …` : states.join(' or ')
  return {
    type: 'not-linearizable',
    message: `operation ${proof.stuck}, ${proof.description}, fits into no order: everything that completed before it did can be linearized, but then the state is ${shown}`,
    operations: [proof.stuck],
    details: proof,
  }
}
