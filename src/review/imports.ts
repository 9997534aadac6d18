/** What a file imports from a module of Node: by `import`, `require()` and `await import()`, under whichever local name. */
import { bare, callOf, nameOf, pathOf, type Call, type Node, type SourceFile } from './syntax.ts'

/** A module that a file loads, and where it says so. */
export interface Load {
  readonly specifier: string
  readonly node: Node
}

/** Every module that a file loads by a name that is written out; types that are imported only are left out. */
export function* loadsOf(file: SourceFile): Generator<Load> {
  for (const node of file.nodes) {
    const specifier = specifierOf(node)
    if (specifier !== null) yield { specifier, node }
  }
}

function specifierOf(node: Node): string | null {
  switch (node.type) {
    case 'ImportDeclaration':
      return node.importKind === 'type' ? null : literal(node.source)
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return node.exportKind === 'type' ? null : literal(node.source)
    case 'ImportExpression':
      return literal(node.source)
    case 'CallExpression':
      return pathOf(node.callee)?.join('.') === 'require' ? literal((node.arguments as Node[])[0]) : null
    default:
      return null
  }
}

function literal(node: unknown): string | null {
  const inner = bare(node)
  return inner?.type === 'Literal' && typeof inner.value === 'string' ? inner.value : null
}

/** The functions of one module as a file calls them. */
export class Imported {
  /** Local name → exported name; `*` for the module itself. */
  private readonly names = new Map<string, string>()

  constructor(file: SourceFile, ...modules: readonly string[]) {
    const wanted = new Set(modules.flatMap((name) => [name, `node:${name}`]))
    for (const { specifier, node } of loadsOf(file)) {
      if (!wanted.has(specifier)) continue
      if (node.type === 'ImportDeclaration') this.declare(node.specifiers as Node[])
      else this.bind(bindingOf(file, node))
    }
  }

  /** The exported name of the function that a call calls; null if it is none of the module. */
  calls(call: Call): string | null {
    const [root, ...rest] = call.path
    const exported = this.names.get(root)
    if (exported === undefined) return null
    return exported === '*' ? (rest.at(-1) ?? null) : rest.length === 0 ? exported : rest.at(-1)!
  }

  get none(): boolean {
    return this.names.size === 0
  }

  private declare(specifiers: readonly Node[]): void {
    for (const each of specifiers) {
      const local = nameOf(each.local)
      if (local === null) continue
      this.names.set(local, each.type === 'ImportSpecifier' ? (nameOf(each.imported) ?? '*') : '*')
    }
  }

  private bind(pattern: Node | null): void {
    if (pattern === null) return
    if (pattern.type === 'Identifier') this.names.set(pattern.name as string, '*')
    if (pattern.type !== 'ObjectPattern') return
    for (const property of pattern.properties as Node[]) {
      const [exported, local] = [nameOf(property.key), nameOf(property.value)]
      if (exported !== null && local !== null) this.names.set(local, exported)
    }
  }
}

/** The pattern that a `require()` or `await import()` initialises. */
function bindingOf(file: SourceFile, node: Node): Node | null {
  for (const each of file.around(node)) {
    if (each.type === 'VariableDeclarator') return each.id as Node
    if (each.type !== 'AwaitExpression' && each.type !== 'MemberExpression') return null
  }
  return null
}

/** All calls of a file, or of one subtree of it. */
export function callsIn(nodes: Iterable<Node>): Call[] {
  const calls: Call[] = []
  for (const node of nodes) {
    const call = callOf(node)
    if (call !== null) calls.push(call)
  }
  return calls
}
