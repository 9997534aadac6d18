/** A queue's message acknowledged before the work it asks for. */
import { callsIn } from '../imports.ts'
import type { Rule } from '../rule.ts'
import { isFunction, nameOf, type Node } from '../syntax.ts'

const MESSAGE = /^(msg|message|job|delivery|event|record)$/

export const earlyAcknowledgement: Rule = {
  name: 'early-acknowledgement',
  severity: 'warn',
  text: 'A message is acknowledged before its work is done.',
  why: 'If the process ends between the two, the queue has forgotten the message, and the work is never done.',
  fix: 'Acknowledge after the work, and make the work idempotent, since a message may then come twice.',
  *find(file) {
    for (const scope of file.nodes.filter(isFunction)) {
      const message = (scope.params as Node[]).map(nameOf).find((name) => name !== null && MESSAGE.test(name))
      if (message === undefined) continue
      const nodes = [...file.below(scope, true)]
      const ack = callsIn(nodes).find(
        ({ name, path, args }) =>
          name === 'ack' && (path[0] === message || args.some((arg) => nameOf(arg) === message)),
      )
      if (ack === undefined) continue
      const later = nodes.find(
        (node) =>
          node.type === 'AwaitExpression' &&
          node.start > ack.node.end &&
          [...file.below(node)].some((each) => nameOf(each) === message),
      )
      if (later !== undefined)
        yield { node: ack.node, found: `${message} is acknowledged before what is awaited for it` }
    }
  },
}
