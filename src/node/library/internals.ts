/**
 * The way into Node's own library: `internalBinding`, `primordials` and the internal `require` of this thread. Node
 * hides them in the closure of its loader; `process._linkedBinding` is a function of that closure, so an in-process
 * inspector session can read its scopes. That works without any flag on every supported version, in main and worker
 * threads. Where the inspector is refused, `--expose-internals` gives the same through `internal/test/binding`.
 *
 * Values leave the inspector on `process`, not on `globalThis`: test runners replace the latter.
 */
import type * as Inspector from 'node:inspector'
import { createRequire } from 'node:module'
import { UsageError } from '../../kernel/errors.ts'

/** A private binding: native functions, classes and data under their own names. */
export type Binding = Record<string | symbol, any>

/** Finds a module of Node's library by its name. */
export type Require = (id: string) => any

export interface Internals {
  readonly internalBinding: (name: string) => Binding
  readonly primordials: Readonly<Record<string, any>>
  /** The host's instance of an internal or public builtin module. */
  readonly require: (id: string) => any
  /** Compiles a builtin's source with Node's embedded code cache; a new function on every call. */
  readonly compileFunction: (id: string) => (...args: any[]) => unknown
  readonly builtinIds: readonly string[]
}

let taken: Internals | undefined

/** The internals of this thread; taken once. */
export function takeInternals(): Internals {
  taken ??= complete(fromInspector() ?? fromExposedInternals() ?? refuse())
  return taken
}

type Doors = Pick<Internals, 'internalBinding' | 'primordials' | 'require'>

const DOOR = '__wavetank_door__'

function fromInspector(): Doors | null {
  const host = process as unknown as Record<string, any>
  const require = createRequire(import.meta.url)
  try {
    const { Session } = require('node:inspector') as typeof Inspector
    const session = new Session()
    session.connect()
    try {
      const post = (method: string, params: object): any => {
        let answer: any
        session.post(method, params, (error: unknown, result: unknown) => {
          if (error) throw error
          answer = result
        })
        return answer
      }
      host[DOOR] = {}
      const door = post('Runtime.evaluate', { expression: `process.${DOOR}` }).result.objectId
      const anchor = post('Runtime.evaluate', { expression: 'process._linkedBinding' }).result.objectId
      const { internalProperties } = post('Runtime.getProperties', { objectId: anchor, ownProperties: true })
      const scopes = internalProperties.find((property: any) => property.name === '[[Scopes]]').value.objectId
      for (const scope of post('Runtime.getProperties', { objectId: scopes, ownProperties: true }).result) {
        if (scope.value?.objectId === undefined || scope.value.description === 'Global') continue
        const variables = post('Runtime.getProperties', {
          objectId: scope.value.objectId,
          ownProperties: true,
        })
        for (const { name, value } of variables.result) {
          if (name !== 'internalBinding' && name !== 'primordials' && name !== 'requireBuiltin') continue
          post('Runtime.callFunctionOn', {
            objectId: door,
            functionDeclaration: 'function (name, value) { this[name] = value }',
            arguments: [{ value: name }, { objectId: value.objectId }],
          })
        }
      }
      const { internalBinding, primordials, requireBuiltin } = host[DOOR]
      if (internalBinding === undefined || primordials === undefined || requireBuiltin === undefined)
        return null
      return { internalBinding, primordials, require: requireBuiltin }
    } finally {
      delete host[DOOR]
      session.disconnect()
    }
  } catch {
    return null
  }
}

function fromExposedInternals(): Doors | null {
  const require = createRequire(import.meta.url)
  try {
    const { internalBinding, primordials } = require('internal/test/binding')
    return { internalBinding, primordials, require: (id) => require(id) }
  } catch {
    return null
  }
}

function complete(doors: Doors): Internals {
  const builtins = doors.internalBinding('builtins')
  return { ...doors, compileFunction: builtins.compileFunction, builtinIds: builtins.builtinIds }
}

function refuse(): never {
  throw new UsageError(
    'ERR_WAVETANK_NO_INTERNALS',
    `wavetank could not reach Node's internals in this thread (Node ${process.version}). It needs the in-process ` +
      'inspector (a build with inspector, and no permission model that refuses it: --allow-inspector) or the flag ' +
      '--expose-internals.',
  )
}
