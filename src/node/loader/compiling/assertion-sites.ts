/**
 * Finds the assertions of a file when it is compiled, so that one that is never reached is known: calls of what the file
 * imports from wavetank under names such as `always` or `sometimes`, with the message where it is a literal.
 *
 * Recognised: named imports (also renamed), namespace imports, `const { always } = require('wavetank')` and
 * `await import('wavetank')`. An assertion called through some other alias is registered only when it runs.
 */
import { parse } from 'acorn'
import type { AnyNode, CallExpression, Node } from 'acorn'

export interface AssertionSite {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The name wavetank exports: `always`, `sometimes`, … */
  readonly kind: string
  /** The message, when it is written as a string. */
  readonly message: string | undefined
}

/** The exports of wavetank that assert. */
export const ASSERTION_KINDS: ReadonlySet<string> = new Set([
  'always',
  'alwaysOrUnreachable',
  'sometimes',
  'reachable',
  'unreachable',
  'alwaysLessThan',
  'alwaysAtMost',
  'alwaysGreaterThan',
  'alwaysAtLeast',
  'sometimesLessThan',
  'sometimesAtMost',
  'sometimesGreaterThan',
  'sometimesAtLeast',
  'sometimesAll',
  'sometimesEach',
  'situation',
])

const PACKAGE = /^wavetank(?:\/|$)/

/** The assertion call sites in this JavaScript; empty when it cannot be parsed, which the compiler will say better. */
export function findAssertions(source: string, file: string): AssertionSite[] {
  if (!source.includes('wavetank')) return []
  const program = parseAny(source)
  if (program === undefined) return []
  const names = new Map<string, string>()
  const namespaces = new Set<string>()
  const calls: CallExpression[] = []
  walk(program, (node) => {
    collectBindings(node, names, namespaces)
    if (node.type === 'CallExpression') calls.push(node)
  })
  const sites: AssertionSite[] = []
  for (const call of calls) {
    const kind = kindOf(call, names, namespaces)
    if (kind === undefined || !ASSERTION_KINDS.has(kind)) continue
    const { line, column } = call.loc!.start
    sites.push({ file, line, column: column + 1, kind, message: messageOf(call) })
  }
  return sites
}

function parseAny(source: string): AnyNode | undefined {
  for (const sourceType of ['module', 'script'] as const) {
    try {
      return parse(source, {
        ecmaVersion: 'latest',
        sourceType,
        locations: true,
        allowHashBang: true,
        allowReturnOutsideFunction: sourceType === 'script',
      })
    } catch {
      // Perhaps the other kind; perhaps newer syntax than the parser's, and then the sites register when they run.
    }
  }
  return undefined
}

function collectBindings(node: AnyNode, names: Map<string, string>, namespaces: Set<string>): void {
  if (node.type === 'ImportDeclaration') {
    if (!PACKAGE.test(String(node.source.value))) return
    for (const specifier of node.specifiers) {
      if (specifier.type === 'ImportNamespaceSpecifier') namespaces.add(specifier.local.name)
      else if (specifier.type === 'ImportSpecifier')
        names.set(specifier.local.name, exportName(specifier.imported))
    }
  } else if (node.type === 'VariableDeclarator' && node.init && loadsPackage(node.init)) {
    if (node.id.type === 'Identifier') namespaces.add(node.id.name)
    if (node.id.type !== 'ObjectPattern') return
    for (const property of node.id.properties) {
      if (property.type !== 'Property' || property.value.type !== 'Identifier') continue
      if (property.key.type === 'Identifier') names.set(property.value.name, property.key.name)
    }
  }
}

function exportName(node: { type: string; name?: string; value?: unknown }): string {
  return node.type === 'Identifier' ? node.name! : String(node.value)
}

/** `require('wavetank')`, `import('wavetank')`, awaited or not. */
function loadsPackage(node: AnyNode): boolean {
  if (node.type === 'AwaitExpression') return loadsPackage(node.argument)
  if (node.type === 'ImportExpression') return isPackageLiteral(node.source)
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return false
  return node.callee.name === 'require' && node.arguments.length === 1 && isPackageLiteral(node.arguments[0])
}

function isPackageLiteral(node: AnyNode): boolean {
  return node.type === 'Literal' && typeof node.value === 'string' && PACKAGE.test(node.value)
}

function kindOf(
  { callee }: CallExpression,
  names: ReadonlyMap<string, string>,
  namespaces: ReadonlySet<string>,
): string | undefined {
  if (callee.type === 'Identifier') return names.get(callee.name)
  if (callee.type !== 'MemberExpression' || callee.computed) return undefined
  if (callee.object.type !== 'Identifier' || !namespaces.has(callee.object.name)) return undefined
  return callee.property.type === 'Identifier' ? callee.property.name : undefined
}

/** The message is the first argument that is written as a string: it stands last or first, by kind. */
function messageOf(call: CallExpression): string | undefined {
  for (const argument of call.arguments) {
    if (argument.type === 'Literal' && typeof argument.value === 'string') return argument.value
    if (argument.type === 'TemplateLiteral' && argument.expressions.length === 0) {
      return argument.quasis[0].value.cooked ?? undefined
    }
  }
  return undefined
}

function walk(node: Node, visit: (node: AnyNode) => void): void {
  visit(node as AnyNode)
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) walk(item, visit)
    } else if (isNode(value)) walk(value, visit)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}
