/**
 * Errors that disappear. A comment inside the empty block, or behind it, passes, since its author has thought about it; so
 * does a block whose calls only clean up, a promise that is also in a variable, where others wait for it, and synchronous
 * code, where an empty `catch` usually asks whether something exists.
 */
import type { Rule } from '../rule.ts'
import { bare, callOf, isFunction, pathOf, type Node, type SourceFile } from '../syntax.ts'

const CLEANUP =
  /^(close|closeSync|destroy|end|abort|kill|unlink|unlinkSync|rm|rmSync|rmdir|rmdirSync|release|unlock|cancel|disconnect|terminate|stop|quit|dispose|cleanup|return|unref)$/
const GLOBAL_EVENTS = new Set(['uncaughtException', 'unhandledRejection'])

export const swallowedError: Rule = {
  name: 'swallowed-error',
  severity: 'warn',
  text: 'An error of I/O is caught and forgotten.',
  why: 'The caller goes on as if the work had been done: what was lost is never reported, and no test can see it.',
  fix: 'Handle it, rethrow it, or say in a comment inside the block why it does not matter.',
  *find(file) {
    for (const node of file.nodes) {
      if (
        node.type === 'CatchClause' &&
        isEmpty(file, node.body as Node) &&
        risks(file, file.parent(node)!.block as Node)
      )
        yield { node, found: 'the catch block is empty' }
      const call = callOf(node)
      if (call === null) continue
      const handler = bare(call.args.at(-1))
      if (!isFunction(handler) || !isEmpty(file, handler.body as Node)) continue
      if (
        call.name === 'catch' &&
        call.args.length === 1 &&
        !isHeardElsewhere(node) &&
        !isExplained(file, node)
      )
        yield { node: handler, found: 'the handler of a rejected promise is empty' }
      if (call.path.join('.') === 'process.on' && isGlobalEvent(call.args[0]))
        yield {
          node: handler,
          found: 'the last resort for errors is empty: the process goes on in an unknown state',
        }
    }
  },
}

/** True for a block without statements and comments. */
function isEmpty(file: SourceFile, block: Node): boolean {
  if (block.type !== 'BlockStatement' || (block.body as Node[]).length > 0) return false
  return !file.comments.some(({ start, end }) => start >= block.start && end <= block.end)
}

/** True if a block awaits something that is more than a cleanup. */
function risks(file: SourceFile, block: Node): boolean {
  const awaited = [...file.below(block, true)].filter(({ type }) => type === 'AwaitExpression')
  return awaited.some((node) => {
    const call = callOf(bare(node.argument) ?? node)
    return call === null || !CLEANUP.test(call.name)
  })
}

/** True if what rejects is only a cleanup, or a variable: its errors are heard by the other users of the promise. */
function isHeardElsewhere(node: Node): boolean {
  const receiver = bare((bare(node.callee) as Node).object)
  if (receiver === null || pathOf(receiver) !== null) return true
  return CLEANUP.test(callOf(receiver)?.name ?? '')
}

/** True for a comment that stands behind a node on its line. */
function isExplained(file: SourceFile, node: Node): boolean {
  const { line } = file.position(node.end)
  return file.comments.some(({ start }) => start >= node.end && file.position(start).line === line)
}

function isGlobalEvent(node: Node | undefined): boolean {
  return node?.type === 'Literal' && GLOBAL_EVENTS.has(node.value as string)
}
