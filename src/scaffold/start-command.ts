/**
 * What a command starts: the entry file in `node --enable-source-maps dist/server.js`, or behind `npm start`. A built file
 * stands for its source, if there is one: the tank runs TypeScript, and a trace names the lines that a person wrote.
 */
import type { ProjectFiles } from './found-program.ts'

export interface Manifest {
  readonly name?: string
  readonly type?: string
  readonly engines?: { readonly node?: string }
  readonly main?: string
  readonly bin?: string | Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** Scripts that run scripts: more of them than these are a circle. */
const MOST_SCRIPTS = 5

/** The package.json of a folder; empty if there is none that can be read. */
export function manifestIn(files: ProjectFiles, folder = ''): Manifest {
  try {
    const manifest: unknown = JSON.parse(files.read(below(folder, 'package.json')) ?? '{}')
    return typeof manifest === 'object' && manifest !== null ? manifest : {}
  } catch {
    return {} // npm complains about it better than we could
  }
}

/** The entry that a command starts in a folder of the project; undefined if it starts none of its sources. */
export function entryOf(
  files: ProjectFiles,
  command: unknown,
  folder = '',
  scripts = MOST_SCRIPTS,
): string | undefined {
  const words = wordsOf(command)
  for (const word of words) {
    if (!/\.[cm]?[jt]s$/.test(word)) continue
    const path = below(folder, word.replace(/^(\.\/|\/app\/|\/usr\/src\/app\/|\/)/, ''))
    const source = path.replace(/(^|\/)(dist|build|lib)\//, '$1src/').replace(/\.js$/, '.ts')
    if (files.read(source) !== null) return source
    if (files.read(path) !== null) return path
  }
  const script = scriptOf(words)
  const text = script === undefined ? undefined : manifestIn(files, folder).scripts?.[script]
  return text === undefined || scripts === 0 ? undefined : entryOf(files, text, folder, scripts - 1)
}

/** The script that `npm start`, `npm run serve`, `pnpm serve` or `yarn serve` runs. */
function scriptOf(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => /^(npm|pnpm|yarn)$/.test(word))
  if (at < 0) return undefined
  return words.slice(at + 1).find((word) => !word.startsWith('-') && !/^run(-script)?$/.test(word))
}

/** A command as words: a list, a JSON list, or a line. */
function wordsOf(command: unknown): string[] {
  if (Array.isArray(command)) return command.flatMap((word) => wordsOf(String(word)))
  if (typeof command !== 'string') return []
  return command
    .replace(/[[\]",]/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '')
}

/** A path below a folder of the project; `.` and the empty text are the project itself. */
export function below(folder: string, path: string): string {
  const prefix = folder.replace(/^\.\/?/, '').replace(/\/+$/, '')
  return prefix === '' ? path : `${prefix}/${path}`
}
