/**
 * Results whose order is that of completion, or that a file system gives in no order. `readdir` passes: libuv sorts its
 * names.
 */
import { callsIn, Imported } from '../imports.ts'
import type { Rule } from '../rule.ts'
import { bare, callOf, isFunction, nameOf, type Node, type SourceFile } from '../syntax.ts'

export const unorderedData: Rule = {
  name: 'unordered-data',
  severity: 'warn',
  text: 'The order of a list depends on which I/O ends first, or on the file system.',
  why: 'The same input gives other results from run to run, and a replay on another machine goes another way.',
  fix: 'Return values from the callback and use the array of Promise.all(), or sort the list before it is used.',
  *find(file) {
    yield* completionOrder(file)
    yield* directoryOrder(file)
  },
}

/** `Promise.all(list.map(async (each) => { …await…; results.push(…) }))` with `results` never sorted. */
function* completionOrder(file: SourceFile) {
  for (const call of callsIn(file.nodes)) {
    if (!/^Promise\.(all|allSettled)$/.test(call.path.join('.')) || call.args.length === 0) continue
    const mapped = callOf(bare(call.args[0]) ?? call.args[0])
    const callback = mapped?.name === 'map' ? bare(mapped.args[0]) : null
    if (!isFunction(callback) || callback.async !== true) continue
    for (const push of callsIn(file.below(callback, true))) {
      const [list, method] = push.path
      if (push.path.length !== 2 || method !== 'push' || isLocal(file, callback, list)) continue
      const awaited = awaitsIn(file, callback).some((at) => at < push.node.end)
      if (!awaited || new RegExp(`\\b${escaped(list)}\\.(sort|toSorted)\\b`).test(file.text)) continue
      yield { node: push.node, found: `${list} gets its elements in the order in which the calls end` }
    }
  }
}

function awaitsIn(file: SourceFile, callback: Node): number[] {
  return [...file.below(callback, true)]
    .filter(({ type }) => type === 'AwaitExpression')
    .map(({ start }) => start)
}

/** True if a name is declared inside a function. */
function isLocal(file: SourceFile, callback: Node, name: string): boolean {
  if ((callback.params as Node[]).some((param) => nameOf(param) === name)) return true
  return [...file.below(callback, true)].some(
    (node) => node.type === 'VariableDeclarator' && nameOf(node.id) === name,
  )
}

/** `for await (const entry of await opendir(folder))`: entries come as the disk has them. */
function* directoryOrder(file: SourceFile) {
  const fs = new Imported(file, 'fs', 'fs/promises')
  if (fs.none) return
  for (const node of file.nodes) {
    if (node.type !== 'ForOfStatement') continue
    const right = bare(node.right)
    const call =
      right?.type === 'AwaitExpression' ? callOf(bare(right.argument) ?? right) : right && callOf(right)
    if (!call || fs.calls(call) !== 'opendir') continue
    if (keepsOrder(file, node))
      yield { node, found: 'the entries of opendir() come in the order of the disk' }
  }
}

/** True if the body of a loop keeps its elements in an order, and the function sorts nothing. */
function keepsOrder(file: SourceFile, loop: Node): boolean {
  const pushes = callsIn(file.below(loop)).filter(({ name }) => name === 'push')
  const sorted = callsIn(file.below(file.scope(loop))).some(
    ({ name }) => name === 'sort' || name === 'toSorted',
  )
  return pushes.length > 0 && !sorted
}

function escaped(name: string): string {
  return name.replace(/[$]/g, '\\$&')
}
