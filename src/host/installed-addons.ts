/**
 * Which installed packages have native addons: a look at the folder of a package, as `import` would find it from a file.
 * A package has one if it says how to build one (`binding.gyp`), ships one (`*.node`), or has an installed optional
 * package for this platform that does.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Answers for one project; remembers what it has looked at. */
export class InstalledAddons {
  private readonly known = new Map<string, string | null>()

  /** In words, what makes a package native; null if it is not, is a file, or is not installed. */
  of(specifier: string, importer: string): string | null {
    const name = /^(@[\w.-]+\/[\w.-]+|[a-zA-Z][\w.-]*)(?=\/|$)/.exec(specifier)?.[0]
    if (name === undefined || specifier.includes(':')) return null
    const folder = installedFolder(name, dirname(resolve(importer)))
    if (folder === null) return null
    if (!this.known.has(folder)) this.known.set(folder, addonIn(folder))
    return this.known.get(folder)!
  }
}

function installedFolder(name: string, from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
    if (dirname(folder) === folder) return null
  }
}

function addonIn(folder: string): string | null {
  if (existsSync(join(folder, 'binding.gyp'))) return 'is built from native code (binding.gyp)'
  const shipped = machineCode(folder, 3)
  if (shipped !== null) return `ships machine code (${shipped})`
  for (const name of Object.keys(manifestOf(folder).optionalDependencies ?? {})) {
    const optional = installedFolder(name, folder)
    const code = optional === null ? null : machineCode(optional, 2)
    if (code !== null) return `loads machine code (${name}/${code})`
  }
  return null
}

function manifestOf(folder: string): { optionalDependencies?: Readonly<Record<string, string>> } {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object
  } catch {
    return {} // a package.json that cannot be read is another tool's complaint
  }
}

/** The first `*.node` file of a folder, down to a depth. */
function machineCode(folder: string, depth: number): string | null {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith('.node')) return entry.name
    if (!entry.isDirectory() || depth === 1 || entry.name === 'node_modules') continue
    const below = machineCode(join(folder, entry.name), depth - 1)
    if (below !== null) return `${entry.name}/${below}`
  }
  return null
}
