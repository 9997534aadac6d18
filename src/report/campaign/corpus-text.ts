/** The corpus for people and for CI: what each entry is, and what a run of it gave. */
import { bugOf, faultsIn, scenarioOf, violatedBy, type CorpusEntry } from '../../failures/corpus.ts'
import type { CorpusResult, CorpusStatus } from '../../failures/corpus-verdict.ts'
import { shortPath } from '../../failures/keep.ts'
import { TRACE_VERSION, type TraceFile } from '../../failures/trace-file.ts'
import { PLAIN, type Paint } from '../form/paint.ts'
import { count as formatted, counted } from '../form/quantity.ts'
import { table } from '../form/table.ts'

const STATUSES: Readonly<
  Record<CorpusStatus, readonly [mark: string, text: string, colour: 'good' | 'bad' | 'warn' | 'dim']>
> = {
  fixed: ['✓', 'fixed', 'good'],
  failing: ['✗', 'still failing', 'bad'],
  stale: ['◌', 'stale', 'warn'],
  unreadable: ['?', 'unreadable', 'bad'],
  'left-out': ['·', 'left out', 'dim'],
}

/** What to do about an entry. */
const REMEDIES: Readonly<Partial<Record<CorpusStatus, string>>> = {
  stale:
    'it tests nothing any more: find the failure again and add it, or remove it with `wavetank corpus prune`',
  unreadable: 'restore the file from version control, or delete it',
}

export function corpusText(results: readonly CorpusResult[], paint: Paint = PLAIN): string {
  const head = `${paint.bold('corpus')}  ${entries(results.length)}${summary(results)}`
  return [head, ...results.flatMap((result) => entryLines(result, paint))].join('\n')
}

function entryLines(result: CorpusResult, paint: Paint): string[] {
  const { status, file, scenario, violated, reason, replay } = result
  const [mark, text, colour] = STATUSES[status]
  const what = scenario === null ? '' : `  ${scenario}: ${violated}`
  const remedy = REMEDIES[status]
  return [
    `  ${paint[colour](`${mark} ${text}`)}${what}  ${paint.dim(file)}`,
    ...(status === 'fixed' ? [] : [`      ${reason}`]),
    ...(status === 'failing' ? [`      ${paint.dim('again')}  ${replay}`] : []),
    ...(remedy === undefined ? [] : [`      ${remedy}`]),
  ]
}

/** `: 2 fixed, 1 stale`. */
function summary(results: readonly CorpusResult[]): string {
  const parts = (Object.keys(STATUSES) as CorpusStatus[]).flatMap((status) => {
    const count = results.filter((result) => result.status === status).length
    return count === 0 ? [] : [`${count} ${STATUSES[status][1]}`]
  })
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`
}

/** The status of an entry, in words. */
export function statusText(status: CorpusStatus): string {
  return STATUSES[status][1]
}

/** `1 entry`, `3 entries`. */
function entries(count: number): string {
  return count === 1 ? '1 entry' : `${formatted(count)} entries`
}

/** What an entry holds, as data: the list for scripts. */
export function corpusListing(all: readonly CorpusEntry[]): readonly object[] {
  return all.map((entry) =>
    entry.trace === null
      ? { file: shortPath(entry.file), problem: entry.problem, reason: entry.reason }
      : { file: shortPath(entry.file), ...described(entry.trace) },
  )
}

function described(trace: TraceFile): object {
  const { kind, seed, choices, failure, steps, wavetank, nodeVersion } = trace
  return {
    kind,
    scenario: scenarioOf(trace),
    level: trace.kind === 'simulation' ? trace.config.level : null,
    seed,
    violated: violatedBy(trace),
    message: failure.message,
    bug: bugOf(trace),
    choices: choices.length,
    faults: faultsIn(trace),
    steps,
    shrunk: trace.kind === 'simulation' ? trace.config.shrunk : trace.config.finding.shrunk,
    version: { trace: TRACE_VERSION, wavetank, node: nodeVersion },
  }
}

export function corpusList(all: readonly CorpusEntry[]): string {
  if (all.length === 0) return 'the corpus is empty; `wavetank corpus add TRACE` adds a recorded failure'
  const rows = all.map(({ file, trace }) => {
    if (trace === null)
      return ['?', '', '', 'cannot be read: `wavetank corpus check` says why', shortPath(file)]
    const faults = faultsIn(trace)
    return [
      scenarioOf(trace).name,
      trace.kind,
      `${counted(trace.choices.length, 'choice')}${faults.length === 0 ? '' : `, ${faults.join(', ')}`}`,
      violatedBy(trace),
      shortPath(file),
    ]
  })
  return table(['scenario', 'kind', 'schedule', 'violated', 'file'], rows, '').join('\n')
}
