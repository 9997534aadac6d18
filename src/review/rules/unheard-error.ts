/**
 * Sockets, requests, streams and children without a listener for `error`. Something that is returned, kept or handed to
 * another function passes: its errors may be heard there.
 */
import { callsIn, Imported } from '../imports.ts'
import type { Rule } from '../rule.ts'
import { bare, isFunction, nameOf, type Node, type SourceFile } from '../syntax.ts'

const EMITTERS: Readonly<Record<string, ReadonlySet<string>>> = {
  net: new Set(['connect', 'createConnection']),
  tls: new Set(['connect']),
  http: new Set(['request', 'get']),
  https: new Set(['request', 'get']),
  fs: new Set(['createReadStream', 'createWriteStream']),
  child_process: new Set(['spawn', 'fork']),
}

export const unheardError: Rule = {
  name: 'unheard-error',
  severity: 'warn',
  text: 'A socket, request, stream or child has no listener for `error`.',
  why: "An 'error' event without a listener ends the process: a peer that resets a connection takes the whole server down.",
  fix: "Add `.on('error', …)` where it is made, or use `pipeline()` from node:stream/promises.",
  *find(file) {
    for (const [module, makers] of Object.entries(EMITTERS)) {
      const imported = new Imported(file, module)
      if (imported.none) continue
      for (const call of callsIn(file.nodes)) {
        const name = imported.calls(call)
        if (name === null) continue
        if (makers.has(name) && isAlone(file, call.node))
          yield { node: call.node, found: `what ${name}() returns has no 'error' listener` }
        if (name === 'createServer' && (module === 'net' || module === 'tls'))
          yield* deafServer(file, call.args)
      }
    }
  },
}

function* deafServer(file: SourceFile, args: readonly Node[]) {
  const handler = bare(args.at(-1))
  if (!isFunction(handler)) return
  const socket = nameOf((handler.params as Node[])[0])
  if (socket !== null && !isHeard(file, handler, socket))
    yield { node: handler, found: `the sockets of a server have no 'error' listener` }
}

/** True if the result of a call is an expression of its own, or a variable that nothing listens to or passes on. */
function isAlone(file: SourceFile, node: Node): boolean {
  const parent = file.parent(node)
  if (parent?.type === 'ExpressionStatement') return true
  if (parent?.type === 'MemberExpression') return isDeafChain(file, node)
  if (parent?.type !== 'VariableDeclarator') return false
  const name = nameOf(parent.id)
  return name !== null && !isHeard(file, file.scope(parent), name)
}

/** `connect(…).on('data', …)` as a statement, without `error` anywhere in the chain. */
function isDeafChain(file: SourceFile, node: Node): boolean {
  let top = node
  for (const each of file.around(node)) {
    if (each.type === 'ExpressionStatement') return !/['"](error|close)['"]|pipe\(/.test(file.textOf(top))
    if (each.type !== 'MemberExpression' && each.type !== 'CallExpression') return false
    if (each.type === 'CallExpression' && (each.arguments as Node[]).includes(top)) return false
    top = each
  }
  return false
}

/** True if a variable gets an `error` listener in a scope, or leaves it: returned, stored, captured by a call. */
function isHeard(file: SourceFile, scope: Node, name: string): boolean {
  for (const node of file.below(scope)) {
    if (node.type !== 'Identifier' || node.name !== name) continue
    const parent = file.parent(node)
    if (parent === null || parent.type === 'VariableDeclarator' || /Function/.test(parent.type)) continue
    if (parent.type !== 'MemberExpression' || parent.object !== node) return true
    const property = nameOf(parent.property)
    const call = file.parent(parent)
    const [event] =
      call?.type === 'CallExpression' && call.callee === parent ? (call.arguments as Node[]) : []
    if (event?.type === 'Literal' && event.value === 'error') return true
    if (event !== undefined && event.type !== 'Literal' && /^(on|once|addListener)$/.test(property ?? ''))
      return true
  }
  return false
}
