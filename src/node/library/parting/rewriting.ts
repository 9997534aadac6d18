/**
 * Rewrites a module of Node's library so that one instance serves all processes of a thread while its variables are
 * each process's own. A variable of the top level that holds state (see analysis.ts) becomes a property of a record:
 * `nextExpiry = 5` turns into `$own().nextExpiry = 5`, where `$own()` gives the running process's record, and the
 * declarations move into a function that fills a new one. Functions, classes, symbols and other modules
 * stay what they are: V8 sees one hidden class of timers, not one per process. `process` and `globalThis` are the
 * running one's in functions; while the module is loaded `process` is the host's, which has the same platform and
 * version.
 *
 * Lines stay where they were, since stacks show them. Whatever cannot be rewritten with certainty is an error.
 */
import { fileURLToPath } from 'node:url'
import type {
  AnyNode,
  Expression,
  FunctionDeclaration,
  Identifier,
  ObjectPattern,
  VariableDeclarator,
} from 'acorn'
import type { InternalError } from '../../../kernel/errors.ts'
import {
  ANALYSIS_FILE,
  assignedAtTopLevel,
  cannotPart,
  GLOBAL,
  holdsState,
  isOfGlobal,
  isPrimordials,
  isStateful,
  ownNames,
  PROCESS,
  refuseGlobalObject,
  variablesOfStatement,
  type PartingOptions,
} from './analysis.ts'
import {
  declaredIn,
  declarationsIn,
  forEachChild,
  forEachReference,
  isCallOfName,
  isFunction,
  membersOf,
  namesIn,
  objectOf,
  parseModule,
  SYNTAX_FILE,
} from './syntax.ts'

export interface PartedSource {
  /** The body of a function that takes `$own`, `$process` and `$global` besides a module's usual parameters. */
  readonly code: string
  /** Names of the variables that every process has of its own. */
  readonly variables: readonly string[]
}

/**
 * The files that define the rewriting: their text is part of the key under which a rewritten source is kept. Bundled
 * into one file, they are that one.
 */
export const REWRITING_FILES: readonly string[] = [
  ...new Set([ANALYSIS_FILE, SYNTAX_FILE, import.meta.url].map((url) => fileURLToPath(url))),
]

export function partSource(source: string, options: PartingOptions): PartedSource {
  const program = parseModule(source)
  const names = ownNames(program, options)
  names.add(PROCESS)
  if (!names.has(GLOBAL)) refuseGlobalObject(program, source)
  const rewriting = new Rewriting(source, names)
  for (const statement of program.body) rewriting.statement(statement)
  const fresh = [...names].map((name) => `${name}: undefined`).join(', ')
  const begin = [`$own().${PROCESS} = $process();`, ...rewriting.moved].join(' ')
  const code = `${rewriting.text(0, source.length)}\nreturn { fresh() { return { ${fresh} } }, begin() { ${begin} } }`
  return { code, variables: [...names] }
}

/**
 * A source that every process executes for itself, as a whole, but whose functions find the variables of its top level,
 * and the parameters of the function around it, in the record of the running process. So nothing that it leaves behind
 * leads to a process. V8 makes accessors, and functions that are assigned to a property, old from the start (see
 * young-garbage.ts): otherwise they would keep a dead process alive until the next full collection.
 */
export function detachSource(source: string, parameters: readonly string[]): PartedSource {
  const program = parseModule(source)
  const functions = program.body.filter(({ type }) => type === 'FunctionDeclaration') as FunctionDeclaration[]
  const given = [...parameters, ...functions.map(({ id }) => id.name)]
  const names = new Set([...given, ...program.body.flatMap(variablesOfStatement)])
  const rewriting = new Rewriting(source, names)
  for (const statement of program.body) rewriting.detach(statement)
  const text = rewriting.text(0, source.length)
  return { code: `'use strict'; ${given.map(intoRecord).join(' ')} ${text}`, variables: [...names] }
}

function intoRecord(name: string): string {
  return `$own().${name} = ${name};`
}

/** Edits of one source text. */
class Rewriting {
  /** The statements that fill a new record. */
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
      const isWhole = node.declarations.map(({ id }, i) => own[i].length === namesIn(id).length)
      if (isWhole.every(Boolean)) {
        for (const declarator of node.declarations) this.move(declarator)
        this.blank(node.start, node.end)
        return
      }
      if (node.declarations.length > 1) throw this.cannot('several declarations in one statement', node)
      this.takeOut(node.declarations[0] as VariableDeclarator & { id: ObjectPattern })
      return
    }
    if (node.type === 'ExpressionStatement' && node.expression.type === 'AssignmentExpression') {
      const { left, right } = node.expression
      if (isStateful(left, this.own)) return this.moveWhole(node)
      if (this.source.slice(left.start, left.end) === 'module.exports') return this.exports(right)
      if (left.type === 'MemberExpression' && holdsState(right))
        throw this.cannot('an object on something that all processes share', node)
    } else if (this.completes(node) || (node.type === 'IfStatement' && this.assigns(node))) {
      return this.moveWhole(node)
    }
    this.references(node)
  }

  /** A statement of the top level that every process executes for itself. */
  detach(node: AnyNode): void {
    if (node.type === 'FunctionDeclaration') {
      const hidden = new Set(declaredIn(node as FunctionDeclaration))
      for (const part of [...node.params, node.body]) this.references(part, true, hidden)
    } else if (node.type === 'ClassDeclaration') {
      this.references(node.body, true)
    } else if (node.type === 'VariableDeclaration') {
      for (const { init } of node.declarations) if (init != null) this.references(init, true)
    } else {
      const shadow = declarationsIn(node).find((name) => this.own.has(name))
      if (shadow !== undefined) throw this.cannot(`another ${shadow}`, node)
      this.references(node, true)
    }
    const declared = variablesOfStatement(node)
    if (declared.length > 0) this.edit(node.end, node.end, `; ${declared.map(intoRecord).join(' ')}`)
  }

  /** Whether a statement does nothing but complete a process's objects: `if (…) table.x = …`, `ObjectFreeze(table)`. */
  private completes(node: AnyNode): boolean {
    if (node.type !== 'ExpressionStatement' && node.type !== 'IfStatement' && node.type !== 'ForStatement')
      return false
    const locals = new Set(declarationsIn(node))
    let touchesOwn = false
    let touchesElse = false
    const look = (at: AnyNode): void => {
      if (isFunction(at) || at.type === 'NewExpression') touchesElse = true
      if (at.type === 'AssignmentExpression') {
        if (isStateful(at.left, this.own)) touchesOwn = true
        else touchesElse = true
      }
      if (at.type === 'CallExpression') {
        if (at.callee.type !== 'Identifier') touchesElse = true
        for (const argument of at.arguments) {
          if (isStateful(argument, this.own)) touchesOwn = true
          else if (argument.type !== 'Literal' && !isStateful(argument, locals)) touchesElse = true
        }
      }
      forEachChild(at, look)
    }
    look(node)
    return touchesOwn && !touchesElse
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

  private move({ id, init }: VariableDeclarator): void {
    if (init == null) return
    this.references(init, true)
    const value = this.text(init.start, init.end)
    for (const [name, key] of membersOf(id)) this.fill(name, init, value, key)
  }

  /** The global object that `primordials` have is no process's. */
  private fill(name: string, init: Expression, value: string, key: string | undefined): void {
    const isGlobal = isPrimordials(init) && isOfGlobal(key)
    const from = isGlobal
      ? `$global()${key!.slice(GLOBAL.length)}`
      : key === undefined
        ? value
        : `${value}.${key}`
    this.moved.push(`$own().${name} = ${from};`)
  }

  /** A statement that every process executes for itself. */
  private moveWhole(statement: AnyNode): void {
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
      const names = namesIn(property.value)
      if (!names.some((name) => this.own.has(name))) continue
      if (!names.every((name) => this.own.has(name))) throw this.cannot('a part of a pattern', property)
      const after = /^\s*,/.exec(this.source.slice(property.end))?.[0].length ?? 0
      this.blank(property.start, property.end + after)
    }
    const value = this.source.slice(init!.start, init!.end)
    for (const [name, key] of membersOf(id)) if (this.own.has(name)) this.fill(name, init!, value, key)
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

  /**
   * Rewrites references to a process's variables, but for hidden ones; outside functions only where a record is being
   * filled.
   */
  private references(node: AnyNode, filling = false, hiddenAround: ReadonlySet<string> = new Set()): void {
    let classIn: AnyNode | null = null
    const look = (at: AnyNode, inside: boolean, hidden: ReadonlySet<string>): void => {
      if (at.type === 'Identifier') {
        if (!this.own.has(at.name) || hidden.has(at.name)) return
        if (!inside && at.name === PROCESS) return
        if (!inside) throw this.cannot(`a use of ${at.name} while the module is loaded`, at)
        const text = `$own().${at.name}`
        this.edit(at.start, at.end, at === classIn ? `(${text})` : text)
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
      } else if (at.type === 'NewExpression') {
        const outer = classIn
        classIn = objectOf(at.callee) // or `new $own()` would be read in `new $own().a.B()`
        forEachReference(at, (child) => look(child, inside, hidden))
        classIn = outer
      } else if (isFunction(at)) {
        if (!this.ownName.test(this.source.slice(at.start, at.end))) return
        const declared = new Set([...hidden, ...declaredIn(at)])
        forEachReference(at, (child) => look(child, true, declared))
      } else forEachReference(at, (child) => look(child, inside, hidden))
    }
    look(node, filling, hiddenAround)
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
