/**
 * One state of a key-value store: a map that is never changed in place, and what `read`, `write` and `cas` make of it.
 * Keys are any JSON and are compared by their text.
 */
import { isDeepStrictEqual } from 'node:util'
import { printMessage, type Body } from '../protocol/envelope.ts'

export type State = ReadonlyMap<string, unknown>

export interface Answer {
  /** The state afterwards; the same object if nothing changed. */
  readonly state: State
  readonly body: Body
}

export function failure(code: number, text: string): Body {
  return { type: 'error', code, text }
}

export function applyRequest(state: State, request: Body): Answer {
  const key = request.key === undefined ? '' : printMessage(request.key)
  if (request.key === undefined && ['read', 'write', 'cas'].includes(request.type))
    return { state, body: failure(12, `${request.type} needs a "key"`) }
  switch (request.type) {
    case 'read':
      if (!state.has(key)) return { state, body: failure(20, `key ${key} does not exist`) }
      return { state, body: { type: 'read_ok', value: state.get(key) } }
    case 'write':
      return { state: written(state, key, request.value), body: { type: 'write_ok' } }
    case 'cas': {
      if (!state.has(key)) {
        if (request.create_if_not_exists !== true)
          return { state, body: failure(20, `key ${key} does not exist`) }
        return { state: written(state, key, request.to), body: { type: 'cas_ok' } }
      }
      const value = state.get(key)
      if (!isDeepStrictEqual(value, request.from)) {
        const text = `expected ${printMessage(request.from)}, but had ${printMessage(value)}`
        return { state, body: failure(22, text) }
      }
      return { state: written(state, key, request.to), body: { type: 'cas_ok' } }
    }
    default:
      return { state, body: failure(10, `this service does not understand "${request.type}"`) }
  }
}

function written(state: State, key: string, value: unknown): State {
  return new Map(state).set(key, value ?? null)
}
