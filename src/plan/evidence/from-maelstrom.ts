/**
 * Evidence from Maelstrom tests, one per seed, read from what `wavetank maelstrom test` stores. The history is
 * Maelstrom's: operations are paired by process, so that ids are derived; so is the fault epoch, from the nemesis's own
 * operations. A fault has landed if its record has a signal of its victims.
 */
import type { FaultRecord } from '../../maelstrom/running/fault-evidence.ts'
import type { LoggedOperation } from '../../maelstrom/running/operation-log.ts'
import type { Results } from '../../maelstrom/running/results.ts'
import type { TestFacts } from '../../maelstrom/store.ts'
import type { Validity } from '../../maelstrom/workloads/workload.ts'
import { familiesOf, MAELSTROM_NEMESES } from '../catalog/mechanisms.ts'
import { EVIDENCE_VERSION, type Evidence, type EvidenceFault, type Oracle } from './evidence.ts'
import {
  faultRows,
  mergedFaults,
  mergedOperations,
  mergedOracles,
  mergedViolations,
  type FoundViolation,
} from './merge.ts'

export interface MaelstromRun {
  readonly facts: TestFacts
  readonly results: Results
  readonly operations: readonly LoggedOperation[]
  readonly faults: readonly FaultRecord[]
  readonly reproducer: string
  readonly artefact: string
}

const PROTOCOL = 'assertion: nodes keep the protocol'
const AVAILABILITY = 'metric: availability'

export function evidenceFromMaelstrom(
  runs: readonly MaelstromRun[],
  { what, versions }: Pick<Evidence['source'], 'what' | 'versions'>,
): Evidence {
  return {
    version: EVIDENCE_VERSION,
    kind: 'evidence',
    source: { kind: 'maelstrom', what, versions },
    ended: 'completed',
    environment: { missing: [], facts: {} },
    operations: mergedOperations(runs.map(countsOf)),
    history: historyOf(runs),
    oracles: mergedOracles(runs.flatMap(oraclesOf)),
    faults: mergedFaults(runs.flatMap(({ faults }) => faults.flatMap(rowsOf))),
    seeds: runs.map((run) => ({ seed: run.facts.seed, outcome: outcomeOf(run) })),
    violations: mergedViolations(runs.flatMap(violationsOf)),
    wallMs: 0,
    simulatedMs: simulatedMs(runs),
    level: null,
    iterations: null,
    recovery: recoveryOf(runs),
    topologies: [
      ...new Set(runs.map(({ facts }) => `${facts.nodes.length} nodes, ${facts.concurrency} clients`)),
    ],
    controls: [],
    notes: [],
  }
}

function countsOf({ results }: MaelstromRun): Evidence['operations'] {
  const byFunction = (results.stats['by-f'] ?? {}) as Readonly<
    Record<string, Readonly<Record<string, number>>>
  >
  return Object.entries(byFunction).map(([f, row]) => ({
    f,
    ok: row['ok-count'],
    fail: row['fail-count'],
    info: row['info-count'],
  }))
}

function countOf({ results }: MaelstromRun): number {
  return Number(results.stats.count ?? 0)
}

function historyOf(runs: readonly MaelstromRun[]): Evidence['history'] {
  if (runs.length === 0) return null
  const isNodeKnown = runs.every(({ operations }) =>
    clientsOf(operations).every(({ node }) => node !== undefined),
  )
  const invoked = runs.map(
    ({ operations }) => clientsOf(operations).filter(({ type }) => type === 'invoke').length,
  )
  return {
    operations: invoked.reduce((sum, count) => sum + count, 0),
    // The results count what the harness asked: a file with other operations is not the whole history.
    truncated: runs.some((run, index) => run.results.interrupted === true || countOf(run) !== invoked[index]),
    clock: runs[0].facts.clock,
    reusedIds: runs.reduce(
      (sum, { operations }) => sum + operations.length - new Set(operations.map(({ index }) => index)).size,
      0,
    ),
    outputsOfTimeouts: runs.reduce((sum, { operations }) => sum + outputsOfTimeouts(operations), 0),
    fields: {
      op_id: 'derived',
      process_id: 'recorded',
      invoke_ts: 'recorded',
      complete_ts: 'recorded',
      op_type: 'recorded',
      key: 'derived',
      input: 'recorded',
      output: 'recorded',
      error: 'recorded',
      timeout_marker: 'recorded',
      node_seen: isNodeKnown ? 'recorded' : 'absent',
      fault_epoch: 'derived',
    },
  }
}

function clientsOf(operations: readonly LoggedOperation[]): LoggedOperation[] {
  return operations.filter(({ process }) => process !== 'nemesis')
}

/** What is not known has the value of its request, and nothing else. */
function outputsOfTimeouts(operations: readonly LoggedOperation[]): number {
  const asked = new Map<LoggedOperation['process'], string>()
  let outputs = 0
  for (const { process, type, value } of clientsOf(operations)) {
    const text = JSON.stringify(value)
    if (type === 'invoke') asked.set(process, text)
    else if (type === 'info' && asked.get(process) !== text) outputs++
  }
  return outputs
}

const VERDICTS: readonly (readonly [Validity, Oracle['verdict']])[] = [
  [true, 'valid'],
  [false, 'invalid'],
  ['unknown', 'unknown'],
]

function verdictOf(validity: Validity): Oracle['verdict'] {
  return VERDICTS.find(([known]) => known === validity)?.[1] ?? 'unknown'
}

function oraclesOf(run: MaelstromRun): Oracle[] {
  const { facts, results } = run
  const operations = countOf(run)
  const { workload, nodes, availability, net } = results
  const surface = { operations: null, ignored: null, when: 'during' as const, reason: null }
  return [
    {
      name: checkerName(facts),
      kind: 'checker',
      verdict: operations === 0 ? 'unknown' : verdictOf(workload['valid?']),
      checks: operations,
      operations,
      ignored: 0,
      when: 'end',
      reason: workload['valid?'] === 'unknown' ? (workload.findings?.[0] ?? 'the results are unknown') : null,
    },
    {
      ...surface,
      name: PROTOCOL,
      kind: 'assertion',
      verdict: verdictOf(nodes['valid?']),
      checks: net.all['recv-count'],
    },
    ...(facts.availability === null
      ? []
      : [
          {
            ...surface,
            name: AVAILABILITY,
            kind: 'metric' as const,
            verdict: verdictOf(availability['valid?']),
            checks: operations,
          },
        ]),
  ]
}

function checkerName({ workload }: TestFacts): string {
  return `checker: maelstrom ${workload}`
}

function violationsOf({ facts, results, reproducer, artefact }: MaelstromRun): FoundViolation[] {
  const { workload, nodes, availability } = results
  const found = { seed: facts.seed, reproducer, artefact }
  const missing = nodes.errors.filter(({ kind }) => kind === 'not-started')
  if (missing.length > 0)
    return [
      { ...found, signature: 'environment: not-started', message: missing[0].text, origin: 'environment' },
    ]
  const violations: FoundViolation[] = []
  const add = (signature: string, message: string): void =>
    void violations.push({ ...found, signature, message, origin: 'oracle' })
  if (workload['valid?'] === false)
    add(checkerName(facts), workload.findings?.[0] ?? `the history is not a valid ${facts.workload}`)
  if (nodes['valid?'] === false) {
    const [first] = nodes.errors
    add(
      PROTOCOL,
      first === undefined ? 'a node broke the protocol' : `${first.kind}: ${first.node} ${first.text}`,
    )
  }
  if (availability['valid?'] === false)
    add(AVAILABILITY, `only ${availability['ok-fraction']} of the operations succeeded`)
  return violations
}

function outcomeOf(run: MaelstromRun): Evidence['seeds'][number]['outcome'] {
  const violations = violationsOf(run)
  if (violations.some(({ origin }) => origin === 'oracle')) return 'violated'
  const isJudged =
    violations.length === 0 && run.results['valid?'] === true && run.results.interrupted !== true
  return isJudged ? 'held' : 'unjudged'
}

function rowsOf({ nemesis, shape, signals, victim }: FaultRecord): EvidenceFault[] {
  const name = shape === undefined ? nemesis : `${nemesis}:${shape}`
  return faultRows(familiesOf(MAELSTROM_NEMESES, name), signals, victim)
}

function simulatedMs(runs: readonly MaelstromRun[]): number | null {
  if (runs.length === 0 || runs.some(({ facts }) => facts.clock !== 'virtual')) return null
  return runs.reduce((sum, { operations }) => sum + (operations.at(-1)?.time ?? 0) / 1e6, 0)
}

const ENDS: ReadonlySet<string> = new Set(['stop-partition', 'start', 'resume'])

/** Recovered: what was asked after a fault was over succeeded. Nothing is known if nothing was asked then. */
function recoveryOf(runs: readonly MaelstromRun[]): Evidence['recovery'] {
  const succeeded = runs.flatMap(({ operations }) => {
    const over = operations.find(({ process, f }) => process === 'nemesis' && ENDS.has(f))
    if (over === undefined) return []
    const later = clientsOf(operations).filter(({ time }) => time > over.time)
    return later.some(({ type }) => type === 'invoke') ? [later.some(({ type }) => type === 'ok')] : []
  })
  return succeeded.length === 0 ? null : { completed: succeeded.every(Boolean), tookMs: null }
}
