/**
 * Evidence from runs on real processes, one per seed, read from the results of `wavetank real test`. The history is
 * recorded in the process of the clients, with one monotonic clock; which node answered is known to the client only. A
 * fault has landed if the run saw its victim.
 */
import type { CheckResult } from '../../checkers/result.ts'
import type { RealFaultRecord } from '../../real/nemeses/nemesis.ts'
import type { RealFailure, RealInvariant, RealResult } from '../../real/running/result.ts'
import { familiesOf, REAL_NEMESES } from '../catalog/mechanisms.ts'
import { HISTORY_FIELDS } from '../model/history-fields.ts'
import { EVIDENCE_VERSION, type Evidence, type EvidenceFault, type Oracle } from './evidence.ts'
import {
  faultRows,
  mergedFaults,
  mergedOperations,
  mergedOracles,
  mergedViolations,
  type FoundViolation,
} from './merge.ts'

export interface RealTest {
  readonly result: RealResult
  readonly reproducer: string
  readonly artefact: string
}

export function evidenceFromReal(
  tests: readonly RealTest[],
  { what, versions }: Pick<Evidence['source'], 'what' | 'versions'>,
): Evidence {
  const results = tests.map(({ result }) => result)
  return {
    version: EVIDENCE_VERSION,
    kind: 'evidence',
    source: { kind: 'real', what, versions },
    ended: 'completed',
    environment: { missing: [], facts: {} },
    operations: mergedOperations(results.map(({ operations }) => [...operations])),
    history:
      results.length === 0
        ? null
        : {
            operations: results.reduce((sum, result) => sum + countOf(result), 0),
            truncated: false,
            clock: 'monotonic',
            reusedIds: 0,
            outputsOfTimeouts: 0,
            fields: Object.fromEntries(
              HISTORY_FIELDS.map((field) => [field, field === 'node_seen' ? 'absent' : 'recorded']),
            ),
          },
    oracles: mergedOracles(results.flatMap(oraclesOf)),
    faults: mergedFaults(results.flatMap(({ faults }) => faults.flatMap(rowsOf))),
    seeds: results.map((result) => ({ seed: result.seed, outcome: outcomeOf(result) })),
    violations: mergedViolations(tests.flatMap(violationsOf)),
    wallMs: 0,
    simulatedMs: null,
    level: null,
    iterations: null,
    recovery: recoveryOf(results),
    topologies: [
      ...new Set(results.map(({ nodes, concurrency }) => `${nodes.length} nodes, ${concurrency} clients`)),
    ],
    controls: [],
    notes: [...new Set(results.flatMap(({ doubts }) => doubts))],
  }
}

function countOf({ operations }: RealResult): number {
  return operations.reduce((sum, { ok, fail, info }) => sum + ok + fail + info, 0)
}

/** An invariant is called with every event of the run; one that needs the tank was left out, and has decided nothing. */
function oraclesOf(result: RealResult): Oracle[] {
  const total = countOf(result)
  const ofInvariant = ({ name, checks, status, reason }: RealInvariant): Oracle => ({
    name: `invariant: ${name}`,
    kind: 'invariant',
    verdict: status === 'violated' ? 'invalid' : status === 'left out' || checks === 0 ? 'unknown' : 'valid',
    checks: status === 'left out' ? 0 : checks,
    operations: status === 'left out' ? 0 : total,
    ignored: 0,
    when: 'during',
    reason,
  })
  const ofCheck = ({ checker, verdict, checks, scope, reason }: CheckResult): Oracle => ({
    name: `checker: ${checker}`,
    kind: 'checker',
    verdict,
    checks,
    operations: scope.operations,
    ignored: scope.ignored,
    when: 'end',
    reason,
  })
  return [...result.invariants.map(ofInvariant), ...result.checks.map(ofCheck)]
}

const OF_HARNESS: ReadonlySet<RealFailure['category']> = new Set(['workload', 'mistake', 'unsupported'])

function violationsOf({ result, reproducer, artefact }: RealTest): FoundViolation[] {
  return result.failures.map(({ category, title, message }) => ({
    signature: `${category}: ${title}`,
    message,
    origin: OF_HARNESS.has(category) ? 'harness' : 'oracle',
    seed: result.seed,
    reproducer,
    artefact,
  }))
}

/** A fault that did not land keeps a real test from passing; here the question about faults is asked of all seeds together. */
function outcomeOf({
  failures,
  checks,
  invariants,
  operations,
}: RealResult): Evidence['seeds'][number]['outcome'] {
  if (failures.some(({ category }) => !OF_HARNESS.has(category))) return 'violated'
  const isChecked =
    checks.every(({ verdict }) => verdict === 'valid') &&
    (checks.length > 0 || invariants.some(({ status, checks: times }) => status === 'held' && times > 0))
  const isBusy = operations.some(({ ok }) => ok > 0)
  return failures.length === 0 && isChecked && isBusy ? 'held' : 'unjudged'
}

function rowsOf({ nemesis, landed, victim }: RealFaultRecord): EvidenceFault[] {
  const signals = landed ? Number(/^(?:all )?(\d+) /.exec(victim ?? '')?.[1] ?? 1) : 0
  return faultRows(familiesOf(REAL_NEMESES, nemesis), signals, victim)
}

/** A run that saw a fault, served again, settled and was asked its last questions. */
function recoveryOf(results: readonly RealResult[]): Evidence['recovery'] {
  if (results.every(({ faults }) => faults.every(({ landed }) => !landed))) return null
  return { completed: results.every(({ failures }) => failures.length === 0), tookMs: null }
}
