// @ts-check
/**
 * What workers and people ask a server for, over HTTP: one path per operation, `POST /claim { cluster, tenant, run,
 * worker }` and so on, with the fields that machine.js lists. An answer is the result; an error is `{ error, class,
 * message }` with what the worker needs to know, such as `retryAfterMs`. Raft's own paths and errors are there too.
 *
 * Raft orders commands in sessions. A server opens one for itself and numbers what it orders: repeated requests are the
 * coordinator's own business, because they may come to another server, or from a worker that started again.
 *
 * @import { Handler } from '../raft/http-api.js'
 * @import { RaftNode } from '../raft/node.js'
 */
import { ApiError, createApi } from '../raft/http-api.js'
import { RefusedError } from '../raft/node.js'
import { ERRORS } from './errors.js'
import { COMMANDS, QUERIES } from './machine.js'

/** @param {RaftNode} node @param {string} cluster */
export function createService(node, cluster) {
  const orders = new Orders(node)
  /** @type {Record<string, Handler>} */
  const handlers = {}
  for (const op of Object.keys(COMMANDS)) {
    handlers[`/${op}`] = async ({ cluster: _cluster, ...fields }) => {
      const command = { op, ...fields }
      accept(node.machine.check(command))
      return answerOf(await orders.order(command))
    }
  }
  for (const op of Object.keys(QUERIES)) {
    handlers[`/${op}`] = async ({ cluster: _cluster, ...fields }) => {
      const query = { op, ...fields }
      accept(node.machine.checkQuery(query))
      return answerOf(await node.request({ type: 'query', query }))
    }
  }
  const statuses = Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status]))
  return createApi(node, { cluster, handlers, statuses })
}

/** The session in which this server orders commands. */
class Orders {
  #node
  /** @type {Promise<{ session: number }> | null} */
  #opening = null
  #sequence = 0

  /** @param {RaftNode} node */
  constructor(node) {
    this.#node = node
  }

  /** @param {object} command @returns {Promise<any>} */
  async order(command) {
    for (;;) {
      const opening = (this.#opening ??= this.#open())
      try {
        const { session } = await opening
        return await this.#node.request({ type: 'command', session, sequence: ++this.#sequence, command })
      } catch (error) {
        const expired = error instanceof RefusedError && error.refusal.code === 'session-expired'
        if (!expired) throw error
        if (this.#opening === opening) this.#opening = null // nothing was ordered; another session will do
      }
    }
  }

  #open() {
    const opening = this.#node.request({ type: 'register' })
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = null
    })
    return opening
  }
}

/** @param {string | null} problem */
function accept(problem) {
  if (problem !== null) throw new ApiError('malformed-request', problem)
}

/** @param {any} result */
function answerOf({ error, ...result }) {
  if (error === undefined) return result
  throw new ApiError(error, ERRORS[error].message, { class: ERRORS[error].class, ...result })
}
