/**
 * Where recorded failures are kept, below the project's `.wavetank`:
 *
 * - `runs/<time>-<name>/f1.json`, `f2.json`, …: of a campaign, one failing seed per unique bug; while the campaign runs,
 *   or if it was killed, `seed-<number>.json`, the seed that showed a bug first, not shrunk;
 * - `races/<file>/<groups>/<title>.trace.json`: of a race, the newest finding.
 *
 * In each of the two, `latest` is a link to what was kept last: the folder of a campaign, the trace of a race. A command
 * that takes a trace also takes the folder, and means its first failure. Every file is written whole or not at all.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { raceName } from '../explore/authoring/race-collection.ts'
import { UsageError } from '../kernel/errors.ts'
import { keyOf } from '../kernel/prng.ts'
import { writeWhole } from './whole-file.ts'
import { parseTrace, printTrace, type TraceFile } from './trace-file.ts'

const FIRST_FAILURE = 'f1.json'

/** Writes a trace; returns the command that replays it. */
export function keepTrace(path: string, trace: TraceFile): string {
  mkdirSync(dirname(path), { recursive: true })
  writeWhole(path, printTrace(trace))
  return replayCommand(path)
}

export function replayCommand(path: string): string {
  const shown = shortPath(path)
  return `npx wavetank replay ${/^[\p{L}\p{N}_./@:+-]+$/u.test(shown) ? shown : JSON.stringify(shown)}`
}

/** Reads a trace of either kind from a file, or from the folder of a campaign. */
export function openTrace(path: string): TraceFile {
  let text: string
  try {
    text = readFileSync(statSync(path).isDirectory() ? firstIn(path) : path, 'utf8')
  } catch (error) {
    const message = `${path} cannot be read: ${(error as Error).message}`
    throw new UsageError('ERR_WAVETANK_TRACE_FILE', message, { cause: error })
  }
  return parseTrace(text, path)
}

/** The first failure of a campaign; of one that was killed, the first that it had found. */
function firstIn(folder: string): string {
  const names = readdirSync(folder).sort()
  const found = names.includes(FIRST_FAILURE)
    ? undefined
    : names.find((name) => /^seed-\d+\.json$/.test(name))
  return join(folder, found ?? FIRST_FAILURE)
}

/** Makes a folder for a campaign's failures, and links `latest` to it. */
export function makeRunFolder(output: string, name: string, now: Date): string {
  const stamp = now.toISOString().replace(/[:.]/g, '-').slice(0, 19)
  mkdirSync(output, { recursive: true })
  for (let n = 1; ; n++) {
    const folder = join(output, `${stamp}-${name.replace(/[^\w-]+/g, '-')}${n === 1 ? '' : `-${n}`}`)
    if (!isMade(folder)) continue
    linkLatest(output, folder)
    return folder
  }
}

/** False if it is there already: another thread keeps failures of the same simulation in the same second. */
function isMade(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Where the n-th failure of a campaign is kept. */
export function failurePath(folder: string, n: number): string {
  return join(folder, `f${n}.json`)
}

/** Where a failure is kept when it is first seen. */
export function foundPath(folder: string, seed: number): string {
  return join(folder, `seed-${seed}.json`)
}

/** The command that runs a seed again, for a failure that is not kept. */
export function seedCommand(name: string, level: string, seed: number): string {
  return `npx wavetank run ${JSON.stringify(name).replace(/^"([\w.-]+)"$/, '$1')} --level ${level} --seed ${seed}`
}

export interface RaceIdentity {
  readonly file: string
  readonly title: string
  readonly suite?: string | undefined
}

const RACES = join('.wavetank', 'races')

/** Where the finding of a race is kept, relative to the project: in a folder for each group around it. */
export function racePath({ file, title, suite = file }: RaceIdentity): string {
  const names = title.split(raceName(['', ''])).map(fileName)
  return `${join(RACES, fileName(suite), ...names)}.trace.json`
}

/** Keeps the finding of a race; returns the command that replays it. */
export function keepRace(root: string, race: RaceIdentity, trace: TraceFile): string {
  const path = join(root, racePath(race))
  const command = keepTrace(path, trace)
  linkLatest(join(root, RACES), path)
  return command
}

/** Replaces the link in one step, since tests run in several processes at once. */
function linkLatest(folder: string, target: string): void {
  const latest = join(folder, 'latest')
  const made = join(folder, `.latest-${process.pid}-${basename(target)}`)
  try {
    rmSync(made, { force: true })
    symlinkSync(relative(folder, target), made)
    renameSync(made, latest)
  } catch {
    rmSync(made, { force: true }) // a file system without links: the file's own name is printed anyway
  }
}

const NAME_LENGTH = 80

/** A name that every file system takes. If more than spaces and slashes had to go, a hash tells it from others. */
function fileName(text: string): string {
  const name = text.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, NAME_LENGTH)
  const isWhole = text.length <= NAME_LENGTH && /^[\p{L}\p{N}._ /-]+$/u.test(text) && !/^\.+$/.test(text)
  return isWhole ? name : `${name}-${keyOf(text).lo.toString(16)}`
}

/** A path as people paste it: relative if it lies below the working directory. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), resolve(path))
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short
}
