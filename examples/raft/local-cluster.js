// @ts-check
/**
 * Servers on this machine, each a process of its own with a folder of its own. A server that ends by itself is started
 * again, unless its settings are bad (2) or its files are corrupt (3): then a person must look.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

export class LocalCluster {
  #running = new Map()
  #stopping = false
  #program
  #folder
  #env
  #ids
  #firstPort

  /**
   * @param {object} given
   * @param {string} given.program the server's file
   * @param {string} given.name servers are called name1, name2, …
   * @param {number} given.count
   * @param {string} given.folder
   * @param {number} given.firstPort peers listen from here on, clients are served 100 above
   * @param {NodeJS.ProcessEnv} [given.env] more settings
   */
  constructor({ program, name, count, folder, firstPort, env = {} }) {
    this.#program = program
    this.#folder = folder
    this.#env = env
    this.#firstPort = firstPort
    this.#ids = Array.from({ length: count }, (_, index) => `${name}${index + 1}`)
  }

  /** Where clients are served. */
  get servers() {
    return this.#ids.map((_, index) => this.#api(index))
  }

  start() {
    this.#ids.forEach((id, index) => this.#start(id, index))
  }

  stop() {
    this.#stopping = true
    for (const child of this.#running.values()) child.kill('SIGTERM')
  }

  /** @param {number} index */
  #peer(index) {
    return `127.0.0.1:${this.#firstPort + index}`
  }

  /** @param {number} index */
  #api(index) {
    return `127.0.0.1:${this.#firstPort + 100 + index}`
  }

  /** @param {string} id @param {number} index */
  #start(id, index) {
    const members = this.#ids.map((each, at) => `${each}=${this.#peer(at)}/${this.#api(at)}`)
    const env = {
      ...process.env,
      RAFT_CLUSTER: 'local',
      ...this.#env,
      RAFT_ID: id,
      RAFT_MEMBERS: members.join(','),
      RAFT_PEER_ADDRESS: this.#peer(index),
      RAFT_API_ADDRESS: this.#api(index),
      RAFT_DATA: join(this.#folder, id),
    }
    const child = spawn(process.execPath, [this.#program], { env, stdio: 'inherit' })
    this.#running.set(id, child)
    child.on('exit', (code) => {
      this.#running.delete(id)
      if (this.#stopping || code === 0 || code === 2 || code === 3) return
      console.log(`${id} ended with ${code}; starting it again`)
      setTimeout(() => this.#start(id, index), 500)
    })
  }
}
