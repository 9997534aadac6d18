/**
 * The assertions of a run: what was claimed in code, how often it was reached, and how often it was true. Assertions
 * record and go on; what their counts mean is decided here:
 *
 * - `always`: fails when it was false once, and, over a campaign, when it was never reached;
 * - `always-or-unreachable`: fails when it was false once;
 * - `sometimes`, `reachable`: a *coverage gap* when never true, over a campaign;
 * - `unreachable`: fails when reached;
 * - numeric forms keep the value nearest to breaking (or reaching) their bound, for people and for exploration;
 * - `sometimes-all`: the most of its named conditions that were true together; a gap until all were;
 * - `sometimes-each`: one bucket per combination of values seen; a gap when no bucket was ever seen;
 * - `situation`: counted when it occurs, and reported apart (`campaign/situations.ts`).
 */

export type AssertionKind =
  | 'always'
  | 'always-or-unreachable'
  | 'sometimes'
  | 'reachable'
  | 'unreachable'
  | 'sometimes-all'
  | 'sometimes-each'
  | 'situation'

export interface AssertionSummary {
  readonly kind: AssertionKind
  readonly message: string
  /** How often it was evaluated. Zero: the call site was compiled, and never reached. */
  readonly reached: number
  readonly passed: number
  readonly failed: number
  /** For numeric forms: `left ≤ right` and the like, and the least margin seen; null for others. */
  readonly bound: { readonly relation: Relation; readonly left: number; readonly right: number } | null
  /** For `sometimes-all`: the most conditions true together, and how many there are. */
  readonly frontier: { readonly best: number; readonly of: number } | null
  /** For `sometimes-each`: combinations seen. */
  readonly buckets: readonly string[]
}

export type Relation = '<' | '≤' | '>' | '≥'

/** More distinct assertions or buckets than these are a mistake in the program, and said aloud. */
const MAX_ASSERTIONS = 4096
const MAX_BUCKETS = 1024

interface Entry {
  kind: AssertionKind
  message: string
  reached: number
  passed: number
  failed: number
  bound: AssertionSummary['bound']
  margin: number
  frontier: AssertionSummary['frontier']
  readonly buckets: Set<string>
}

export type AssertionStatus = 'pass' | 'fail' | 'miss'

export class AssertionTable {
  private readonly entries = new Map<string, Entry>()
  private readonly overflow: (message: string) => void

  /** Calls `overflow` once when a table is full: silence would look like coverage. */
  constructor(overflow: (message: string) => void) {
    this.overflow = overflow
  }

  /** A call site that exists in compiled code. */
  declare(kind: AssertionKind, message: string): void {
    this.entry(kind, message)
  }

  evaluate(kind: AssertionKind, message: string, condition: boolean): void {
    const entry = this.entry(kind, message)
    entry.reached++
    if (condition) entry.passed++
    else entry.failed++
  }

  evaluateNumeric(
    kind: AssertionKind,
    message: string,
    left: number,
    relation: Relation,
    right: number,
  ): boolean {
    const holds = holdsNumerically(left, relation, right)
    const entry = this.entry(kind, message)
    entry.reached++
    if (holds) entry.passed++
    else entry.failed++
    const margin = relation === '<' || relation === '≤' ? right - left : left - right
    const nearer = kind === 'sometimes' ? margin > entry.margin : margin < entry.margin
    if (entry.bound === null || nearer) {
      entry.bound = { relation, left, right }
      entry.margin = margin
    }
    return holds
  }

  evaluateAll(message: string, conditions: Readonly<Record<string, boolean>>): void {
    const values = Object.values(conditions)
    const best = values.filter(Boolean).length
    this.evaluate('sometimes-all', message, best === values.length)
    const entry = this.entry('sometimes-all', message)
    if (entry.frontier === null || best > entry.frontier.best) entry.frontier = { best, of: values.length }
  }

  evaluateEach(message: string, keys: Readonly<Record<string, string | number | boolean>>): void {
    this.evaluate('sometimes-each', message, true)
    const { buckets } = this.entry('sometimes-each', message)
    if (buckets.size >= MAX_BUCKETS) {
      this.overflow(
        `sometimesEach '${message}' has more than ${MAX_BUCKETS} combinations; the rest are not counted`,
      )
      return
    }
    buckets.add(
      Object.entries(keys)
        .map(([key, value]) => `${key}=${value}`)
        .join(' '),
    )
  }

  /** In order of kind and message, so that two threads that met them in another order agree. */
  summaries(): AssertionSummary[] {
    const all = [...this.entries.values()].map((entry) => ({
      kind: entry.kind,
      message: entry.message,
      reached: entry.reached,
      passed: entry.passed,
      failed: entry.failed,
      bound: entry.bound,
      frontier: entry.frontier,
      buckets: [...entry.buckets].sort(),
    }))
    return all.sort(byIdentity)
  }

  private entry(kind: AssertionKind, message: string): Entry {
    const key = `${kind} ${message}`
    let entry = this.entries.get(key)
    if (entry === undefined) {
      entry = emptyEntry(kind, message)
      if (this.entries.size < MAX_ASSERTIONS) this.entries.set(key, entry)
      else this.overflow(`more than ${MAX_ASSERTIONS} assertions; their messages must be constant`)
    }
    return entry
  }
}

function emptyEntry(kind: AssertionKind, message: string): Entry {
  const margin = kind === 'sometimes' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  return {
    kind,
    message,
    reached: 0,
    passed: 0,
    failed: 0,
    bound: null,
    margin,
    frontier: null,
    buckets: new Set(),
  }
}

function byIdentity(a: AssertionSummary, b: AssertionSummary): number {
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1
  return a.message < b.message ? -1 : a.message > b.message ? 1 : 0
}

function holdsNumerically(left: number, relation: Relation, right: number): boolean {
  if (relation === '<') return left < right
  if (relation === '≤') return left <= right
  if (relation === '>') return left > right
  return left >= right
}

const KINDS: Readonly<Record<string, AssertionKind>> = {
  alwaysOrUnreachable: 'always-or-unreachable',
  sometimesAll: 'sometimes-all',
  sometimesEach: 'sometimes-each',
  reachable: 'reachable',
  unreachable: 'unreachable',
  situation: 'situation',
}

/** The kind of an assertion by the name of its function; the numeric forms are `always` or `sometimes`. */
export function kindOfCall(name: string): AssertionKind {
  return KINDS[name] ?? (name.startsWith('always') ? 'always' : 'sometimes')
}

/** Whether a kind promises something (a failure when broken) or hopes for something (a gap when never seen). */
export function isPromise(kind: AssertionKind): boolean {
  return kind === 'always' || kind === 'always-or-unreachable' || kind === 'unreachable'
}

/** What the counts of a whole campaign mean. */
export function statusOf(summary: AssertionSummary): AssertionStatus {
  switch (summary.kind) {
    case 'always':
      return summary.failed > 0 ? 'fail' : summary.reached === 0 ? 'miss' : 'pass'
    case 'always-or-unreachable':
      return summary.failed > 0 ? 'fail' : 'pass'
    case 'unreachable':
      return summary.reached > 0 ? 'fail' : 'pass'
    default:
      return summary.passed > 0 ? 'pass' : 'miss'
  }
}

/** Adds up the assertions of many runs. */
export function mergeAssertions(runs: Iterable<readonly AssertionSummary[]>): AssertionSummary[] {
  const merged = new Map<string, AssertionSummary>()
  for (const run of runs) {
    for (const one of run) {
      const key = `${one.kind} ${one.message}`
      const before = merged.get(key)
      merged.set(key, before === undefined ? one : mergeTwo(before, one))
    }
  }
  return [...merged.values()].sort(byIdentity)
}

function mergeTwo(a: AssertionSummary, b: AssertionSummary): AssertionSummary {
  return {
    kind: a.kind,
    message: a.message,
    reached: a.reached + b.reached,
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    bound: nearest(a.kind, a.bound, b.bound),
    frontier:
      a.frontier === null || (b.frontier !== null && b.frontier.best > a.frontier.best)
        ? b.frontier
        : a.frontier,
    buckets: b.buckets.length === 0 ? a.buckets : [...new Set([...a.buckets, ...b.buckets])].sort(),
  }
}

function nearest(
  kind: AssertionKind,
  a: AssertionSummary['bound'],
  b: AssertionSummary['bound'],
): AssertionSummary['bound'] {
  if (a === null || b === null) return a ?? b
  const below = a.relation === '<' || a.relation === '≤'
  const marginA = below ? a.right - a.left : a.left - a.right
  const marginB = below ? b.right - b.left : b.left - b.right
  return (kind === 'sometimes' ? marginB > marginA : marginB < marginA) ? b : a
}
