/** Calls that put the thread to sleep until another thread or process has run. */
import { callsIn, Imported } from '../imports.ts'
import type { Rule } from '../rule.ts'

const BLOCKING_CHILDREN = new Set(['spawnSync', 'execSync', 'execFileSync'])

export const blockedThread: Rule = {
  name: 'blocked-thread',
  severity: 'block',
  text: 'The thread sleeps until another thread or process has run.',
  why: 'All simulated processes share one thread: while it sleeps, the one that would wake it cannot run. The tank throws there.',
  fix: 'Use the asynchronous form: `Atomics.waitAsync`, `spawn`, `execFile` from node:child_process.',
  *find(file) {
    const children = new Imported(file, 'child_process')
    for (const call of callsIn(file.nodes)) {
      if (call.path.join('.') === 'Atomics.wait')
        yield { node: call.node, found: 'Atomics.wait() blocks the thread' }
      const name = children.calls(call)
      if (name !== null && BLOCKING_CHILDREN.has(name))
        yield { node: call.node, found: `${name}() blocks the thread until a child has ended` }
    }
  },
}
