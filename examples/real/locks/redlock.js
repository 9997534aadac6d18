// @ts-check
/**
 * A lock as the Redlock algorithm makes it: a key with a random value and a time to live, on a majority of independent
 * Redis servers. A holder that stands still for longer than the time to live goes on as if it held the lock.
 */
import { randomUUID } from 'node:crypto'
import { RedisConnection } from '../redis/resp.js'

const PORT = 6379
const TTL_MS = 2000
const RETRY_MS = 50
const GIVE_UP_MS = 8000
const RELEASE =
  "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end"

export class Redlock {
  #servers
  /** @type {(RedisConnection | null)[]} */
  #connections

  /** @param {string[]} servers */
  constructor(servers) {
    this.#servers = servers
    this.#connections = servers.map(() => null)
  }

  async acquire() {
    const untilMs = performance.now() + GIVE_UP_MS
    while (performance.now() < untilMs) {
      const token = randomUUID()
      const begunMs = performance.now()
      const votes = await this.#everywhere('SET', 'lock', token, 'NX', 'PX', TTL_MS)
      const inTime = performance.now() - begunMs < TTL_MS * 0.9
      const release = async () => void (await this.#everywhere('EVAL', RELEASE, 1, 'lock', token))
      if (inTime && votes.filter((vote) => vote === 'OK').length > this.#servers.length / 2) {
        return {
          read: async () => Number((await this.#connection(0).send('GET', 'counter')) ?? 0),
          write: async (/** @type {number} */ count) =>
            (await this.#connection(0).send('SET', 'counter', count)) === 'OK',
          release,
        }
      }
      await release()
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * (1 + Math.random())))
    }
    throw new Error('the lock could not be taken')
  }

  /** @param {(string | number)[]} command */
  #everywhere(...command) {
    return Promise.all(
      this.#servers.map((_, index) =>
        this.#connection(index)
          .send(...command)
          .catch(() => null),
      ),
    )
  }

  /** @param {number} index */
  #connection(index) {
    const known = this.#connections[index]
    if (known !== null && !known.isBroken) return known
    return (this.#connections[index] = new RedisConnection(this.#servers[index], PORT))
  }
}
