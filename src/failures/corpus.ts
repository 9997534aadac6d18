/**
 * The corpus: failures that a project keeps forever, in a folder that people commit. An entry is a trace file like any
 * other, so it holds all that a failure needs to happen again: the scenario, the schedule, the faults, the versions, and
 * what was violated. Its name is made from the scenario, the promise, and a hash of the schedule.
 *
 * An entry that cannot be read stops no other entry: reading the folder gives a problem in its place.
 */
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../kernel/errors.ts'
import { keepTrace, openTrace, shortPath } from './keep.ts'
import { contentHash, type TraceFile } from './trace-file.ts'
import { unwritableFolder } from './whole-file.ts'

/** Where the corpus lies in a project, unless the configuration says otherwise. */
export const CORPUS_FOLDER = 'wavetank-corpus'

export type CorpusEntry =
  | { readonly file: string; readonly trace: TraceFile }
  /** `stale`: a trace of another version. */
  | { readonly file: string; readonly trace: null; readonly problem: 'stale' | 'unreadable'; reason: string }

/** Every entry of a corpus, in the order of the file names. A folder that does not exist has none. */
export function readCorpus(folder: string): CorpusEntry[] {
  if (!existsSync(folder)) return []
  return namesIn(folder)
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .map((name) => readEntry(join(folder, name)))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    const message = `the corpus ${folder} cannot be read: ${(error as Error).message}; expected a folder of trace files`
    throw new UsageError('ERR_WAVETANK_CORPUS', message, { cause: error })
  }
}

function readEntry(file: string): CorpusEntry {
  try {
    return { file, trace: openTrace(file) }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const problem = error.code === 'ERR_WAVETANK_TRACE_VERSION' ? 'stale' : 'unreadable'
    return { file, trace: null, problem, reason: error.message }
  }
}

/** What a trace is of: the name of a simulation, or the title of a race. */
export function scenarioOf(trace: TraceFile): { readonly file: string; readonly name: string } {
  if (trace.kind === 'simulation') return trace.config.simulation
  const { file, title } = trace.config.race
  return { file, name: title }
}

/** The identity of the bug that a trace shows. */
export function bugOf(trace: TraceFile): string {
  return trace.kind === 'simulation' ? trace.failure.signature : trace.failure.key
}

/** What was violated, in a line. */
export function violatedBy(trace: TraceFile): string {
  const { category } = trace.failure
  return trace.kind === 'simulation' ? `${category}: ${trace.failure.title}` : category
}

/** The fault families that strike in a trace, from its choices. */
export function faultsIn({ choices }: TraceFile): string[] {
  const families = choices
    .filter(({ label, value }) => label === 'strike' && value === 1)
    .map(({ entity }) => /^nemesis (\S+) (?:aimed )?#\d+$/.exec(entity)?.[1])
  return [...new Set(families.filter((family) => family !== undefined))].sort()
}

/** The file of an entry: two traces with one name are one schedule of one bug. */
export function entryPath(folder: string, trace: TraceFile): string {
  const { file, name } = scenarioOf(trace)
  const level = trace.kind === 'simulation' ? trace.config.level : null
  const identity = JSON.stringify([trace.kind, file, name, level, bugOf(trace), scheduleOf(trace)])
  const title = trace.kind === 'simulation' ? trace.failure.title : trace.failure.category
  return join(folder, `${slug(name)}-${slug(title)}-${contentHash(identity).slice(0, 8)}.json`)
}

/** The choices of a trace in an order of their own: a trace file groups them by stream. */
function scheduleOf({ choices }: TraceFile): string[] {
  return choices
    .map(({ entity, label, index, n, value }) => JSON.stringify([entity, label, index, n, value]))
    .sort()
}

const SLUG_LENGTH = 40

function slug(text: string): string {
  const name = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')
  return name.slice(0, SLUG_LENGTH).replace(/^-+|-+$/g, '')
}

/** Refuses a folder in which no entry can be written. */
export function checkCorpusFolder(folder: string): void {
  const problem = unwritableFolder(folder)
  if (problem === null) return
  throw new UsageError(
    'ERR_WAVETANK_CORPUS',
    `corpus add: ${folder} cannot be written: ${problem}; expected a folder that is there or can be made. ` +
      'Make it writable, or name another folder as `corpus` in wavetank.config.ts',
  )
}

/** Refuses a trace that the corpus has already. */
export function refuseDuplicate(folder: string, trace: TraceFile): void {
  const file = entryPath(folder, trace)
  if (!existsSync(file)) return
  throw new UsageError(
    'ERR_WAVETANK_CORPUS_DUPLICATE',
    `corpus add: ${shortPath(file)} has this schedule of this bug already; expected a failure that is not in the corpus. ` +
      'Nothing has to be done; to write it anew, remove the file first',
  )
}

export interface AddedEntry {
  readonly file: string
  /** Entries of the same bug with another schedule. */
  readonly alike: readonly string[]
}

export function addToCorpus(folder: string, trace: TraceFile): AddedEntry {
  checkCorpusFolder(folder)
  refuseDuplicate(folder, trace)
  const file = entryPath(folder, trace)
  const alike = readCorpus(folder).filter((entry) => entry.trace !== null && isSameBug(entry.trace, trace))
  mkdirSync(folder, { recursive: true })
  keepTrace(file, trace)
  return { file, alike: alike.map((entry) => entry.file) }
}

function isSameBug(a: TraceFile, b: TraceFile): boolean {
  const [one, other] = [scenarioOf(a), scenarioOf(b)]
  return one.file === other.file && one.name === other.name && bugOf(a) === bugOf(b)
}
