/**
 * Decisions by comparing this host's wall clock with a time that came from another host. A time that this process wrote
 * itself, such as the expiry of a cache entry, is compared with the same clock and passes: only values that visibly came
 * in by a message count.
 */
import { callsIn } from '../imports.ts'
import type { Rule } from '../rule.ts'
import { bare, callOf, nameOf, pathOf, type Node, type SourceFile } from '../syntax.ts'

const COMPARISONS = new Set(['<', '>', '<=', '>=', '-'])
const RECEIVED = /^(msg|message|req|request|body|packet|payload|remote|peer|datagram)$/
const TIME = /(expire|expiry|deadline|timestamp|until|time|heartbeat|lastSeen|At|ts|now)$/i

export const remoteClock: Rule = {
  name: 'remote-clock',
  severity: 'warn',
  text: 'The wall clock of this host is compared with a time from another host.',
  why: 'Clocks of two hosts differ, drift and jump: leases overlap and time-outs end early or never.',
  fix: 'Send durations, not times, and measure them with performance.now(); guard what a lease protects with a fencing number.',
  *find(file) {
    for (const node of file.nodes) {
      if (node.type !== 'BinaryExpression' || !COMPARISONS.has(node.operator as string)) continue
      for (const [clock, other] of [
        [node.left, node.right],
        [node.right, node.left],
      ] as [Node, Node][]) {
        if (!readsClock(clock)) continue
        const path = receivedTime(file, other)
        if (path !== null)
          yield { node, found: `Date.now() is compared with ${path}, which came from another host` }
      }
    }
  },
}

function readsClock(node: Node): boolean {
  const inner = bare(node)
  if (inner?.type === 'BinaryExpression' && (inner.operator === '+' || inner.operator === '-'))
    return readsClock(inner.left as Node) || readsClock(inner.right as Node)
  const call = inner === null ? null : callOf(inner)
  return (
    call?.path.join('.') === 'Date.now' ||
    (inner?.type === 'NewExpression' && call?.name === 'Date' && call.args.length === 0)
  )
}

function receivedTime(file: SourceFile, node: Node): string | null {
  for (const each of [node, ...file.below(node)]) {
    const path = pathOf(each)
    if (path === null || path.length < 2 || path[0] === 'this' || !TIME.test(path[path.length - 1])) continue
    if (path.slice(0, -1).some((name) => RECEIVED.test(name)) || isDecoded(file, path[0], node))
      return path.join('.')
  }
  return null
}

/** True if a variable holds what was decoded from outside: `JSON.parse(…)`, `await response.json()`. */
function isDecoded(file: SourceFile, name: string, from: Node): boolean {
  for (const node of file.below(file.scope(from), true)) {
    if (node.type !== 'VariableDeclarator' || nameOf(node.id) !== name || node.init === null) continue
    const init = node.init as Node
    const decoders = callsIn([init, ...file.below(init)])
    return decoders.some(({ path, name: last }) => path.join('.') === 'JSON.parse' || last === 'json')
  }
  return false
}
