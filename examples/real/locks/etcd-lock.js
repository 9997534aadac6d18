// @ts-check
/**
 * A lock by etcd's own lock service, with a lease that is kept alive. The lease ends when nobody keeps it alive, so a
 * holder that stands still loses the lock without noticing. With `fenced` a write happens only if the lock is still held
 * at the moment of the write: etcd itself compares, in one transaction.
 */
const TTL_S = 2
const KEEP_ALIVE_MS = 500
const COUNTER = Buffer.from('counter').toString('base64')

export class EtcdLock {
  #servers
  #fenced

  /** @param {string[]} servers @param {{ fenced: boolean }} options */
  constructor(servers, { fenced }) {
    this.#servers = servers
    this.#fenced = fenced
  }

  async acquire() {
    const { ID: lease } = await this.#ask('/v3/lease/grant', { TTL: TTL_S })
    const alive = setInterval(() => {
      this.#ask('/v3/lease/keepalive', { ID: lease }).catch(() => {})
    }, KEEP_ALIVE_MS)
    try {
      const { key } = await this.#ask('/v3/lock/lock', {
        name: Buffer.from('lock').toString('base64'),
        lease,
      })
      return {
        read: () => this.#read(),
        write: (/** @type {number} */ count) => this.#write(count, key),
        release: async () => {
          clearInterval(alive)
          await this.#ask('/v3/lease/revoke', { ID: lease }).catch(() => {}) // it may have ended by itself
        },
      }
    } catch (error) {
      clearInterval(alive)
      throw error
    }
  }

  async #read() {
    const { kvs = [] } = await this.#ask('/v3/kv/range', { key: COUNTER })
    return kvs.length === 0 ? 0 : Number(Buffer.from(kvs[0].value, 'base64').toString())
  }

  /** @param {number} count @param {string} lock @returns {Promise<boolean>} */
  async #write(count, lock) {
    const request = { key: COUNTER, value: Buffer.from(String(count)).toString('base64') }
    if (!this.#fenced) {
      await this.#ask('/v3/kv/put', request)
      return true
    }
    const isHeld = { key: lock, target: 'CREATE', result: 'GREATER', create_revision: '0' }
    const answer = await this.#ask('/v3/kv/txn', { compare: [isHeld], success: [{ requestPut: request }] })
    return answer.succeeded === true
  }

  /** @param {string} path @param {unknown} body @returns {Promise<any>} */
  async #ask(path, body) {
    const answer = await fetch(`http://${this.#servers[0]}:2379${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.trim()}`)
    return JSON.parse(text)
  }
}
