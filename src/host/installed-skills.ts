/**
 * Skills in the folder where an agent looks for them. A list beside them says which files are ours and what was in them,
 * so that installing twice changes nothing, an update replaces only what it wrote, and removal leaves what was edited.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, isAbsolute, join, normalize, relative } from 'node:path'
import { writeWhole } from '../failures/whole-file.ts'

/** The name of the list. */
const LIST = '.wavetank-skills.json'

export type FileChange = 'written' | 'unchanged' | 'kept' | 'removed'

/** A file of a skill, and what became of it. `kept`: it was edited, or was there before, and stays. */
export interface ChangedFile {
  readonly path: string
  readonly change: FileChange
}

type Digests = Readonly<Record<string, string>>

/** Copies all skills of a folder into another one. */
export function installSkills(from: string, to: string): ChangedFile[] {
  const known = listOf(to)
  const digests: Record<string, string> = {}
  const changes = filesBelow(from).map((path): ChangedFile => {
    const text = readFileSync(join(from, path))
    const there = digestOf(join(to, path))
    const wanted = digest(text)
    if (there !== null && there !== wanted && there !== known[path]) return { path, change: 'kept' }
    digests[path] = wanted
    if (there === wanted) return { path, change: 'unchanged' }
    mkdirSync(dirname(join(to, path)), { recursive: true })
    writeWhole(join(to, path), text.toString('utf8'))
    return { path, change: 'written' }
  })
  // What an older version installed and this one does not have goes.
  const gone = Object.keys(known).filter(
    (path) => !(path in digests) && !changes.some((each) => each.path === path),
  )
  const removed = gone.map((path) => removeFile(to, path, known[path]))
  mkdirSync(to, { recursive: true })
  writeWhole(join(to, LIST), `${JSON.stringify(digests, null, 2)}\n`)
  return [...changes, ...removed]
}

/** Removes what {@link installSkills} wrote and what is still as it was written. */
export function removeSkills(to: string): ChangedFile[] {
  const changes = Object.entries(listOf(to)).map(([path, written]) => removeFile(to, path, written))
  rmSync(join(to, LIST), { force: true })
  removeIfEmpty(to)
  return changes
}

function removeFile(to: string, path: string, written: string): ChangedFile {
  const file = join(to, path)
  const there = digestOf(file)
  if (there !== null && there !== written) return { path, change: 'kept' }
  rmSync(file, { force: true })
  for (let folder = dirname(file); folder !== to; folder = dirname(folder)) removeIfEmpty(folder)
  return { path, change: 'removed' }
}

function removeIfEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
}

/** The list, without what no installation writes: a repository may come with a list that names files elsewhere. */
function listOf(to: string): Digests {
  try {
    const list = JSON.parse(readFileSync(join(to, LIST), 'utf8')) as Record<string, unknown>
    const ours = Object.entries(list).filter(
      (entry): entry is [string, string] => isBelow(entry[0]) && typeof entry[1] === 'string',
    )
    return Object.fromEntries(ours)
  } catch {
    return {} // nothing was installed here, or the list was damaged: then nothing is ours
  }
}

function isBelow(path: string): boolean {
  return !isAbsolute(path) && normalize(path) === path && !path.startsWith('..')
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => path.includes('/')) // what stands beside the skills is for people
    .sort()
}

function digestOf(file: string): string | null {
  return existsSync(file) ? digest(readFileSync(file)) : null
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
