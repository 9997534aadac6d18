/** The kinds of anomaly that checkers can report, read from their sources: what must be documented and has controls. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Source (relative to this folder) → names; sources without any are left out. */
export function anomalyNames(): Readonly<Record<string, readonly string[]>> {
  const sources = readdirSync(import.meta.dirname, { encoding: 'utf8', recursive: true })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !/\.(test|contract)/.test(path))
    .sort()
  const named = sources.map((source) => {
    const text = readFileSync(join(import.meta.dirname, source), 'utf8')
    return [source, [...new Set(namesIn(text))]] as const
  })
  return Object.fromEntries(named.filter(([, names]) => names.length > 0))
}

/** The kinds of anomaly that a source can report, by the ways in which the checkers write them. */
function namesIn(text: string): string[] {
  const literal = [...text.matchAll(/(?:\.add\(\s*|\bfound\(\s*|\btype: )'([\w-]+)'/g)].map(
    ([, name]) => name,
  )
  const chosen = [...text.matchAll(/const type = [^?\n]*\?(.*)/g)].flatMap(([, choice]) =>
    [...choice.matchAll(/['`]([^'`]+)['`]/g)].map(([, name]) => name),
  )
  const kafkaCycles = text.includes("'G0' : 'G1c'") ? ['G0', 'G1c'] : []
  return [
    ...literal,
    ...chosen.flatMap((name) => ['poll', 'send'].map((what) => name.replace('${what}', what))),
    ...kafkaCycles.flatMap((name) => ['', '-process', '-realtime'].map((order) => name + order)),
  ]
}
