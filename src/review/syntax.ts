/**
 * The syntax tree of one source file: oxc's ESTree, with a parent for every node, and the questions that rules ask of
 * it. Rules judge by syntax alone: they know no types and follow no import, which keeps a review fast and makes every
 * finding something that a reader sees in one screen.
 */
import type { Comment } from 'oxc-parser'
import type { Position } from './finding.ts'

/** A node of the tree. Its fields are those of ESTree; rules narrow them by `type`. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

export type Parser = (file: string, text: string) => ParsedText

export interface ParsedText {
  readonly program: Node
  readonly comments: readonly Comment[]
  /** The first syntax error, in words; null if there is none. */
  readonly problem: string | null
}

export class SourceFile {
  readonly path: string
  readonly text: string
  readonly comments: readonly Comment[]
  /** Every node, in the order in which the text has them. */
  readonly nodes: readonly Node[]
  private readonly parents = new Map<Node, Node>()
  private readonly lineStarts: number[] = [0]

  constructor(path: string, text: string, { program, comments }: ParsedText) {
    this.path = path
    this.text = text
    this.comments = comments
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.lineStarts.push(at + 1)
    const nodes: Node[] = []
    this.enter(program, nodes)
    this.nodes = nodes
  }

  get lines(): number {
    return this.lineStarts.length
  }

  parent(node: Node): Node | null {
    return this.parents.get(node) ?? null
  }

  /** The nodes around one, from the inside out. */
  *around(node: Node): Generator<Node> {
    for (let at = this.parent(node); at !== null; at = this.parent(at)) yield at
  }

  /** The innermost function around a node; the program if there is none. */
  scope(node: Node): Node {
    let last = node
    for (const each of this.around(node)) {
      if (isFunction(each)) return each
      last = each
    }
    return last
  }

  /** The nodes of a subtree; those of functions inside it are left out if `own` is true. */
  *below(root: Node, own = false): Generator<Node> {
    for (const child of childrenOf(root)) {
      yield child
      if (!(own && isFunction(child))) yield* this.below(child, own)
    }
  }

  textOf(node: Node): string {
    return this.text.slice(node.start, node.end)
  }

  position(offset: number): Position {
    let low = 0
    let high = this.lineStarts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.lineStarts[middle] <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - this.lineStarts[low] + 1 }
  }

  private enter(node: Node, nodes: Node[]): void {
    nodes.push(node)
    for (const child of childrenOf(node)) {
      this.parents.set(child, node)
      this.enter(child, nodes)
    }
  }
}

/** The children of a node, in the order of the text. */
function childrenOf(node: Node): Node[] {
  const children: Node[] = []
  for (const key in node) {
    const value = node[key]
    if (Array.isArray(value)) children.push(...value.filter(isNode))
    else if (isNode(value)) children.push(value)
  }
  return children.sort((a, b) => a.start - b.start)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

export function isFunction(node: unknown): node is Node {
  return isNode(node) && FUNCTIONS.has(node.type)
}

const LOOPS = new Set([
  'ForStatement',
  'ForOfStatement',
  'ForInStatement',
  'WhileStatement',
  'DoWhileStatement',
])

export function isLoop(node: Node): boolean {
  return LOOPS.has(node.type)
}

/** An expression without what changes nothing at run time: parentheses, `!`, `as T`, `?.` chains. */
export function bare(node: unknown): Node | null {
  if (!isNode(node)) return null
  switch (node.type) {
    case 'ParenthesizedExpression':
    case 'TSNonNullExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSTypeAssertion':
    case 'ChainExpression':
      return bare(node.expression)
    default:
      return node
  }
}

/** The name that a node is: an identifier, a private name or a property that is written out. */
export function nameOf(node: unknown): string | null {
  const inner = bare(node)
  if (inner === null) return null
  if (inner.type === 'Identifier') return inner.name as string
  if (inner.type === 'PrivateIdentifier') return `#${inner.name as string}`
  if (inner.type === 'Literal' && typeof inner.value === 'string') return inner.value
  return null
}

/** `a.b.c` as `['a', 'b', 'c']`; null for an expression that is no such path. `this` is a name. */
export function pathOf(node: unknown): readonly string[] | null {
  const inner = bare(node)
  if (inner === null) return null
  if (inner.type === 'ThisExpression') return ['this']
  if (inner.type === 'Identifier') return [inner.name as string]
  if (inner.type !== 'MemberExpression' || inner.computed === true) return null
  const object = pathOf(inner.object)
  const property = nameOf(inner.property)
  return object === null || property === null ? null : [...object, property]
}

/** A call with the path of what is called: `fs.promises.readFile(…)`. */
export interface Call {
  readonly node: Node
  readonly path: readonly string[]
  /** The last name of the path. */
  readonly name: string
  readonly args: readonly Node[]
}

/** A node as a call. If the callee is no plain path (`a().b()`), the path has only the last name. */
export function callOf(node: Node): Call | null {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return null
  const callee = bare(node.callee)
  if (callee === null) return null
  const last = callee.type === 'MemberExpression' && callee.computed !== true ? nameOf(callee.property) : null
  const path = pathOf(callee) ?? (last === null ? null : [last])
  if (path === null) return null
  return { node, path, name: path[path.length - 1], args: node.arguments as Node[] }
}

/** The property of an object literal with a name; null if it is not written out. */
export function propertyOf(object: Node | null, name: string): Node | null {
  if (object?.type !== 'ObjectExpression') return null
  const found = (object.properties as Node[]).find(
    (each) => each.type === 'Property' && each.computed !== true && nameOf(each.key) === name,
  )
  return found === undefined ? null : bare(found.value)
}

/** True if an object literal may have properties that are not written out. */
export function isOpen(object: Node): boolean {
  if (object.type !== 'ObjectExpression') return true
  return (object.properties as Node[]).some((each) => each.type !== 'Property' || each.computed === true)
}

/** True if the node is awaited, returned, or handled where it stands. */
export function isAwaited(file: SourceFile, node: Node): boolean {
  const parent = file.parent(node)
  if (parent?.type === 'ChainExpression') return isAwaited(file, parent)
  return parent?.type === 'AwaitExpression'
}
