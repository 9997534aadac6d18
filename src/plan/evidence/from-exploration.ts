/**
 * Evidence from explorations of a race, one per seed. The nemesis is the scheduler: it has landed in a schedule in which
 * at least one event overtook another. A race asserts over its own body and records no history, so it carries surface
 * claims; a serious claim needs a history and a checker besides.
 */
import type { RaceFinding } from '../../explore/finding/finding.ts'
import type { ExploreResult } from '../../explore/search/exploration.ts'
import { EVIDENCE_VERSION, type Evidence } from './evidence.ts'

/** What one exploration gave. */
export interface Exploration {
  readonly seed: number
  /** Null if a schedule broke the body. */
  readonly result: ExploreResult | null
  readonly finding: RaceFinding | null
  /** Why schedules that hold are not enough: such an exploration judges nothing. */
  readonly gaps: readonly string[]
  readonly schedules: number
  /** Schedules that differ from the plain order of events. */
  readonly preempted: number
  /** Whether the finding failed again when its schedule was replayed; null if there is none. */
  readonly failedAgain: boolean | null
}

/** The name of a race's oracle, the same for every race: a negative control must be rejected by it. */
const ORACLE = 'assertion: the body of the race'

interface Facts {
  readonly target: string
  readonly versions: Readonly<Record<string, string>>
  readonly wallMs: number
  /** Schedules that each exploration was allowed. */
  readonly iterations: number
  readonly reproducer: string | null
}

export function evidenceFromExplorations(
  explorations: readonly Exploration[],
  { target, versions, wallMs, iterations, reproducer }: Facts,
): Evidence {
  const sum = (of: (each: Exploration) => number): number =>
    explorations.reduce((total, each) => total + of(each), 0)
  const [schedules, preempted] = [sum((each) => each.schedules), sum((each) => each.preempted)]
  const found = explorations.filter(({ finding }) => finding !== null)
  const failing = found.length
  return {
    version: EVIDENCE_VERSION,
    kind: 'evidence',
    source: { kind: 'race', what: target, versions: { ...versions } },
    ended: 'completed',
    environment: { missing: [], facts: {} },
    operations: [{ f: 'schedule', ok: schedules - failing, fail: failing, info: 0 }],
    history: null,
    oracles: [
      {
        name: ORACLE,
        kind: 'assertion',
        verdict: failing > 0 ? 'invalid' : 'valid',
        checks: schedules,
        operations: null,
        ignored: null,
        when: 'during',
        reason: null,
      },
    ],
    faults: [
      {
        nemesis: 'schedule',
        injected: schedules,
        landed: preempted,
        victimSignals: preempted,
        signal: `${preempted} of ${schedules} schedules differ from the plain order of events`,
      },
    ],
    seeds: explorations.map(({ seed, finding, gaps }) => ({
      seed,
      outcome: finding !== null ? 'violated' : gaps.length > 0 ? 'unjudged' : 'held',
    })),
    violations: found.slice(0, 1).map(({ seed, finding, failedAgain }) => ({
      signature: ORACLE,
      message: finding!.failure.message,
      origin: 'oracle',
      seed,
      seeds: failing,
      reruns: { tried: failedAgain === null ? 0 : 1, failedAgain: failedAgain === true ? 1 : 0 },
      reproducer,
      artefact: null,
      story: [],
      shrunk: {
        before: finding!.shrunk.before,
        after: finding!.shrunk.after,
        runs: finding!.shrunk.runs,
        faults: [],
      },
    })),
    wallMs,
    simulatedMs: null,
    level: null,
    iterations,
    recovery: null,
    topologies: [],
    controls: [],
    notes: explorations.flatMap(({ seed, result, gaps }) =>
      result === null ? [] : [result.summary, ...gaps].map((text) => `seed ${seed}: ${text}`),
    ),
  }
}
