/**
 * A value that is read, changed and written back with an `await` in between. Code that names a lock, a transaction or a
 * version in the same function passes.
 */
import { callsIn } from '../imports.ts'
import type { Hit, Rule } from '../rule.ts'
import { bare, callOf, nameOf, pathOf, type Call, type Node, type SourceFile } from '../syntax.ts'
import { scopesOf } from './durability.ts'

const GUARDED =
  /lock|mutex|transaction|semaphore|\bwatch\b|\bcas\b|compareAnd|compareExchange|ifMatch|etag|version|atomic|serial|exclusive|revision|queue/i
const READS = /^(get|read|load|find|findOne|readFile|getItem|hget|hgetall|lookup)$/
const WRITES = /^(set|put|write|save|store|update|replaceOne|writeFile|setItem|hset|hmset)$/

export const lostUpdate: Rule = {
  name: 'lost-update',
  severity: 'warn',
  text: 'A value is read, changed and written back across an `await`.',
  why: 'Another call may read the same value during the `await`: both write, and one of the two changes is lost.',
  fix: 'Read again after the `await`, let one call run at a time, or write under the condition that the value is still the same.',
  *find(file) {
    yield* assignments(file)
    for (const scope of scopesOf(file)) {
      if (scope.type === 'Program' || scope.async !== true || GUARDED.test(file.textOf(scope))) continue
      yield* storedBack(file, scope)
      yield* assignedBack(file, scope)
    }
  },
}

/** `this.total += await f()` and `this.total = this.total + (await f())`: the old value is read before the `await`. */
function* assignments(file: SourceFile): Generator<Hit> {
  for (const node of file.nodes) {
    if (node.type !== 'AssignmentExpression') continue
    const target = bare(node.left)
    if (target?.type !== 'MemberExpression' || GUARDED.test(file.textOf(file.scope(node)))) continue
    const right = node.right as Node
    const awaits = own(file, right).filter(({ type }) => type === 'AwaitExpression')
    if (awaits.length === 0) continue
    const text = file.textOf(target)
    const compound = node.operator !== '=' && !/^(\|\||&&|\?\?)=$/.test(node.operator as string)
    const first = awaits[0].start
    if (compound || own(file, right).some((each) => each.end <= first && file.textOf(each) === text))
      yield { node, found: `${text} is read before an await and written after it` }
  }
}

/** `const v = await store.get(k); …; await store.set(k, f(v))`. */
function* storedBack(file: SourceFile, scope: Node): Generator<Hit> {
  const nodes = [...file.below(scope, true)]
  for (const node of nodes) {
    if (node.type !== 'VariableDeclarator') continue
    const [name, init] = [nameOf(node.id), bare(node.init)]
    const read = awaitedCall(init)
    if (name === null || read === null || !READS.test(read.name) || read.args.length === 0) continue
    const key = file.textOf(read.args[0])
    const store = read.path.slice(0, -1).join('.')
    const write = callsIn(nodes).find(
      (call) =>
        call.node.start > node.end &&
        WRITES.test(call.name) &&
        call.path.slice(0, -1).join('.') === store &&
        call.args.length > 1 &&
        file.textOf(call.args[0]) === key &&
        call.args.slice(1).some((arg) => mentions(file, arg, name)),
    )
    if (write !== undefined)
      yield { node: write.node, found: `${key} is written from ${name}, which was read before an await` }
  }
}

/** `const n = this.count; await …; this.count = n + 1`. */
function* assignedBack(file: SourceFile, scope: Node): Generator<Hit> {
  const nodes = [...file.below(scope, true)]
  const awaits = nodes.filter(({ type }) => type === 'AwaitExpression')
  for (const node of nodes) {
    if (node.type !== 'VariableDeclarator') continue
    const [name, path] = [nameOf(node.id), pathOf(node.init)?.join('.')]
    if (name === null || path === undefined || !path.includes('.')) continue
    const back = nodes.find(
      (each) =>
        each.type === 'AssignmentExpression' &&
        each.start > node.end &&
        pathOf(each.left)?.join('.') === path &&
        mentions(file, each.right as Node, name) &&
        bare(each.right)?.type !== 'Identifier' &&
        awaits.some(({ start }) => start > node.end && start < each.start),
    )
    if (back !== undefined)
      yield { node: back, found: `${path} is written from ${name}, which was read before an await` }
  }
}

function awaitedCall(node: Node | null): Call | null {
  if (node?.type !== 'AwaitExpression') return null
  return callOf(bare(node.argument) ?? node)
}

function mentions(file: SourceFile, node: Node, name: string): boolean {
  return [node, ...file.below(node)].some((each) => each.type === 'Identifier' && each.name === name)
}

function own(file: SourceFile, node: Node): Node[] {
  return [node, ...file.below(node, true)]
}
