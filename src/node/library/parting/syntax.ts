/**
 * The syntax tree of a module of Node's library, as the parting needs it: parsing, the names that patterns, functions and
 * blocks declare, and the children of a node that may refer to variables. It knows nothing of processes.
 */
import { parse } from 'acorn'
import type {
  AnyNode,
  ArrowFunctionExpression,
  CallExpression,
  FunctionDeclaration,
  FunctionExpression,
  Identifier,
  NewExpression,
  Pattern,
  Program,
} from 'acorn'

/** This file: see `REWRITING_FILES` in rewriting.ts. */
export const SYNTAX_FILE = import.meta.url

export function parseModule(source: string): Program {
  return parse(source, { ecmaVersion: 'latest', sourceType: 'script', allowReturnOutsideFunction: true })
}

type FunctionNode = FunctionDeclaration | FunctionExpression | ArrowFunctionExpression

export function isCallOfName(
  node: AnyNode,
): node is (CallExpression | NewExpression) & { callee: Identifier } {
  const calls = node.type === 'CallExpression' || node.type === 'NewExpression'
  return calls && node.callee.type === 'Identifier'
}

export function isFunction(node: AnyNode): node is FunctionNode {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  )
}

/** `a` of `a.b.c`. */
export function objectOf(node: AnyNode): AnyNode {
  return node.type === 'MemberExpression' ? objectOf(node.object) : node
}

export function namesIn(pattern: Pattern): string[] {
  return membersOf(pattern).map(([name]) => name)
}

/** Names that a pattern declares, each with the key that it comes from. */
export function membersOf(pattern: Pattern): [name: string, key: string | undefined][] {
  if (pattern.type === 'Identifier') return [[pattern.name, undefined]]
  if (pattern.type !== 'ObjectPattern') return []
  return pattern.properties.flatMap((property) => {
    if (property.type !== 'Property') return []
    const key = (property.key as Identifier).name
    if (property.value.type === 'Identifier') return [[property.value.name, key]] as [string, string][]
    return membersOf(property.value).map(([name, inner]) => [name, `${key}.${inner}`] as [string, string])
  })
}

export function keyOf(pattern: Pattern, name: string): string | undefined {
  return membersOf(pattern).find((member) => member[0] === name)?.[1]
}

/** All names that a function declares anywhere in its own body. */
export function declaredIn({ params, body }: FunctionNode): string[] {
  return [...params.flatMap(targetsOf), ...declarationsIn(body)]
}

/** All names that are declared in a part of a function or a module. */
export function declarationsIn(node: AnyNode): string[] {
  const names: string[] = []
  const look = (at: AnyNode): void => {
    if (at.type === 'VariableDeclarator') names.push(...targetsOf(at.id))
    if (at.type === 'CatchClause' && at.param != null) names.push(...targetsOf(at.param))
    if ((at.type === 'FunctionDeclaration' || at.type === 'ClassDeclaration') && at.id != null)
      names.push(at.id.name)
    if (!isFunction(at)) forEachChild(at, look)
  }
  forEachChild(node, look)
  return names
}

/** The names that a pattern gives values to. */
export function targetsOf(pattern: AnyNode): string[] {
  const names: string[] = []
  const collect = (at: AnyNode): void => {
    if (at.type === 'Identifier') names.push(at.name)
    else if (at.type === 'AssignmentPattern') collect(at.left)
    else if (at.type === 'Property') collect(at.value)
    else if (at.type !== 'MemberExpression') forEachChild(at, collect)
  }
  collect(pattern)
  return names
}

export function forEachChild(node: AnyNode, look: (node: AnyNode) => void): void {
  for (const key in node) {
    const value = (node as unknown as Record<string, unknown>)[key]
    if (isNode(value)) look(value)
    else if (Array.isArray(value)) for (const child of value as unknown[]) if (isNode(child)) look(child)
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as AnyNode).type === 'string'
}

/** Children that may refer to variables: no names of members, and nothing that is declared here. */
export function forEachReference(node: AnyNode, look: (node: AnyNode) => void): void {
  const name = nameIn(node)
  forEachChild(node, (child) => {
    if (child !== name) look(child)
  })
}

/** A child that is a name, not a reference. */
function nameIn(node: AnyNode): unknown {
  if (node.type === 'MemberExpression') return node.computed ? undefined : node.property
  if (node.type === 'Property' || node.type === 'MethodDefinition' || node.type === 'PropertyDefinition')
    return node.computed ? undefined : node.key
  return 'label' in node ? node.label : undefined
}
