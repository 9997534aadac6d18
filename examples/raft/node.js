// @ts-check
/**
 * The shell around the core: gives it inputs one after another, performs its effects, and keeps its timer. Inputs that
 * arrive while the disk is at work wait and make the next batch, so one sync serves all of them.
 *
 * The one rule that safety rests on is in `#perform`: what a batch changes is durable before anything leaves the server.
 * A disk that fails ends the process; to go on after a failed sync would be to promise what may be lost.
 *
 * @import { Effect, Input, Members, Message, PersistRecord, RaftOptions, Refusal, StateMachine } from './types.ts'
 */
import { mutant } from '../mutants.js'
import { Raft } from './core.js'
import { Peers } from './peers.js'
import { Storage } from './storage.js'

/** A request was refused by the core. */
export class RefusedError extends Error {
  /** @override */
  name = 'RefusedError'
  /** @param {Refusal} refusal */
  constructor(refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/**
 * @typedef {object} NodeSettings
 * @property {string} id
 * @property {string} cluster
 * @property {string} address `host:port` under which peers reach this server
 * @property {string} data the folder of its files
 * @property {Members} bootstrap the first members of a new cluster; empty for a server that will be added
 * @property {RaftOptions} options
 * @property {StateMachine} machine
 * @property {import('./types.ts').Observe} [observe]
 * @property {(text: string) => void} log
 * @property {(error: unknown) => void} fatal the disk failed; the process must end
 */

export class RaftNode {
  /** @type {Input[]} */
  #inputs = []
  #working = false
  #stopping = false
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  #requests = new Map()
  #nextRequest = 1
  /** @type {NodeJS.Timeout | null} */
  #timer = null
  #timerMs = Infinity
  /** Peer addresses by id, as they were last used, also of servers that are no members. @type {Map<string, string>} */
  #addresses = new Map()
  /** What the core told of itself since the last batch. It leaves the server with the batch, like all it says. @type {{ name: string, data: any }[]} */
  #observed = []
  #core
  #storage
  #peers
  #settings

  /** Reads the disk, listens, and begins. @param {NodeSettings} settings */
  static async start(settings) {
    const storage = new Storage(settings.data)
    const recovered = await storage.open(settings.bootstrap)
    const node = new RaftNode(settings, storage, recovered)
    node.#tell()
    await node.#peers.listen(Number(settings.address.split(':').at(-1)))
    node.#arm()
    return node
  }

  /** @param {NodeSettings} settings @param {Storage} storage @param {import('./types.ts').Recovered} recovered */
  constructor(settings, storage, recovered) {
    const { id, cluster, address, options, machine, log } = settings
    this.#settings = settings
    this.#storage = storage
    /** @type {import('./types.ts').Observe} */
    const observe = (name, data) => void this.#observed.push({ name, data })
    this.#core = new Raft(
      { id, options, machine, observe, random: Math.random },
      recovered,
      performance.now(),
    )
    this.#peers = new Peers({
      self: { cluster, id, address },
      silenceMs: options.electionMs,
      receive: (from, message, address) => {
        this.#addresses.set(from, address)
        this.#give({ type: 'message', from, message })
      },
      log,
    })
  }

  /** What this server believes. */
  get status() {
    const { id, term, role, leader, commit, log, members } = this.#core
    return {
      id,
      term,
      role,
      leader,
      commit,
      lastIndex: log.lastIndex,
      snapshotIndex: log.snapshot.index,
      members,
    }
  }

  get machine() {
    return this.#settings.machine
  }

  /**
   * Asks the core for something; rejects with a {@link RefusedError}.
   * @param {import('./types.ts').RequestInput} input
   * @returns {Promise<any>}
   */
  request(input) {
    if (this.#stopping) {
      const refusal = /** @type {const} */ ({
        code: 'shutting-down',
        message: 'this server is shutting down',
      })
      return Promise.reject(new RefusedError({ ...refusal, leader: null }))
    }
    return this.#ask(input)
  }

  /** Hands over if this server leads, finishes its work and closes everything. */
  async stop() {
    this.#stopping = true
    if (this.#core.role === 'leader') await this.#ask({ type: 'transfer', to: null }).catch(() => {})
    if (this.#timer !== null) clearTimeout(this.#timer)
    while (this.#working) await new Promise((resolve) => setTimeout(resolve, 10))
    this.#peers.close()
    await this.#storage.close()
  }

  /** @param {import('./types.ts').RequestInput} input @returns {Promise<any>} */
  #ask(input) {
    const request = this.#nextRequest++
    return new Promise((resolve, reject) => {
      this.#requests.set(request, { resolve, reject })
      this.#give({ ...input, request })
    })
  }

  /** @param {Input} input */
  #give(input) {
    this.#inputs.push(input)
    if (!this.#working) this.#work().catch(this.#settings.fatal)
  }

  async #work() {
    this.#working = true
    while (this.#inputs.length > 0) {
      /** @type {Effect[]} */
      const effects = []
      for (const input of this.#inputs.splice(0)) effects.push(...this.#core.step(input, performance.now()))
      await this.#perform(effects)
    }
    this.#working = false
    this.#arm()
  }

  /** @param {Effect[]} effects */
  async #perform(effects) {
    for (const effect of effects) if (isEarly(effect)) this.#release(effect)
    /** @type {PersistRecord[]} */
    let records = []
    for (const effect of effects) {
      if (effect.type === 'persist') {
        records.push(effect.record)
      } else if (effect.type === 'snapshot') {
        records = [] // the log is written anew, with everything that these say
        await this.#storage.replaceSnapshot(effect.snapshot, effect)
      }
    }
    if (records.length > 0) await this.#storage.persist(records)
    this.#tell()
    for (const effect of effects) if (!isEarly(effect)) this.#release(effect)
  }

  #tell() {
    for (const { name, data } of this.#observed.splice(0)) this.#settings.observe?.(name, data)
  }

  /** @param {Effect} effect */
  #release(effect) {
    if (effect.type === 'send') this.#send(effect.to, effect.message)
    else if (effect.type === 'reply') this.#take(effect.request)?.resolve(effect.value)
    else if (effect.type === 'refuse') this.#take(effect.request)?.reject(new RefusedError(effect.refusal))
  }

  /** @param {number} request */
  #take(request) {
    const waiting = this.#requests.get(request)
    this.#requests.delete(request)
    return waiting
  }

  /** @param {string} to @param {Message} message */
  #send(to, message) {
    const { members, joining } = this.#core
    const address = members[to]?.peer ?? (joining?.id === to ? joining.member.peer : this.#addresses.get(to))
    if (address === undefined) return
    this.#addresses.set(to, address)
    this.#peers.send(to, address, message)
  }

  /** One timer, set again only when the core wants to be called earlier. */
  #arm() {
    const dueMs = this.#core.deadlineMs
    if (this.#timer !== null && this.#timerMs <= dueMs) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timerMs = dueMs
    this.#timer = setTimeout(
      () => {
        this.#timer = null
        if (performance.now() >= this.#core.deadlineMs) this.#give({ type: 'tick' })
        else if (!this.#working) this.#arm()
      },
      Math.max(1, Math.ceil(dueMs - performance.now())),
    )
  }
}

/** What a mutant sends before the disk has it; without one, nothing. @param {Effect} effect */
function isEarly(effect) {
  if (effect.type !== 'send') return false
  const { type } = effect.message
  if (type === 'vote-reply') return mutant('vote-before-sync')
  if (type === 'append-reply') return mutant('append-before-sync')
  return false
}
