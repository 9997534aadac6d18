/**
 * Every checker, every condition of consistency and every model: name, question, function, options. The command line and
 * its help, the tables of docs/checkers.md, the namespaces of index.ts and the test of negative controls come from these
 * lists, so that a checker which is not here is nowhere.
 *
 * A name is in kebab-case; the function has the same name in camelCase, in the namespace of its family.
 */
import { CONSISTENCY } from './catalogue/consistency.ts'
import type { CheckerEntry, ConsistencyEntry, ModelEntry } from './catalogue/entry.ts'
import { ISOLATION } from './catalogue/isolation.ts'
import { MODELS } from './catalogue/models.ts'
import { OBJECTS } from './catalogue/objects.ts'
import { PROMISES } from './catalogue/promises.ts'
import { SERVICE } from './catalogue/service.ts'
import { TRANSACTIONS } from './catalogue/transactions.ts'

export type * from './catalogue/entry.ts'
export { CONSISTENCY, ISOLATION, MODELS }

/** Checkers of a history alone: what `--workload` takes. */
export const WORKLOADS: readonly CheckerEntry[] = [...OBJECTS, ...PROMISES, ...SERVICE, ...TRANSACTIONS]

/** The entry with this name, or undefined. */
export function entryNamed<Entry extends CheckerEntry | ConsistencyEntry | ModelEntry>(
  entries: readonly Entry[],
  name: string,
): Entry | undefined {
  return entries.find((entry) => entry.name === name)
}

/** The name of an entry's function: `set-full` is `setFull`. */
export function functionName({ name }: { readonly name: string }): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
