/**
 * Writes and compare-and-sets of unknown outcome whose value no client can have seen: no completed read returned it, no
 * completed `cas` started from it, and no other unknown `cas` could carry it on to a value that was seen. Such a write
 * explains nothing: without it every linearization stays one.
 *
 * One observation spoils this: a `cas` that answered `false` saw that the value was *not* something, and any other
 * value explains that. Then nothing is dropped.
 */
import type { Operation } from '../../../history/operation.ts'
import { valueKey, type ValueKey } from '../../../history/value.ts'

export function unobservableWrites(operations: readonly Operation[]): ReadonlySet<number> {
  const seen = new Set<ValueKey>()
  const unknown: Operation[] = []
  for (const operation of operations) {
    const { f, type, input, output } = operation
    if (type === 'info') unknown.push(operation)
    else if (f === 'cas' && output === false) return new Set()
    else if (f === 'cas') seen.add(valueKey((input as readonly unknown[])[0] ?? null))
    else if (f === 'read') seen.add(valueKey(output ?? null))
  }
  for (let before = -1; before !== seen.size;) {
    before = seen.size
    for (const { f, input } of unknown) {
      if (f !== 'cas') continue
      const [from, to] = input as readonly unknown[]
      if (seen.has(valueKey(to ?? null))) seen.add(valueKey(from ?? null))
    }
  }
  const dropped = new Set<number>()
  for (const { id, f, input } of unknown) {
    const value = f === 'cas' ? (input as readonly unknown[])[1] : input
    if ((f === 'cas' || f === 'write') && !seen.has(valueKey(value ?? null))) dropped.add(id)
  }
  return dropped
}
