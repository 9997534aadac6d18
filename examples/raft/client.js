#!/usr/bin/env node
// @ts-check
/**
 * The client: finds the leader, opens a session, numbers its commands, and sends a command again, under the same number,
 * until it has an answer. The servers apply it once, however often it is sent.
 *
 * One command at a time: a second one waits for the first. A command without an answer in time ends the session, so that
 * a late copy of it cannot come between later ones; then its outcome is unknown ({@link UnknownOutcomeError}). Every other
 * error means that nothing was done.
 *
 *   node client.js CLUSTER HOST:PORT,HOST:PORT,… get KEY | put KEY VALUE | append KEY TEXT | delete KEY | status
 */
import { Agent, request as httpRequest } from 'node:http'
import { pathToFileURL } from 'node:url'

/** It may have been done, may yet be done, or never will. */
export class UnknownOutcomeError extends Error {
  /** @override */
  name = 'UnknownOutcomeError'
}

/** A server refused it for good: nothing was done. */
export class RequestError extends Error {
  /** @override */
  name = 'RequestError'
  /** @param {string} code @param {string} message @param {any} [details] the whole answer */
  constructor(code, message, details = {}) {
    super(message)
    this.code = code
    this.details = details
  }
}

/** Another server, or the same one later, may say something else; nothing was done. */
const TRY_AGAIN = new Set(['not-leader', 'overloaded', 'transferring', 'not-ready', 'shutting-down'])
/** The outcome is unknown, but the same command may be sent again. */
const UNKNOWN = new Set(['leadership-lost', 'timeout', 'connection'])
const PAUSE_MS = 50
/** Sessions that one command may see expire. */
const MAX_SESSIONS = 3

/** @typedef {{ cluster: string, servers: readonly string[], attemptMs?: number, totalMs?: number }} ClientOptions */

export class RaftClient {
  #cluster
  #servers
  #attemptMs
  #totalMs
  #agent = new Agent({ keepAlive: true })
  #next = 0
  /** @type {number | null} */
  #session = null
  #sequence = 0
  /** @type {Promise<unknown>} */
  #tail = Promise.resolve()

  /** @param {ClientOptions} options */
  constructor({ cluster, servers, attemptMs = 1000, totalMs = 10_000 }) {
    this.#cluster = cluster
    this.#servers = [...servers]
    this.#attemptMs = attemptMs
    this.#totalMs = totalMs
  }

  /** The value of a key; null if it is not there. @param {string} key @returns {Promise<any>} */
  async get(key) {
    try {
      return (await this.query({ op: 'get', key })).value
    } catch (error) {
      if (error instanceof RequestError && error.code === 'unknown-key') return null
      throw error
    }
  }

  /** @param {string} key @param {unknown} value */
  async put(key, value) {
    await this.command({ op: 'put', key, value })
  }

  /** Whether it was done: the value must be text, or missing. @param {string} key @param {string} value @returns {Promise<boolean>} */
  async append(key, value) {
    return (await this.command({ op: 'append', key, value })).ok
  }

  /** Whether the key had the value `from`, and has `to` now. @param {string} key @param {unknown} from @param {unknown} to @returns {Promise<boolean>} */
  async cas(key, from, to) {
    return (await this.command({ op: 'cas', key, from, to })).ok
  }

  /** Whether it was there. @param {string} key @returns {Promise<boolean>} */
  async delete(key) {
    return (await this.command({ op: 'delete', key })).ok
  }

  /** Orders a command of any state machine, exactly once. @param {unknown} command @returns {Promise<any>} */
  command(command) {
    const done = this.#tail.then(() => this.#command(command))
    this.#tail = done.catch(() => {})
    return done
  }

  /** @param {unknown} query @returns {Promise<any>} */
  async query(query) {
    return (await this.#send('/queries', { query }, true)).result
  }

  /**
   * Asks a service that stands on this one. It is sent again when its outcome is unknown only if it is `repeatable`.
   * @param {string} path @param {object} body @param {boolean} repeatable @returns {Promise<any>}
   */
  ask(path, body, repeatable) {
    return this.#send(path, body, repeatable)
  }

  /** @param {{ id: string, peer: string, api: string }} add */
  async addMember(add) {
    return (await this.#send('/members', { add }, false)).members
  }

  /** @param {string} remove */
  async removeMember(remove) {
    return (await this.#send('/members', { remove }, false)).members
  }

  /** @param {string} [to] */
  async transfer(to) {
    return (await this.#send('/transfers', { to }, false)).successor
  }

  /** @param {string} server */
  async status(server) {
    return (await this.#exchange(server, 'GET', '/status', null)).body
  }

  /** Asks this server first. @param {string} server */
  prefer(server) {
    if (!this.#servers.includes(server)) this.#servers.push(server)
    this.#next = this.#servers.indexOf(server)
  }

  close() {
    this.#agent.destroy()
  }

  /** @param {unknown} command @returns {Promise<any>} */
  async #command(command) {
    for (let attempt = 1; ; attempt++) {
      if (this.#session === null) {
        this.#session = (await this.#send('/sessions', {}, true)).session
        this.#sequence = 0
      }
      const sequence = ++this.#sequence
      const session = this.#session
      try {
        return (await this.#send('/commands', { session, sequence, command }, true)).result
      } catch (error) {
        if (!(error instanceof RequestError)) this.#session = null
        else if (error.code === 'session-expired') {
          this.#session = null
          if (attempt < MAX_SESSIONS) continue // nothing was done; a new session may live longer
        }
        throw error
      }
    }
  }

  /**
   * Sends a request until a server answers it.
   * @param {string} path @param {object} body @param {boolean} repeatable whether it may be sent again when its outcome is unknown
   * @returns {Promise<any>}
   */
  async #send(path, body, repeatable) {
    const untilMs = performance.now() + this.#totalMs
    const text = JSON.stringify({ cluster: this.#cluster, ...body })
    let unknown = false
    let last = 'no server answered'
    while (performance.now() < untilMs) {
      const server = this.#servers[this.#next % this.#servers.length]
      const { status, body: answer } = await this.#exchange(server, 'POST', path, text)
      if (status === 200) return answer
      const { error, message, leader } = answer
      last = `${error}: ${message}`
      if (UNKNOWN.has(error)) {
        if (!repeatable) throw new UnknownOutcomeError(last)
        unknown = true
      } else if (error === 'session-expired' && unknown) throw new UnknownOutcomeError(last)
      else if (!TRY_AGAIN.has(error)) throw new RequestError(error, message, answer)
      await this.#moveOn(server, leader)
    }
    if (unknown && path !== '/queries') throw new UnknownOutcomeError(last)
    throw new RequestError('unavailable', last)
  }

  /** @param {string} server @param {{ api: string } | null | undefined} leader */
  async #moveOn(server, leader) {
    if (leader?.api !== undefined && leader.api !== server) {
      this.prefer(leader.api)
      return
    }
    this.#next++
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }

  /** @param {string} server @param {string} method @param {string} path @param {string | null} text @returns {Promise<{ status: number, body: any }>} */
  #exchange(server, method, path, text) {
    return new Promise((resolve) => {
      const failed = (/** @type {Error} */ { message }) =>
        resolve({ status: 0, body: { error: 'connection', message: `${server}: ${message}` } })
      const headers =
        text === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
      const request = httpRequest(
        `http://${server}${path}`,
        { method, headers, agent: this.#agent },
        (response) => {
          let answer = ''
          response.setEncoding('utf8')
          response.on('data', (part) => (answer += part))
          response.on('error', failed)
          response.on('end', () => {
            try {
              resolve({ status: response.statusCode ?? 0, body: JSON.parse(answer) })
            } catch (error) {
              failed(/** @type {Error} */ (error))
            }
          })
        },
      )
      const timer = setTimeout(
        () => request.destroy(new Error(`no answer within ${this.#attemptMs} ms`)),
        this.#attemptMs,
      )
      request.on('close', () => clearTimeout(timer))
      request.on('error', failed)
      request.end(text ?? undefined)
    })
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [cluster, servers, op, key, value] = process.argv.slice(2)
  const client = new RaftClient({ cluster, servers: servers.split(',') })
  try {
    if (op === 'status')
      for (const server of servers.split(',')) console.log(server, await client.status(server))
    else if (op === 'get') console.log(await client.get(key))
    else if (op === 'put') console.log((await client.put(key, value)) ?? 'ok')
    else if (op === 'append') console.log((await client.append(key, value)) ? 'ok' : 'the value is no text')
    else if (op === 'delete') console.log((await client.delete(key)) ? 'ok' : 'there was none')
    else throw new Error(`unknown operation ${op}`)
  } catch (error) {
    console.error(String(error))
    process.exitCode = 1
  }
  client.close()
}
