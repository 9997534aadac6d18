/**
 * Finds the variables at the top level of a module that hold state, so that every process needs its own: `let`, objects
 * that are made there, values that come from a binding, and members of another module that are each process's.
 * Functions, classes, symbols and modules hold none.
 */
import type { AnyNode, CallExpression, Program, VariableDeclarator } from 'acorn'
import { InternalError } from '../../../kernel/errors.ts'
import {
  forEachChild,
  forEachReference,
  isFunction,
  keyOf,
  namesIn,
  parseModule,
  targetsOf,
} from './syntax.ts'

/** This file: see `REWRITING_FILES`. */
export const ANALYSIS_FILE = import.meta.url

/** Names that another module exports and that every process has of its own; all of them where the module is. */
export type VariablesOf = (id: string) => readonly string[] | 'all'

export interface PartingOptions {
  readonly variablesOf: VariablesOf
  /** Objects of the top level that nothing changes once the module is loaded: tables, that is. */
  readonly tables?: readonly string[]
}

/** Functions whose result is the same for all processes. */
const SHARED_CALLS = new Set([
  'require',
  'Symbol',
  'SymbolFor',
  'createResolverClass',
  'deprecate',
  'hideStackFrames',
  'uncurryThis',
])

/** Bindings that hold nothing but numbers. */
const SHARED_BINDINGS = new Set<unknown>(['constants'])

/** The free variable that every module has. */
export const PROCESS = 'process'

/** The global object, which modules take from `primordials`: its members belong to a process. */
export const GLOBAL = 'globalThis'

/** The variables of the top level that every process has of its own. */
export function variablesIn(source: string, options: PartingOptions): readonly string[] {
  return [...ownNames(parseModule(source), options)]
}

/** The names that a statement of the top level declares, except functions and those that all processes share anyway. */
export function variablesOfStatement(statement: AnyNode): string[] {
  if (statement.type === 'ClassDeclaration') return [statement.id!.name]
  if (statement.type !== 'VariableDeclaration') return []
  return statement.declarations.flatMap(({ id, init }) =>
    targetsOf(id).filter((name) => !isPrimordials(init) || name === GLOBAL),
  )
}

/** A module that does not take the global object from `primordials` reaches for the host's. */
export function refuseGlobalObject(program: Program, source: string): void {
  if (!source.includes(GLOBAL)) return
  const look = (node: AnyNode): void => {
    if (node.type === 'Identifier' && node.name === GLOBAL) throw cannotPart(GLOBAL, source, node)
    forEachReference(node, look)
  }
  look(program)
}

/** Which variables of the top level hold state. */
export function ownNames(program: Program, { variablesOf, tables = [] }: PartingOptions): Set<string> {
  const own = new Set<string>()
  const setOnce = assignedAtTopLevel(program)
  for (const statement of program.body) {
    if (statement.type !== 'VariableDeclaration') continue
    for (const declarator of statement.declarations) {
      const constant = statement.kind === 'const'
      for (const name of namesIn(declarator.id)) {
        const holdsState = constant
          ? isState(declarator, name, own, variablesOf)
          : declarator.init != null || !setOnce.has(name)
        if (holdsState && !tables.includes(name)) own.add(name)
      }
    }
  }
  return own
}

function isState(
  { id, init }: VariableDeclarator,
  name: string,
  own: ReadonlySet<string>,
  of: VariablesOf,
): boolean {
  const required = requiredModule(init)
  const variables = required === undefined ? [] : of(required)
  if (variables === 'all') return true
  if (id.type === 'ObjectPattern' && required !== undefined)
    return variables.includes(keyOf(id, name)!.split('.')[0])
  if (init != null && holdsState(init)) return true
  switch (init?.type) {
    case 'CallExpression':
      return !isSharedCall(init)
    case 'Identifier':
      return own.has(init.name) || (isPrimordials(init) && isOfGlobal(keyOf(id, name)))
    case 'MemberExpression':
      return isStateful(init.object, own) || of(requiredModule(init.object) ?? '') === 'all'
    default:
      return init != null && mentions(init, own)
  }
}

/** Whether an expression reads one of these names when it is evaluated. */
function mentions(node: AnyNode, names: ReadonlySet<string>): boolean {
  if (node.type === 'Identifier') return names.has(node.name)
  let found = false
  if (!isFunction(node)) forEachReference(node, (child) => (found ||= mentions(child, names)))
  return found
}

function isSharedCall({ callee, arguments: [argument] }: CallExpression): boolean {
  if (callee.type !== 'Identifier') return false
  if (callee.name !== 'internalBinding') return SHARED_CALLS.has(callee.name)
  return argument.type === 'Literal' && SHARED_BINDINGS.has(argument.value)
}

/** An object that is made here can be changed later. */
export function holdsState({ type }: AnyNode): boolean {
  return type === 'NewExpression' || type === 'ObjectExpression' || type === 'ArrayExpression'
}

/** Whether a member of this belongs to a process. */
export function isStateful(object: AnyNode, own: ReadonlySet<string>): boolean {
  if (object.type === 'MemberExpression') return isStateful(object.object, own)
  if (object.type === 'Identifier') return own.has(object.name)
  return (
    object.type === 'CallExpression' &&
    object.callee.type === 'Identifier' &&
    object.callee.name === 'internalBinding' &&
    !isSharedCall(object)
  )
}

export function isPrimordials(init: AnyNode | null | undefined): boolean {
  return init?.type === 'Identifier' && init.name === 'primordials'
}

/** Whether a key of `primordials` is the global object, or leads through it. */
export function isOfGlobal(key: string | undefined): boolean {
  return key === GLOBAL || key?.startsWith(`${GLOBAL}.`) === true
}

/** `'x'` of `require('x')`. */
function requiredModule(init: AnyNode | null | undefined): string | undefined {
  if (init?.type !== 'CallExpression' || init.callee.type !== 'Identifier' || init.callee.name !== 'require')
    return undefined
  const [argument] = init.arguments
  return argument.type === 'Literal' ? String(argument.value) : undefined
}

export function assignedAtTopLevel(program: AnyNode): Set<string> {
  const names = new Set<string>()
  const look = (node: AnyNode): void => {
    if (isFunction(node)) return
    if (node.type === 'AssignmentExpression' && node.left.type === 'Identifier') names.add(node.left.name)
    forEachChild(node, look)
  }
  look(program)
  return names
}

export function cannotPart(what: string, source: string, { start }: { start: number }): InternalError {
  const line = source.slice(0, start).split('\n').length
  return new InternalError(`a module of Node's library cannot be parted: ${what} in its line ${line}`)
}
