/** Evidence of several runs of one binding, one per seed, put together: sums, the worst verdict, the first violation. */
import type { Evidence, EvidenceFault, Oracle, Violation } from './evidence.ts'

export function mergedOperations(runs: readonly Evidence['operations'][]): Evidence['operations'] {
  const rows = new Map<string, Evidence['operations'][number]>()
  for (const { f, ok, fail, info } of runs.flat()) {
    const row = rows.get(f) ?? { f, ok: 0, fail: 0, info: 0 }
    rows.set(f, { f, ok: row.ok + ok, fail: row.fail + fail, info: row.info + info })
  }
  return [...rows.values()]
}

/** One row per nemesis; the signals of the first landing stand for all. */
export function mergedFaults(faults: readonly EvidenceFault[]): EvidenceFault[] {
  const rows = new Map<string, EvidenceFault>()
  for (const fault of faults) {
    const row = rows.get(fault.nemesis)
    if (row === undefined) rows.set(fault.nemesis, fault)
    else
      rows.set(fault.nemesis, {
        nemesis: fault.nemesis,
        injected: row.injected + fault.injected,
        landed: row.landed + fault.landed,
        victimSignals: row.victimSignals + fault.victimSignals,
        signal: row.signal ?? fault.signal,
      })
  }
  return [...rows.values()]
}

const RANK: readonly Oracle['verdict'][] = ['valid', 'unknown', 'invalid']

/** An oracle that did not say in one run how much it read has not said it at all. */
export function mergedOracles(oracles: readonly Oracle[]): Oracle[] {
  const rows = new Map<string, Oracle>()
  const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b)
  for (const oracle of oracles) {
    const row = rows.get(oracle.name)
    if (row === undefined) {
      rows.set(oracle.name, oracle)
      continue
    }
    const isWorse = RANK.indexOf(oracle.verdict) > RANK.indexOf(row.verdict)
    rows.set(oracle.name, {
      ...row,
      verdict: isWorse ? oracle.verdict : row.verdict,
      reason: isWorse ? oracle.reason : row.reason,
      checks: row.checks + oracle.checks,
      operations: sum(row.operations, oracle.operations),
      ignored: sum(row.ignored, oracle.ignored),
    })
  }
  return [...rows.values()]
}

export interface FoundViolation {
  readonly signature: string
  readonly message: string
  readonly origin: Violation['origin']
  readonly seed: number
  /** The command that runs the seed again. */
  readonly reproducer: string
  /** Where the run left its files. */
  readonly artefact: string
}

/** One violation per signature, as the first seed showed it. The caller runs it again. */
export function mergedViolations(found: readonly FoundViolation[]): Violation[] {
  const first = found.filter(
    ({ signature }, index) => found.findIndex((each) => each.signature === signature) === index,
  )
  return first.map((violation) => ({
    ...violation,
    seeds: new Set(found.filter((each) => each.signature === violation.signature).map(({ seed }) => seed))
      .size,
    reruns: { tried: 0, failedAgain: 0 },
    story: [],
    shrunk: null,
  }))
}

/** A fault record of a run as evidence: its own name, and the names by which the catalogue of nemeses knows it. */
export function faultRows(names: readonly string[], signals: number, signal: string | null): EvidenceFault[] {
  const landed = signals > 0 ? 1 : 0
  return names.map((nemesis) => ({ nemesis, injected: 1, landed, victimSignals: signals, signal }))
}
