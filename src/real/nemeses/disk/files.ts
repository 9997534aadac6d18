/** The files on a node's disk, as faults see them: what is there, and which of it a pattern such as `/data/*.log` names. */
import { readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { RealNode } from '../../cluster/cluster.ts'

/** More paths than this make every call of the traced program slow. */
const MOST_PATHS = 2000

/** Files and folders below the node's own folder. */
export function pathsOf({ disk }: RealNode): string[] {
  const found = [disk]
  for (let next = 0; next < found.length && found.length < MOST_PATHS; next++)
    found.push(...childrenOf(found[next]))
  return found
}

/** Files that have bytes, and that the pattern names; null: all of them. */
export function filesOf(node: RealNode, pattern: string | null): string[] {
  const named = pattern === null ? null : patternOf(pattern)
  return pathsOf(node).filter((path) => {
    if (named !== null && !named.test(`/${relative(node.disk, path)}`)) return false
    try {
      const stat = statSync(path)
      return stat.isFile() && stat.size > 0
    } catch {
      return false // removed meanwhile
    }
  })
}

function childrenOf(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    return [] // a file, or gone
  }
}

/** `*` stands for any letters but a slash. A pattern without a slash names files in every folder. */
function patternOf(pattern: string): RegExp {
  const body = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*')
  return new RegExp(pattern.startsWith('/') ? `^${body}$` : `(^|/)${body}$`)
}
