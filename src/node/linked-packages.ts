/**
 * Packages that lie outside the project, and to which links in its `node_modules` lead: `npm link`, `link:` and `file:`
 * dependencies, pnpm's stores. Programs load them by their real path, so simulated disks show these folders too, read-only
 * and at that path. Nothing else outside the project becomes visible: not what lies beside or above a linked package,
 * except for the `node_modules` folder that holds it, since its dependencies are there.
 *
 * Links are followed from the project's own `node_modules`, from those of the packages in it (three folders deep, as
 * workspaces have them), and from those of every package that was found.
 */
import { existsSync, readdirSync, realpathSync, type Dirent } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const WORKSPACE_DEPTH = 3
const NOT_PACKAGES = new Set(['node_modules', 'dist', 'build', 'coverage'])

/** The folders outside a project that its links lead to, outermost first, none of them within another. */
export function linkedFolders(root: string): string[] {
  const search = new LinkSearch(realpathSync(root))
  for (const folder of packageFolders(root)) search.packagesIn(join(folder, 'node_modules'))
  return outermost(search.found)
}

class LinkSearch {
  readonly found = new Set<string>()
  private readonly root: string
  private readonly seen = new Set<string>()

  constructor(root: string) {
    this.root = root
  }

  /** Follows the links in a `node_modules` folder, and in the folders of its scopes. */
  packagesIn(folder: string): void {
    if (this.seen.has(folder)) return
    this.seen.add(folder)
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      if (entry.isSymbolicLink()) this.follow(path)
      else if (entry.isDirectory() && entry.name.startsWith('@')) this.packagesIn(path)
    }
  }

  private follow(link: string): void {
    let target: string
    try {
      target = realpathSync(link)
    } catch {
      return // it leads nowhere, as it does for Node
    }
    if (this.seen.has(target)) return
    this.seen.add(target)
    const holder = nodeModulesAround(target)
    if (isWithin(target, this.root)) {
      // A store inside the project links to itself only; a workspace package may have links of its own.
      if (holder === null) this.packagesIn(join(target, 'node_modules'))
      return
    }
    const isAround = isWithin(this.root, holder ?? target)
    if (isAround || !existsSync(join(target, 'package.json'))) return
    this.found.add(holder ?? target)
    this.packagesIn(holder ?? join(target, 'node_modules'))
  }
}

/** The `node_modules` folder that holds a package, whose scope may stand between them. */
function nodeModulesAround(folder: string): string | null {
  const above = dirname(folder)
  const holder = basename(above).startsWith('@') ? dirname(above) : above
  return basename(holder) === 'node_modules' ? holder : null
}

function packageFolders(root: string): string[] {
  const folders = [root]
  const search = (folder: string, depth: number): void => {
    for (const entry of entriesOf(folder)) {
      if (!entry.isDirectory() || entry.name.startsWith('.') || NOT_PACKAGES.has(entry.name)) continue
      const path = join(folder, entry.name)
      if (existsSync(join(path, 'node_modules'))) folders.push(path)
      if (depth < WORKSPACE_DEPTH) search(path, depth + 1)
    }
  }
  search(root, 1)
  return folders
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

function outermost(folders: ReadonlySet<string>): string[] {
  const all = [...folders].sort()
  return all.filter((folder) => !all.some((other) => other !== folder && isWithin(folder, other)))
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}
