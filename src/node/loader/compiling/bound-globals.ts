/**
 * Finds the globals of a process that a program file mentions. Program code is compiled with the process's own
 * `setTimeout`, `Date`, `process`, … bound in a scope around it, so that two processes in one realm see different
 * worlds. Only names that occur in a file are bound, and not those the file assigns to: an assignment must reach the
 * global object itself, which dispatches to the running process.
 *
 * The scan is textual. A false hit (a property of that name, a word in a comment) costs a binding that is never read; a
 * name that is left out is still found on the global object. Neither changes what a program sees.
 */

/**
 * Globals that differ from process to process. Not all of them: a global that Node loads when it is first read (`Response`,
 * `crypto`, `WebSocket`) would be loaded by every file that merely mentions the word, so those are left to the global
 * object.
 */
export const BOUND_GLOBALS: readonly string[] = [
  'AbortController',
  'AbortSignal',
  'Atomics',
  'Buffer',
  'Date',
  'FinalizationRegistry',
  'Intl',
  'Math',
  'MessageChannel',
  'MessagePort',
  'WeakRef',
  'WebAssembly',
  'clearImmediate',
  'clearInterval',
  'clearTimeout',
  'console',
  'fetch',
  'global',
  'globalThis',
  'performance',
  'process',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
  'structuredClone',
]

/** The globals of one process, as far as the loader needs them. */
export interface GlobalScope {
  /** Whether the process has this global at all: a name it lacks is not bound, so that `typeof x` stays 'undefined'. */
  has(name: string): boolean
  get(name: string): unknown
}

const MENTION = new RegExp(`(?<![\\w$])(?:${BOUND_GLOBALS.join('|')})(?![\\w$])`, 'g')
const ASSIGNMENT = new RegExp(
  `(?<![\\w$.])(${BOUND_GLOBALS.join('|')})\\s*(?:=(?![=>])|\\+\\+|--|(?:\\*\\*|<<|>>>?|&&|\\|\\||\\?\\?|[-+*/%&|^])=)` +
    `|(?<![\\w$)\\]])(?:\\+\\+|--)[ \\t]*(${BOUND_GLOBALS.join('|')})(?![\\w$])`,
  'g',
)

/** The names to bind around this source, in a stable order. */
export function mentionedGlobals(source: string): string[] {
  const names = new Set(source.match(MENTION))
  if (names.size === 0) return []
  for (const match of source.matchAll(ASSIGNMENT)) names.delete(match[1] ?? match[2])
  return [...names].sort()
}
