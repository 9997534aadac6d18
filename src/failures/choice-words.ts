/**
 * What choices decide, in words for people: `10 operations of clients`, `disk store: name survival × 2`. A choice is
 * named by an entity and a label; operations and faults may be many, so each of these kinds is one phrase with a count.
 */
import type { Choice } from '../kernel/choices.ts'

interface Kind {
  readonly pattern: RegExp
  /** What one of them, or several, are called. */
  readonly words: (count: number) => string
}

const KINDS: readonly Kind[] = [
  {
    pattern: /^client \d+ operation #\d+/,
    words: (n) => `when and what: ${n} ${n === 1 ? 'operation' : 'operations'}`,
  },
  { pattern: /^nemesis (\S+) #\d+/, words: (n) => `${n} ${n === 1 ? 'fault' : 'faults'}` },
  { pattern: /^buggify /, words: (n) => `${n} buggified ${n === 1 ? 'site' : 'sites'}` },
]

export function choicesInWords(choices: readonly Choice[]): string[] {
  const kinds = KINDS.map(() => new Set<string>())
  const others = new Map<string, Map<string, number>>()
  for (const { entity, label } of choices) {
    const at = KINDS.findIndex(({ pattern }) => pattern.test(entity))
    if (at >= 0) kinds[at].add(KINDS[at].pattern.exec(entity)![0])
    else {
      const labels = others.get(entity) ?? new Map<string, number>()
      others.set(entity, labels.set(label, (labels.get(label) ?? 0) + 1))
    }
  }
  const counted = kinds.flatMap((found, i) => (found.size === 0 ? [] : [KINDS[i].words(found.size)]))
  const named = [...others].map(([entity, labels]) => {
    const words = [...labels].map(([label, times]) => (times === 1 ? label : `${label} × ${times}`))
    return `${entity}: ${words.join(', ')}`
  })
  return [...counted, ...named]
}
