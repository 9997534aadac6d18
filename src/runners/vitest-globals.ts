/**
 * What vitest keeps on the global object. Inside a world, `globalThis` is the simulated process's, for the runner's own
 * modules too: `expect` finds its state there. If vitest is configured to make its functions global, files use them by
 * their bare names; in a world these are the stand-in's.
 */

/** Of vitest 3 and 4; the symbols are those of `@vitest/expect`, and of Jest where plugins look for them. */
const KEYS: readonly PropertyKey[] = [
  Symbol.for('matchers-object'),
  Symbol.for('$$jest-matchers-object'),
  Symbol.for('asymmetric-matchers-object'),
  Symbol.for('expect-global'),
  '__vitest_worker__',
]

/** Must be called outside of worlds. */
export function vitestGlobals(standIn: Readonly<Record<string, unknown>>): Record<PropertyKey, unknown> {
  const globals: Record<PropertyKey, unknown> = {}
  const host = globalThis as unknown as Record<PropertyKey, unknown>
  for (const key of KEYS) if (key in host) globals[key] = host[key]
  for (const [name, value] of Object.entries(standIn)) if (Object.hasOwn(host, name)) globals[name] = value
  return globals
}
