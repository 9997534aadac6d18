// @ts-check
/**
 * The client of workers and people: finds the leader and asks it. Operations with an id are sent again, under that id,
 * until there is an answer. A claim without an answer is not: its lease, if there is one, ends by itself.
 *
 * A refusal is a {@link RequestError} with the coordinator's code and `details`; an {@link UnknownOutcomeError} means
 * that the operation may have been done.
 */
import { RaftClient } from '../raft/client.js'

export { RequestError, UnknownOutcomeError } from '../raft/client.js'

const ASKED_ONCE = new Set(['claim', 'acquire'])

export class CoordinatorClient {
  #raft
  #common

  /** @param {{ cluster: string, servers: readonly string[], tenant: string, run: string, attemptMs?: number, totalMs?: number }} options */
  constructor({ tenant, run, ...options }) {
    this.#raft = new RaftClient(options)
    this.#common = { tenant, run }
  }

  /** @param {string} op one of the commands and queries of machine.js @param {object} [fields] @returns {Promise<any>} */
  ask(op, fields = {}) {
    return this.#raft.ask(`/${op}`, { ...this.#common, ...fields }, !ASKED_ONCE.has(op))
  }

  /** @param {string} server */
  status(server) {
    return this.#raft.status(server)
  }

  close() {
    this.#raft.close()
  }
}
