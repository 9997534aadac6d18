/**
 * What went wrong in a run, as data. A failure has a *category* (which promise of the run was broken, or which detector
 * fired) and a *title* (which one). Both together are its signature: two failures with one signature are one bug until
 * somebody shows otherwise, and shrinking keeps the signature while it throws everything else away.
 */

export type FailureCategory =
  /** An invariant was violated after a step. */
  | 'invariant'
  /** An `always`, `unreachable` or numeric `always` was false. */
  | 'assertion'
  /** `check` threw. */
  | 'check'
  /** A checker returned `invalid`. */
  | 'checker'
  /** A process ended by itself: an uncaught exception, an unhandled rejection, an exit nobody ordered. */
  | 'process-exit'
  /** `setup`, `open` or `run` threw outside an operation, or the workload process died. */
  | 'workload'
  /** Nobody can move, and the workload is not finished. */
  | 'deadlock'
  /** Steps without end while virtual time stands still. */
  | 'livelock'
  /** The virtual-time budget is spent: something re-arms itself for ever. */
  | 'time-budget'
  /** The step budget is spent. */
  | 'step-budget'
  /** A callback did not return: seen from outside the thread. */
  | 'stuck'
  /** `settled` did not become true in time after everything was healed. */
  | 'unsettled'
  /** Two runs of one seed differ. */
  | 'nondeterminism'
  /** A replayed program asked for other choices than the recorded one. */
  | 'divergence'
  /** The program asked for something the tank does not have. */
  | 'unsupported'

export interface Failure {
  readonly category: FailureCategory
  /** Which invariant, assertion, checker or process. */
  readonly title: string
  /** One sentence: what was seen. */
  readonly message: string
  /** The step and virtual time at which it was seen. */
  readonly step: number
  readonly timeUs: number
  /** The process that was running, or null. */
  readonly process: string | null
  /** Source-mapped, when there is one. */
  readonly stack: string | null
  /** Evidence of the check's own: a checker's result, an assertion's details. */
  readonly details: unknown
}

/** What two failures share when they are the same bug. */
export function signatureOf(failure: Pick<Failure, 'category' | 'title'>): string {
  return `${failure.category}: ${failure.title}`
}

/** Failures that say nothing about the system under test, only that a run could not be judged. */
const UNJUDGED: ReadonlySet<FailureCategory> = new Set<FailureCategory>([
  'unsupported',
  'nondeterminism',
  'divergence',
])

export function isViolation(failure: Failure): boolean {
  return !UNJUDGED.has(failure.category)
}

/** One bug as far as signatures can tell, with the seeds that show it. */
export interface UniqueBug {
  readonly signature: string
  readonly category: FailureCategory
  readonly title: string
  /** The message of its first seed. */
  readonly message: string
  readonly count: number
  /** Ascending; at most {@link KEPT_SEEDS}. */
  readonly seeds: readonly number[]
}

const KEPT_SEEDS = 20

/** Groups failing seeds by signature: the most frequent bug first, then by signature. */
export function uniqueBugs(
  failing: readonly { readonly seed: number; readonly failure: Failure }[],
): UniqueBug[] {
  const groups = new Map<string, { seed: number; failure: Failure }[]>()
  for (const entry of failing) {
    const signature = signatureOf(entry.failure)
    const group = groups.get(signature)
    if (group === undefined) groups.set(signature, [entry])
    else group.push(entry)
  }
  const bugs: UniqueBug[] = []
  for (const [signature, group] of groups) {
    group.sort((a, b) => a.seed - b.seed)
    const { category, title, message } = group[0].failure
    const seeds = group.slice(0, KEPT_SEEDS).map((entry) => entry.seed)
    bugs.push({ signature, category, title, message, count: group.length, seeds })
  }
  return bugs.sort((a, b) => b.count - a.count || (a.signature < b.signature ? -1 : 1))
}
