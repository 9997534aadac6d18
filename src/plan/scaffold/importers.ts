/** Who imports what changed: the blast radius of a change, by relative imports. */
import { dirname, join, normalize } from 'node:path'

/** Files that import one of `changed`, directly or through others, nearest first. */
export function importersOf(changed: readonly string[], sources: ReadonlyMap<string, string>): string[] {
  const importedBy = new Map<string, string[]>()
  for (const [file, text] of sources) {
    for (const [, target] of text.matchAll(
      /(?:\bfrom|\bimport\(|\bimport|\brequire\()\s*['"](\.[^'"]+)['"]/g,
    )) {
      const resolved = resolveImport(file, target, sources)
      if (resolved !== null) importedBy.set(resolved, [...(importedBy.get(resolved) ?? []), file])
    }
  }
  const seen = new Set(changed)
  const queue = [...changed]
  for (let at = 0; at < queue.length; at++) {
    for (const file of importedBy.get(queue[at]) ?? []) {
      if (seen.has(file)) continue
      seen.add(file)
      queue.push(file)
    }
  }
  return queue.slice(changed.length)
}

function resolveImport(from: string, target: string, sources: ReadonlyMap<string, string>): string | null {
  const path = normalize(join(dirname(from), target))
  const bare = path.replace(/\.[cm]?js$/, '')
  const candidates = [
    path,
    `${bare}.ts`,
    `${bare}.mts`,
    `${bare}.tsx`,
    `${path}.ts`,
    `${path}.js`,
    join(path, 'index.ts'),
    join(path, 'index.js'),
  ]
  return candidates.find((each) => sources.has(each)) ?? null
}
