/** Asynchronous work on an interval that does not wait for its last run. */
import { callsIn } from '../imports.ts'
import type { Rule } from '../rule.ts'
import { bare, isFunction } from '../syntax.ts'

const GUARD = /running|busy|in_?flight|pending|active|locked|working|isProcessing/i

export const overlappingInterval: Rule = {
  name: 'overlapping-interval',
  severity: 'warn',
  text: 'setInterval() starts asynchronous work again while the last run may still go on.',
  why: 'When I/O is slower than the interval, runs overlap and interleave; a rejection is unhandled and ends the process.',
  fix: 'Wait for the work, then set a timer for the next run: `for await (const _ of setInterval(ms))` from node:timers/promises.',
  *find(file) {
    for (const { node, path, args } of callsIn(file.nodes)) {
      if (path.join('.') !== 'setInterval') continue
      const work = bare(args[0])
      if (!isFunction(work) || work.async !== true || GUARD.test(file.textOf(work))) continue
      if ([...file.below(work, true)].some(({ type }) => type === 'AwaitExpression'))
        yield { node, found: 'the callback of setInterval() awaits, and nothing waits for it' }
    }
  },
}
