/** Paths that an agent names: only inside the project's folder, also behind links. */
import { realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { UsageError } from '../kernel/errors.ts'
import { word } from './words.ts'

export class ProjectPaths {
  readonly root: string

  constructor(root: string) {
    this.root = realpathSync(root)
  }

  /** A path relative to the project; refuses one outside. The file need not exist. */
  inside(path: string): string {
    const real = realPath(resolve(this.root, path))
    const below = relative(this.root, real)
    if (below.startsWith('..') || isAbsolute(below)) {
      throw new UsageError(
        'ERR_WAVETANK_MCP_PATH',
        `${path} lies outside the project ${this.root}; only files of the project can be named`,
      )
    }
    if (below === '') return '.'
    return below.startsWith('-') ? `./${below}` : below // a file of such a name is no option
  }

  /** A name of a simulation, or a path of its file: names have no separator. */
  nameOrPath(text: string): string {
    return /[/\\]|\.\./.test(text) ? this.inside(text) : word(text)
  }
}

/** The path without links, as far as it exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), path.slice(parent.length))
  }
}
