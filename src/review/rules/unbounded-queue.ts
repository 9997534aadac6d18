/** Queues in memory that take everything. A queue whose length is compared with anything, anywhere in the file, passes. */
import { callsIn } from '../imports.ts'
import type { Rule } from '../rule.ts'
import { bare, isFunction, nameOf, pathOf, type Node, type SourceFile } from '../syntax.ts'

const QUEUE = /(queue|backlog|outbox|inbox|pendingWrites|pendingMessages|mailbox)$/i

export const unboundedQueue: Rule = {
  name: 'unbounded-queue',
  severity: 'info',
  text: 'A queue in memory has no limit.',
  why: 'When the consumer is slow or cut off, it grows until the process is out of memory, and all of it is lost.',
  fix: 'Refuse or wait when it is full; answer 503 or let `write()` return false.',
  *find(file) {
    const seen = new Set<string>()
    for (const { node, path, name } of callsIn(file.nodes)) {
      if (name !== 'push' || path.length < 2) continue
      const queue = path.slice(0, -1).join('.')
      if (seen.has(queue) || !QUEUE.test(path[path.length - 2]) || !insideHandler(file, node)) continue
      seen.add(queue)
      if (!isMeasured(file, queue)) yield { node, found: `${queue} grows without a limit` }
    }
  },
}

/** True if a call stands in a listener or in a public method: something that others call at their own pace. */
function insideHandler(file: SourceFile, node: Node): boolean {
  for (const each of file.around(node)) {
    if (!isFunction(each)) continue
    const parent = file.parent(each)
    if (parent?.type === 'MethodDefinition') return !/^(constructor$|[#_])/.test(nameOf(parent.key) ?? '#')
    if (parent?.type === 'CallExpression') {
      const callee = bare(parent.callee)
      if (
        callee?.type === 'MemberExpression' &&
        /^(on|once|addListener|use|get|post|put)$/.test(nameOf(callee.property) ?? '')
      )
        return true
    }
  }
  return false
}

function isMeasured(file: SourceFile, queue: string): boolean {
  const last = queue.split('.').at(-1)
  return file.nodes.some((node) => {
    if (node.type !== 'BinaryExpression' || !/^[<>]=?$/.test(node.operator as string)) return false
    return [node.left, node.right].some((side) => {
      const path = pathOf(side)
      return (
        path !== null &&
        path.at(-2) === last &&
        (path.at(-1) === 'length' || path.at(-1) === 'size') &&
        !isZero(node)
      )
    })
  })
}

/** A comparison with 0 asks whether the queue is empty, not whether it is full. */
function isZero(node: Node): boolean {
  return [node.left, node.right].some((side) => bare(side)?.type === 'Literal' && bare(side)?.value === 0)
}
