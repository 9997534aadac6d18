/**
 * Rewrites a module of Node's library so that one instance serves all processes of a thread while its variables are
 * each process's own. What holds state at the module's top level (`let`, objects, what comes from a binding) becomes a
 * property of a record: `nextExpiry = 5` turns into `$own().nextExpiry = 5`, where `$own()` gives the running process's
 * record, and the declarations move into a function that fills a new one. Functions, classes, symbols and other modules
 * stay what they are: V8 sees one hidden class of timers, not one per process. `process` and `globalThis` are the
 * running one's in functions; while the module is loaded `process` is the host's, which has the same platform and
 * version.
 *
 * Lines stay where they were, since stacks show them. Whatever cannot be rewritten with certainty is an error.
 */
import { parse } from 'acorn'
import type {
  AnyNode,
  CallExpression,
  Expression,
  ArrowFunctionExpression,
  FunctionDeclaration,
  FunctionExpression,
  Identifier,
  NewExpression,
  ObjectPattern,
  Pattern,
  Program,
  Statement,
  VariableDeclarator,
} from 'acorn'
import { InternalError } from '../kernel/errors.ts'

export interface PartedSource {
  /** The body of a function that takes `$own`, `$process` and `$global` besides a module's usual parameters. */
  readonly code: string
  /** Names of the variables that every process has of its own. */
  readonly variables: readonly string[]
}

/** Names that another module exports and that every process has of its own. */
export type VariablesOf = (id: string) => readonly string[]

/** What these return is the same for all processes. */
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
const PROCESS = 'process'

/** Whatever is read from it belongs to a process, and so does what is put there. */
const GLOBAL = 'globalThis'

export function partSource(source: string, variablesOf: VariablesOf): PartedSource {
  const program = parse(source, {
    ecmaVersion: 'latest',
    sourceType: 'script',
    allowReturnOutsideFunction: true,
  })
  const names = ownNames(program, variablesOf)
  names.add(PROCESS)
  if (source.includes(GLOBAL)) names.add(GLOBAL)
  const rewriting = new Rewriting(source, names)
  for (const statement of program.body) rewriting.statement(statement)
  const fresh = [...names].map((name) => `${name}: undefined`).join(', ')
  const given = [`$own().${PROCESS} = $process();`]
  if (names.has(GLOBAL)) given.push(`$own().${GLOBAL} = $global();`)
  const begin = [...given, ...rewriting.moved].join(' ')
  const code = `${rewriting.text(0, source.length)}\nreturn { fresh() { return { ${fresh} } }, begin() { ${begin} } }`
  return { code, variables: [...names] }
}

/** Which variables of the top level hold state. */
function ownNames(program: Program, variablesOf: VariablesOf): Set<string> {
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
        if (holdsState) own.add(name)
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
  if (id.type === 'ObjectPattern' && required !== undefined) return of(required).includes(name)
  if (init != null && holdsState(init)) return true
  switch (init?.type) {
    case 'CallExpression':
      return !isSharedCall(init)
    case 'Identifier':
      return own.has(init.name)
    case 'MemberExpression':
      return isStateful(init.object, own)
    default:
      return false
  }
}

function isSharedCall({ callee, arguments: [argument] }: CallExpression): boolean {
  if (callee.type !== 'Identifier') return false
  if (callee.name !== 'internalBinding') return SHARED_CALLS.has(callee.name)
  return argument.type === 'Literal' && SHARED_BINDINGS.has(argument.value)
}

/** An object that is made here can be changed later. */
function holdsState({ type }: AnyNode): boolean {
  return type === 'NewExpression' || type === 'ObjectExpression' || type === 'ArrayExpression'
}

/** Whether a member of this belongs to a process. */
function isStateful(object: AnyNode, own: ReadonlySet<string>): boolean {
  if (object.type === 'MemberExpression') return isStateful(object.object, own)
  if (object.type === 'Identifier') return own.has(object.name)
  return (
    object.type === 'CallExpression' &&
    object.callee.type === 'Identifier' &&
    object.callee.name === 'internalBinding' &&
    !isSharedCall(object)
  )
}

/** `'x'` of `require('x')`. */
function requiredModule(init: Expression | null | undefined): string | undefined {
  if (init?.type !== 'CallExpression' || init.callee.type !== 'Identifier' || init.callee.name !== 'require')
    return undefined
  const [argument] = init.arguments
  return argument.type === 'Literal' ? String(argument.value) : undefined
}

function assignedAtTopLevel(program: AnyNode): Set<string> {
  const names = new Set<string>()
  const look = (node: AnyNode): void => {
    if (isFunction(node)) return
    if (node.type === 'AssignmentExpression' && node.left.type === 'Identifier') names.add(node.left.name)
    forEachChild(node, look)
  }
  look(program)
  return names
}

type FunctionNode = FunctionDeclaration | FunctionExpression | ArrowFunctionExpression

/** Edits of one source text. */
class Rewriting {
  /** What a new record is filled by. */
  readonly moved: string[] = []
  private readonly source: string
  private readonly own: ReadonlySet<string>
  private readonly ownName: RegExp
  private readonly edits: { readonly start: number; readonly end: number; readonly text: string }[] = []

  constructor(source: string, own: ReadonlySet<string>) {
    this.source = source
    this.own = own
    const names = [...own].map((name) => name.replaceAll('$', '\\$'))
    this.ownName = new RegExp(`(?<![\\w$])(?:${names.join('|')})(?![\\w$])`)
  }

  /** A statement of the top level. */
  statement(node: AnyNode): void {
    if (node.type === 'VariableDeclaration') {
      const own = node.declarations.map(({ id }) => namesIn(id).filter((name) => this.own.has(name)))
      if (own.every(({ length }) => length === 0)) return this.references(node)
      if (node.declarations.length > 1) throw this.cannot('several declarations in one statement', node)
      const [declarator] = node.declarations
      if (own[0].length < namesIn(declarator.id).length)
        this.takeOut(declarator as VariableDeclarator & { id: ObjectPattern })
      else this.move(node, declarator)
      return
    }
    if (node.type === 'ExpressionStatement' && node.expression.type === 'AssignmentExpression') {
      const { left, right } = node.expression
      if (isStateful(left, this.own)) return this.moveWhole(node)
      if (this.source.slice(left.start, left.end) === 'module.exports') return this.exports(right)
      if (left.type === 'MemberExpression' && holdsState(right))
        throw this.cannot('an object on something that all processes share', node)
    }
    if (node.type === 'IfStatement' && this.assigns(node)) return this.moveWhole(node)
    this.references(node)
  }

  /** The text from here to there with all edits made so far. */
  text(start: number, end: number): string {
    const inside = this.edits
      .filter((edit) => edit.start >= start && edit.end <= end)
      .sort((a, b) => a.start - b.start || b.end - a.end)
    let text = ''
    let at = start
    for (const edit of inside) {
      if (edit.start < at) continue // within one that is made
      text += this.source.slice(at, edit.start) + edit.text
      at = edit.end
    }
    return text + this.source.slice(at, end)
  }

  private move(statement: Statement, { id, init }: VariableDeclarator): void {
    if (init != null) {
      this.references(init, true)
      const value = this.text(init.start, init.end)
      for (const [name, key] of membersOf(id)) this.fill(name, key === undefined ? value : `${value}.${key}`)
    }
    this.blank(statement.start, statement.end)
  }

  /** A statement that every process executes for itself. */
  private moveWhole(statement: Statement): void {
    this.references(statement, true)
    this.moved.push(`${this.text(statement.start, statement.end)};`)
    this.blank(statement.start, statement.end)
  }

  /** Whether a statement sets a process's variable while the module is loaded. */
  private assigns(node: AnyNode): boolean {
    return [...assignedAtTopLevel(node)].some((name) => this.own.has(name))
  }

  /** From `const { shared, own } = require('x')`: processes take what is theirs by themselves. */
  private takeOut({ id, init }: VariableDeclarator & { id: ObjectPattern }): void {
    for (const property of id.properties) {
      if (property.type !== 'Property') throw this.cannot('the rest of a pattern', property)
      if (!namesIn(property.value).some((name) => this.own.has(name))) continue
      if (property.value.type !== 'Identifier') throw this.cannot('a pattern in a pattern', property)
      const after = /^\s*,/.exec(this.source.slice(property.end))?.[0].length ?? 0
      this.blank(property.start, property.end + after)
    }
    const value = this.source.slice(init!.start, init!.end)
    for (const [name, key] of membersOf(id)) if (this.own.has(name)) this.fill(name, `${value}.${key}`)
  }

  /** The global object is given to a record: `primordials` have none that is a process's. */
  private fill(name: string, value: string): void {
    if (name !== GLOBAL) this.moved.push(`$own().${name} = ${value};`)
  }

  /** Exports that belong to a process are read from its record. */
  private exports(value: Expression): void {
    if (value.type === 'AssignmentExpression') return this.exports(value.right)
    if (value.type !== 'ObjectExpression') return this.references(value)
    for (const property of value.properties) {
      if (property.type === 'Property' && property.value.type === 'Identifier') {
        const { name } = property.value
        const key = this.source.slice(property.key.start, property.key.end)
        if (this.own.has(name))
          this.edit(property.start, property.end, `get ${key}() { return $own().${name} }`)
      } else this.references(property)
    }
  }

  /** Rewrites references to a process's variables; outside functions only where a record is being filled. */
  private references(node: AnyNode, filling = false): void {
    const look = (at: AnyNode, inside: boolean, hidden: ReadonlySet<string>): void => {
      if (at.type === 'Identifier') {
        if (!this.own.has(at.name) || hidden.has(at.name)) return
        if (!inside && at.name === PROCESS) return
        if (!inside) throw this.cannot(`a use of ${at.name} while the module is loaded`, at)
        this.edit(at.start, at.end, `$own().${at.name}`)
      } else if (at.type === 'Property' && at.shorthand) {
        const { name } = at.key as Identifier
        if (!this.own.has(name) || hidden.has(name)) return
        if (!inside || at.value.type !== 'Identifier') throw this.cannot(`a shorthand of ${name}`, at)
        this.edit(at.start, at.end, `${name}: $own().${name}`)
      } else if (isCallOfName(at) && this.own.has(at.callee.name) && !hidden.has(at.callee.name)) {
        const { start, end, name } = at.callee
        if (!inside) throw this.cannot(`a call of ${name} while the module is loaded`, at)
        // Without a receiver, as before.
        this.edit(start, end, at.type === 'NewExpression' ? `($own().${name})` : `(0, $own().${name})`)
        for (const argument of at.arguments) look(argument, inside, hidden)
      } else if (isFunction(at)) {
        if (!this.ownName.test(this.source.slice(at.start, at.end))) return
        const declared = new Set([...hidden, ...declaredIn(at)])
        forEachReference(at, (child) => look(child, true, declared))
      } else forEachReference(at, (child) => look(child, inside, hidden))
    }
    look(node, filling, new Set())
  }

  private blank(start: number, end: number): void {
    this.edit(start, end, this.source.slice(start, end).replaceAll(/[^\n]+/g, ''))
  }

  private edit(start: number, end: number, text: string): void {
    this.edits.push({ start, end, text })
  }

  private cannot(what: string, node: { start: number }): InternalError {
    return cannotPart(what, this.source, node)
  }
}

function cannotPart(what: string, source: string, { start }: { start: number }): InternalError {
  const line = source.slice(0, start).split('\n').length
  return new InternalError(`a module of Node's library cannot be parted: ${what} in its line ${line}`)
}

function isCallOfName(node: AnyNode): node is (CallExpression | NewExpression) & { callee: Identifier } {
  const calls = node.type === 'CallExpression' || node.type === 'NewExpression'
  return calls && node.callee.type === 'Identifier'
}

function isFunction(node: AnyNode): node is FunctionNode {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  )
}

function namesIn(pattern: Pattern): string[] {
  return membersOf(pattern).map(([name]) => name)
}

/** Names that a pattern declares, each with the key that it comes from. */
function membersOf(pattern: Pattern): [name: string, key: string | undefined][] {
  if (pattern.type === 'Identifier') return [[pattern.name, undefined]]
  if (pattern.type !== 'ObjectPattern') return []
  return pattern.properties.flatMap((property) => {
    if (property.type !== 'Property') return []
    const key = (property.key as Identifier).name
    if (property.value.type === 'Identifier') return [[property.value.name, key]] as [string, string][]
    return membersOf(property.value).map(([name, inner]) => [name, `${key}.${inner}`] as [string, string])
  })
}

/** All names that a function declares anywhere in its own body. */
function declaredIn(node: FunctionNode): string[] {
  const names: string[] = []
  const collect = (pattern: AnyNode): void => {
    if (pattern.type === 'Identifier') names.push(pattern.name)
    else if (pattern.type === 'AssignmentPattern') collect(pattern.left)
    else if (pattern.type === 'Property') collect(pattern.value)
    else if (pattern.type !== 'MemberExpression') forEachChild(pattern, collect)
  }
  for (const parameter of node.params) collect(parameter)
  const look = (at: AnyNode): void => {
    if (at.type === 'VariableDeclarator') collect(at.id)
    if (at.type === 'CatchClause' && at.param != null) collect(at.param)
    if ((at.type === 'FunctionDeclaration' || at.type === 'ClassDeclaration') && at.id != null)
      names.push(at.id.name)
    if (!isFunction(at)) forEachChild(at, look)
  }
  forEachChild(node.body, look)
  return names
}

function forEachChild(node: AnyNode, look: (node: AnyNode) => void): void {
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
function forEachReference(node: AnyNode, look: (node: AnyNode) => void): void {
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
