// @ts-check
/**
 * A key-value store as a replicated state machine. Keys are strings, values are JSON values; a key that is not there
 * reads as null. Sizes are checked before a command is ordered, because a command in the log can no longer be refused.
 *
 * @import { StateMachine } from './types.ts'
 */

const MAX_KEY_CHARS = 256
const COMMANDS = new Set(['put', 'delete', 'cas', 'append'])

/** @implements {StateMachine} */
export class KvMachine {
  /** @type {Map<string, unknown>} */
  #values = new Map()

  /** @param {any} command */
  check(command) {
    if (!COMMANDS.has(command?.op)) return `op is one of ${[...COMMANDS].join(', ')}`
    if (command.op === 'cas' && !('from' in command && 'to' in command)) return 'cas has from and to'
    if (command.op === 'put' && command.value === undefined) return 'put has a value'
    if (command.op === 'append' && typeof command.value !== 'string')
      return 'append has a string as its value'
    return checkKey(command.key)
  }

  /** @param {any} query */
  checkQuery(query) {
    return query?.op === 'get' ? checkKey(query.key) : 'op is get'
  }

  /** @param {any} command */
  apply(command) {
    const { op, key } = command
    const value = this.#values.get(key) ?? null
    switch (op) {
      case 'put':
        this.#write(key, command.value)
        return { ok: true }
      case 'append':
        if (value !== null && typeof value !== 'string') return { ok: false } // it appends to text only
        this.#write(key, `${value ?? ''}${command.value}`)
        return { ok: true }
      case 'cas': {
        const swapped = JSON.stringify(value) === JSON.stringify(command.from)
        if (swapped) this.#write(key, command.to)
        return { ok: swapped }
      }
      default:
        return { ok: this.#values.delete(key) }
    }
  }

  /** @param {any} query */
  query({ key }) {
    return { found: this.#values.has(key), value: this.#values.get(key) ?? null }
  }

  snapshot() {
    return [...this.#values]
  }

  /** @param {any} snapshot */
  restore(snapshot) {
    this.#values = new Map(snapshot)
  }

  /** @param {string} key @param {unknown} value */
  #write(key, value) {
    if (value === null) this.#values.delete(key)
    else this.#values.set(key, value)
  }
}

/** @param {unknown} key */
function checkKey(key) {
  if (typeof key !== 'string' || key === '') return 'key is a string that is not empty'
  return key.length > MAX_KEY_CHARS ? `key has at most ${MAX_KEY_CHARS} characters` : null
}
