/** Promises that are made and left alone by a callback that ignores what it returns. */
import { callsIn, Imported } from '../imports.ts'
import type { Rule } from '../rule.ts'
import { bare, isFunction } from '../syntax.ts'

const WRITES = /^(writeFile|appendFile|rename|rm|unlink|mkdir|copyFile|truncate|symlink|link|rmdir)$/

export const forgottenPromise: Rule = {
  name: 'forgotten-promise',
  severity: 'warn',
  text: 'Asynchronous work is started and never waited for.',
  why: 'The caller goes on before the work is done, in an order that I/O decides, and an error has no handler.',
  fix: 'Use `for … of` with `await`, or `await Promise.all(list.map(…))`.',
  *find(file) {
    const promises = new Imported(file, 'fs/promises')
    for (const call of callsIn(file.nodes)) {
      const callback = bare(call.args[0])
      if (call.name === 'forEach' && call.path.length > 1 && isFunction(callback) && callback.async === true)
        yield { node: call.node, found: 'forEach() ignores the promises of its async callback' }
      const written = promises.calls(call)
      if (written !== null && WRITES.test(written) && file.parent(call.node)?.type === 'ExpressionStatement')
        yield { node: call.node, found: `the promise of ${written}() is not awaited` }
    }
  },
}
