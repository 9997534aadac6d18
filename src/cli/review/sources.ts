/**
 * Which files a review reads, and which of their lines a change touches. Tests, and what a build wrote, are read only if
 * they are named: they do not run in the tank.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { git } from '../../host/git.ts'
import { UsageError } from '../../kernel/errors.ts'
import type { SourceText } from '../../review/index.ts'

const SOURCE = /\.[cm]?[jt]sx?$/
const NOT_READ = /\.d\.[cm]?ts$|\.min\.[cm]?js$/
const TEST = /[.-](test|spec|test-support|bench)\.[cm]?[jt]sx?$/
const SKIPPED = new Set([
  'node_modules',
  'dist',
  'build',
  'coverage',
  'vendor',
  'test',
  'tests',
  '__tests__',
  'fixtures',
])

/** A file larger than this was written by a program. */
const LARGEST_BYTES = 1_000_000

/** The sources below some paths, in the order of their names, relative to a folder. */
export function* sourcesOf(paths: readonly string[], folder: string): Generator<SourceText> {
  const seen = new Set<string>()
  for (const path of paths) {
    for (const file of filesBelow(resolve(folder, path), path)) {
      if (seen.has(file)) continue
      seen.add(file)
      yield { path: relative(folder, file), text: readFileSync(file, 'utf8') }
    }
  }
}

function filesBelow(path: string, named: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined)
    throw new UsageError('ERR_WAVETANK_REVIEW_PATH', `review: there is no file or folder ${named}`)
  if (stat.isFile()) return [path]
  const files: string[] = []
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name)
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name) && !entry.name.startsWith('.')) files.push(...filesBelow(below, below))
    } else if (entry.isFile() && isSource(entry.name)) {
      if (statSync(below).size <= LARGEST_BYTES) files.push(below)
    }
  }
  return files
}

function isSource(name: string): boolean {
  return SOURCE.test(name) && !NOT_READ.test(name) && !TEST.test(name)
}

/** Lines that a change added or changed, by file relative to a folder; null for a file that is new as a whole. */
export type ChangedLines = ReadonlyMap<string, ReadonlySet<number> | null>

/** What has changed since a revision, in commits, the index, the working tree and files that git does not know yet. */
export function changedSince(revision: string, folder: string): ChangedLines {
  const diff = git(folder, 'diff', '--unified=0', '--relative', '--no-color', '--no-ext-diff', revision, '--')
  if (diff === null)
    throw new UsageError('ERR_WAVETANK_NO_REVISION', `review: git knows no revision "${revision}" here`)
  const changed = new Map<string, Set<number> | null>()
  let lines: Set<number> | null = null
  for (const line of diff.split('\n')) {
    const file = /^\+\+\+ b\/(.*)$/.exec(line)?.[1]
    if (file !== undefined) changed.set(file, (lines = new Set()))
    const hunk = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line)
    if (hunk === null || lines === null) continue
    const [first, count] = [Number(hunk[1]), Number(hunk[2] ?? 1)]
    for (let at = first; at < first + count; at++) lines.add(at)
  }
  for (const file of (git(folder, 'ls-files', '--others', '--exclude-standard') ?? '').split('\n'))
    if (file !== '') changed.set(file, null)
  return changed
}
