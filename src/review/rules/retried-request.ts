/**
 * Requests that change something, sent again after an error without a key by which the server could recognise them. Only
 * loops that visibly retry count: those with an attempt in their head, and endless ones.
 */
import { callsIn } from '../imports.ts'
import type { Rule } from '../rule.ts'
import { bare, isLoop, propertyOf, type Call, type Node, type SourceFile } from '../syntax.ts'

const CHANGING = /^(post|put|patch)$/i
const KEY = /idempoten|request-?_?id|operation-?_?id|dedup|nonce|txn-?_?id|\bopId\b/i
const ATTEMPT = /attempt|retr(y|ies)|\btries\b|true|;;/i

export const retriedRequest: Rule = {
  name: 'retried-request',
  severity: 'warn',
  text: 'A request that changes something is retried without an idempotency key.',
  why: 'A request that timed out may have been carried out: sent again, it takes effect twice.',
  fix: 'Make a key before the first attempt and send it with every one; let the server remember the answer for it.',
  *find(file) {
    for (const call of callsIn(file.nodes)) {
      if (!changes(call)) continue
      const loop = retryAround(file, call.node)
      if (loop === null || KEY.test(file.textOf(call.node)) || KEY.test(file.textOf(file.scope(loop))))
        continue
      yield {
        node: call.node,
        found: `${call.path.join('.')}() is called again after an error, without a key`,
      }
    }
  },
}

function changes({ path, name, args }: Call): boolean {
  if (path.length === 2 && CHANGING.test(name))
    return /^(axios|got|ky|http|client|api|agent|undici|superagent)$/i.test(path[0])
  if (!/^(fetch|request|axios|got)$/.test(name)) return false
  const method = propertyOf(bare(args.at(-1)), 'method')
  return method?.type === 'Literal' && CHANGING.test(String(method.value))
}

/** The loop that tries a call again when it throws; null if no loop does. */
function retryAround(file: SourceFile, node: Node): Node | null {
  let caught = false
  let inside: Node = node
  for (const each of file.around(node)) {
    if (each.type === 'TryStatement' && each.block === inside && each.handler !== null)
      caught = !leaves(each.handler as Node)
    if (isLoop(each) && caught) {
      const head = file.text.slice(each.start, (each.body as Node).start)
      return ATTEMPT.test(head) ? each : null
    }
    inside = each
  }
  return null
}

/** True if a catch clause always throws or leaves. */
function leaves(handler: Node): boolean {
  const last = ((handler.body as Node).body as Node[]).at(-1)
  return last !== undefined && /^(Throw|Return|Break)Statement$/.test(last.type)
}
