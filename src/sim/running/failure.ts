/**
 * What went wrong in a run, as data. A failure has a *category* (which promise of the run was broken, or which detector
 * fired), a *title* (which one) and a message. Its *signature* is the identity of the bug: category, title, the shape of
 * the message (see `kernel/message-shape.ts`) or, if it has no words, the kind of operation that showed it. Two failures
 * with one signature are one bug; shrinking keeps the signature and throws everything else away. So one broad check does not hide three bugs.
 */
import { messageShape } from '../../kernel/message-shape.ts'

export type FailureCategory =
  /** An invariant was violated after a step. */
  | 'invariant'
  /** An `always`, `unreachable` or numeric `always` was false. */
  | 'assertion'
  /** `check` threw on purpose. */
  | 'check'
  /** A checker returned `invalid`. */
  | 'checker'
  /** A process ended by itself with a code other than 0: an uncaught exception, an unhandled rejection, `process.exit`. */
  | 'process-exit'
  /** Another part of the workload threw outside an operation, or the workload's process died. */
  | 'workload'
  /** Nothing can happen any more, and the workload is not finished. */
  | 'deadlock'
  /** Steps without end while virtual time stands still. */
  | 'livelock'
  /** The virtual-time budget is spent: something re-arms itself forever. */
  | 'time-budget'
  /** The step budget is spent. */
  | 'step-budget'
  /** A callback did not return: seen from outside the thread. */
  | 'stuck'
  /** The run's thread ran out of memory. The limit is the tank's: the run says nothing. */
  | 'out-of-memory'
  /** The run's thread died. The run says nothing. */
  | 'crashed'
  /** `settled` did not become true in time after every fault had ended. */
  | 'unsettled'
  /** The simulation's own code has a mistake, such as a TypeError in an invariant. The run says nothing. */
  | 'mistake'
  /** A replayed program asked for other choices than the recorded one. The run says nothing. */
  | 'divergence'
  /** The program asked for a feature of Node that the tank does not have. The run says nothing. */
  | 'unsupported'

export interface Failure {
  readonly category: FailureCategory
  /** Which invariant, assertion, checker or process. */
  readonly title: string
  /** The identity of the bug: see {@link signatureOf}. */
  readonly signature: string
  /** One sentence: what was seen. */
  readonly message: string
  /** The step and virtual time at which it was seen. */
  readonly step: number
  readonly timeUs: number
  /** The process that was running, or null. */
  readonly process: string | null
  /** Source-mapped; null if there is none. */
  readonly stack: string | null
  /** Evidence of the check's own: a checker's result, an assertion's details. */
  readonly details: unknown
}

/** Categories whose messages are the tank's own: they have numbers and names of processes, and no words of the check. */
const SAID_BY_THE_TANK: ReadonlySet<FailureCategory> = new Set<FailureCategory>([
  'assertion', // the title is the whole message
  'deadlock',
  'livelock',
  'time-budget',
  'step-budget',
  'stuck',
  'out-of-memory',
  'crashed',
  'unsettled',
  'divergence',
])

/** What the message of an invariant is that only says `false`. */
const WORDLESS = /^(?:# does not hold|[^a-z]*)$/i

/**
 * What two failures share if they are the same bug. A message with words of its own says which bug it is. For one without,
 * the kind of the operation that showed it says so. Both together would be too much: one lost write is seen by `get` as
 * well as by `cas`, and a shrinker that must keep the `cas` ends at 44 choices and 4 faults where 20 and 2 are enough.
 */
export function signatureOf(
  { category, title, message }: Pick<Failure, 'category' | 'title' | 'message'>,
  /** What a checker calls the anomaly: better than its message, which may describe one anomaly in several ways. */
  anomaly: string | null = null,
  /** The kind of the operation whose outcome showed it. */
  operation: string | null = null,
): string {
  const shape = anomaly ?? (SAID_BY_THE_TANK.has(category) ? '' : messageShape(message))
  const what = WORDLESS.test(shape) ? operation : shape
  return `${category}: ${title}${what === null || what === '' || what === title ? '' : ` (${what})`}`
}

/** Failures that say nothing about the system under test, only that a run could not be judged. */
const UNJUDGED: ReadonlySet<FailureCategory> = new Set<FailureCategory>([
  'mistake',
  'divergence',
  'unsupported',
  'out-of-memory',
  'crashed',
])

export function isViolation(failure: Pick<Failure, 'category'>): boolean {
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
    const { signature } = entry.failure
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
