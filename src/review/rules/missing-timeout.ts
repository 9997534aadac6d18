/**
 * Requests that wait forever. Options that are not written out (a variable, a spread) pass, and so does a file that
 * calls `setTimeout` on what it made.
 */
import { callsIn, Imported } from '../imports.ts'
import type { Rule } from '../rule.ts'
import { bare, isFunction, isOpen, propertyOf, type Call, type Node } from '../syntax.ts'

export const missingTimeout: Rule = {
  name: 'missing-timeout',
  severity: 'info',
  text: 'A request has no time limit.',
  why: 'A peer that is cut off sends neither data nor an error: the call waits for minutes, or forever, and holds what it holds.',
  fix: '`fetch(url, { signal: AbortSignal.timeout(ms) })`, `timeout` in the options of http.request(), `socket.setTimeout(ms)`.',
  *find(file) {
    const declared = file.nodes.some(
      (node) => /^(FunctionDeclaration|VariableDeclarator|ImportSpecifier)$/.test(node.type) && isFetch(node),
    )
    const http = new Imported(file, 'http', 'https')
    const limited = /\.setTimeout\(|Promise\.race\(|['"]timeout['"]/.test(file.text)
    for (const call of callsIn(file.nodes)) {
      if (!declared && /^(globalThis\.)?fetch$/.test(call.path.join('.')) && lacks(call, 'signal'))
        yield { node: call.node, found: 'fetch() has no signal' }
      const name = http.calls(call)
      if (
        (name === 'request' || name === 'get') &&
        !limited &&
        lacks(call, 'timeout') &&
        lacks(call, 'signal')
      )
        yield { node: call.node, found: `${name}() has no timeout` }
    }
  },
}

function isFetch(node: Node): boolean {
  const id = (node.id ?? node.local) as Node | undefined
  return id?.type === 'Identifier' && id.name === 'fetch'
}

/** True if every option of a call is written out and a name is not among them. */
function lacks({ args }: Call, name: string): boolean {
  const options = args.slice(1).find((arg) => !isFunction(bare(arg)))
  if (options === undefined)
    return args.length > 0 && args[0].type !== 'SpreadElement' && !isRequestObject(args[0])
  const object = bare(options)
  return object?.type === 'ObjectExpression' && !isOpen(object) && propertyOf(object, name) === null
}

/** The only argument may carry everything: an options object, a Request, or a variable of any kind that is no URL. */
function isRequestObject(node: Node): boolean {
  const inner = bare(node)
  if (inner === null) return true
  if (inner.type === 'Literal' || inner.type === 'TemplateLiteral' || inner.type === 'BinaryExpression')
    return false
  return !(inner.type === 'Identifier' && /ur[il]|address|endpoint|href/i.test(inner.name as string))
}
