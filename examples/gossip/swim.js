/**
 * SWIM with Lifeguard, without any I/O: `handleInput`, `handleTimeout`, `pollTransmit`, `pollTimeout`, `pollEvent`. Time
 * comes in as an argument and randomness as a function, so the same inputs give the same outputs.
 *
 * - A member is probed per interval, each once before any twice. No answer: `fanout` others are asked to try. No answer
 *   by the end of the interval: it is *suspected*, and dead unless it refutes in time.
 * - News about members and messages of the application travel on every packet, and in gossip of its own.
 * - Anti-entropy: now and then two members exchange all they know over a reliable channel; with a dead one too, so that
 *   two halves of a healed network find each other again.
 *
 * Follows Das, Gupta and Motivala (2002), Dadgar, Phillips and Currey (2018), and memberlist for the parameters. It does
 * not defend against members that lie.
 */
import { mutant } from '../mutants.js'
import { LocalHealth } from './local-health.js'
import { Membership, overrides } from './membership.js'
import { Rumours } from './rumours.js'
import { Suspicion, suspicionMinMs } from './suspicion.js'

export const DEFAULTS = {
  probeIntervalMs: 1_000,
  probeTimeoutMs: 500,
  /** Helpers that are asked to probe in our place. */
  helpers: 3,
  gossipIntervalMs: 200,
  fanout: 3,
  pushPullIntervalMs: 10_000,
  suspicionFactor: 4,
  retransmitFactor: 4,
  /** A datagram's payload: below the MTU of an Ethernet. */
  packetBytes: 1_400,
  forgetDeadMs: 24 * 3_600_000,
  lifeguard: true,
}

export class Swim {
  #config
  #random
  #self
  #members
  #health
  #rumours
  #incarnation = 0
  #leaving = false
  #sequence
  /** The probe under way. */
  #probe = null
  /** Members still to be probed in this round, shuffled. */
  #round = []
  /** Probes that we make for others: our sequence number → who asked, and theirs. */
  #relayed = new Map()
  /** @type {Map<string, Suspicion>} */
  #suspicions = new Map()
  /** Messages of the application, by id. */
  #messages = new Map()
  /** Addresses to join by that have not answered yet. @type {Set<string>} */
  #silent = new Set()
  #timers = new Map()
  #outbox = []
  #events = []

  /** @param {{ id: string, address: string, nowMs: number, random?: () => number, config?: Partial<typeof DEFAULTS> }} options */
  constructor({ id, address, nowMs, random = Math.random, config = {} }) {
    this.#config = { ...DEFAULTS, ...config }
    this.#random = random
    this.#self = { id, address }
    this.#members = new Membership(id)
    this.#health = new LocalHealth(this.#config.lifeguard)
    this.#rumours = new Rumours(this.#config.retransmitFactor)
    // Not 0: an answer to a ping of an earlier run of this program, late on a slow link, must fit no ping of this one.
    this.#sequence = mutant('sequence-starts-again') ? 0 : Math.floor(random() * 2 ** 31)
    this.#announce('alive', nowMs)
    // Members that start together must not probe together.
    const { probeIntervalMs, pushPullIntervalMs } = this.#config
    this.#arm('probe', nowMs + random() * probeIntervalMs)
    this.#arm('push-pull', nowMs + random() * pushPullIntervalMs)
  }

  // --- What the application asks for.

  /**
   * Asks some addresses for the cluster, each again until it answers. One try is not enough: those who know that this
   * member left, before it started again, wait for it to come to them.
   * @param {readonly string[]} addresses
   * @param {number} nowMs
   */
  join(addresses, nowMs) {
    for (const address of addresses) {
      if (address === this.#self.address) continue
      this.#silent.add(address)
      this.#ask(address, nowMs)
    }
  }

  /** Spreads a message to all; returns false if it is known. @param {string} id @param {unknown} data @param {number} nowMs */
  broadcast(id, data, nowMs) {
    return this.#learn({ id, data }, nowMs)
  }

  /** Says goodbye. The shell goes on polling for a while, so that others hear of it. @param {number} nowMs */
  leave(nowMs) {
    this.#leaving = true
    this.#announce('left', nowMs)
  }

  members() {
    return this.#members.all().map(({ id, address, incarnation, status }) => {
      return { id, address, incarnation, status }
    })
  }

  messages() {
    return [...this.#messages.values()]
  }

  get healthMultiplier() {
    return this.#health.multiplier
  }

  // --- What the shell asks for.

  pollTransmit() {
    return this.#outbox.shift() ?? null
  }

  pollEvent() {
    return this.#events.shift() ?? null
  }

  pollTimeout() {
    let nextMs = Infinity
    for (const atMs of this.#timers.values()) if (atMs < nextMs) nextMs = atMs
    return nextMs
  }

  /** @param {number} nowMs */
  handleTimeout(nowMs) {
    // In the order in which they are due: after a pause many are, and helpers must be asked before a probe is given up.
    const due = [...this.#timers].filter(([, atMs]) => atMs <= nowMs)
    if (!mutant('timers-out-of-order')) due.sort(([, a], [, b]) => a - b)
    for (const [name, atMs] of due) {
      if (this.#timers.get(name) !== atMs) continue
      this.#timers.delete(name)
      const [kind, id] = name.split(' ')
      if (kind === 'probe') this.#nextProbe(nowMs)
      else if (kind === 'indirect') this.#askHelpers(nowMs)
      else if (kind === 'gossip') this.#gossip(nowMs)
      else if (kind === 'push-pull') this.#exchange(nowMs)
      else if (kind === 'nack') this.#refuse(Number(id))
      else if (kind === 'suspect') this.#giveUpOn(id, nowMs)
    }
  }

  /** @param {any} message @param {number} nowMs */
  handleInput(message, nowMs) {
    for (const rumour of message.rumours ?? []) this.#hear(rumour, message.from, nowMs)
    switch (message.type) {
      case 'ping':
        // A ping for a member that stood at this address before us is not ours to answer.
        if (message.to === this.#self.id || mutant('answers-for-others'))
          this.#send(message.address, { type: 'ack', sequence: message.sequence })
        return
      case 'ping-req':
        return this.#probeFor(message, nowMs)
      case 'ack':
        return this.#acknowledged(message)
      case 'nack':
        if (this.#probe?.sequence === message.sequence) this.#probe.silentHelpers--
        return
      case 'push-pull':
        return this.#merge(message, nowMs)
      case 'messages':
        for (const each of message.messages) this.#learn(each, nowMs)
    }
  }

  // --- Probing.

  #nextProbe(nowMs) {
    if (this.#probe !== null) this.#endProbe(nowMs)
    const { probeIntervalMs, probeTimeoutMs } = this.#config
    const { multiplier } = this.#health
    this.#arm('probe', nowMs + probeIntervalMs * multiplier)
    const target = this.#leaving ? undefined : this.#nextTarget()
    if (target === undefined) return
    const sequence = ++this.#sequence
    this.#probe = { sequence, target: target.id, acknowledged: false, silentHelpers: 0 }
    // Lifeguard's buddy: a suspect hears from us first that it is one, and can refute at once.
    const buddy = this.#config.lifeguard && target.status === 'suspect' ? [this.#newsOf(target)] : []
    this.#send(target.address, { type: 'ping', to: target.id, sequence }, buddy)
    if (!mutant('no-indirect-probe')) this.#arm('indirect', nowMs + probeTimeoutMs * multiplier)
  }

  #nextTarget() {
    for (let tries = 0; tries < 2; tries++) {
      while (this.#round.length > 0) {
        const member = this.#members.get(this.#round.pop())
        if (member?.status === 'alive' || member?.status === 'suspect') return member
      }
      const all = this.#members.reachable()
      this.#round = this.#drawn(all, all.length).map(({ id }) => id)
    }
    return undefined
  }

  #askHelpers(nowMs) {
    const probe = this.#probe
    if (probe === null || probe.acknowledged) return
    // A member that was paused asks late; helpers get their time all the same.
    const { probeIntervalMs, probeTimeoutMs } = this.#config
    const answersByMs = nowMs + (probeIntervalMs - probeTimeoutMs) * this.#health.multiplier
    if (answersByMs > this.#timers.get('probe') && !mutant('helpers-get-no-time'))
      this.#arm('probe', answersByMs)
    const target = this.#members.get(probe.target)
    if (target === undefined) return
    const others = this.#members.reachable().filter(({ id }) => id !== target.id)
    for (const { address } of this.#drawn(others, this.#config.helpers)) {
      probe.silentHelpers++
      const { id, address: at } = target
      this.#send(address, { type: 'ping-req', sequence: probe.sequence, target: { id, address: at } })
    }
  }

  #endProbe(nowMs) {
    const { target, sequence, acknowledged, silentHelpers } = this.#probe
    this.#probe = null
    this.#timers.delete('indirect')
    if (acknowledged) this.#health.better()
    // A helper that cannot reach the target says so; helpers that say nothing mean that we are the one who is cut off.
    else this.#health.worse(this.#config.lifeguard ? Math.max(1, silentHelpers) : 1)
    this.#events.push({ type: 'probe', target, sequence, acknowledged, health: this.#health.multiplier })
    if (acknowledged) return
    const member = this.#members.get(target)
    if (member?.status !== 'alive' && member?.status !== 'suspect') return
    this.#hear({ ...this.#newsOf(member), status: 'suspect' }, this.#self.id, nowMs)
  }

  #acknowledged({ sequence }) {
    if (this.#probe !== null && (this.#probe.sequence === sequence || mutant('any-ack-will-do'))) {
      this.#probe.acknowledged = true
      this.#timers.delete('indirect') // helpers are not needed
    }
    const relay = this.#relayed.get(sequence)
    if (relay === undefined) return
    this.#relayed.delete(sequence)
    this.#timers.delete(`nack ${sequence}`)
    this.#send(relay.address, { type: 'ack', sequence: relay.sequence })
  }

  #probeFor({ address, sequence: theirs, target }, nowMs) {
    const sequence = ++this.#sequence
    this.#relayed.set(sequence, { address, sequence: theirs })
    this.#send(target.address, { type: 'ping', to: target.id, sequence })
    this.#arm(`nack ${sequence}`, nowMs + this.#config.probeTimeoutMs * 0.8)
  }

  #refuse(sequence) {
    const relay = this.#relayed.get(sequence)
    this.#relayed.delete(sequence)
    if (relay !== undefined && this.#config.lifeguard)
      this.#send(relay.address, { type: 'nack', sequence: relay.sequence })
  }

  // --- News about members.

  /** A rumour: of a member, or a message of the application. */
  #hear(rumour, from, nowMs) {
    if ('data' in rumour) return void this.#learn(rumour, nowMs)
    if (rumour.id === this.#self.id) return this.#hearOfSelf(rumour, nowMs)
    const belief = this.#members.get(rumour.id)
    const accuser = rumour.accuser ?? from
    if (rumour.status === 'suspect' && belief?.status === 'suspect')
      this.#confirm(rumour, belief, accuser, nowMs)
    if (!overrides(rumour, belief)) return
    if (belief === undefined && (rumour.status === 'dead' || rumour.status === 'left')) {
      this.#members.set(rumour, nowMs) // known to be gone: nothing to spread, but old news must not bring it back
      return
    }
    if (!(mutant('refuted-suspect-dies') && rumour.status === 'alive')) {
      this.#suspicions.delete(rumour.id)
      this.#timers.delete(`suspect ${rumour.id}`)
    }
    this.#members.set(rumour, nowMs)
    if (rumour.status === 'suspect') this.#suspect(rumour.id, accuser, nowMs)
    this.#spread({ ...this.#newsOf(rumour), ...(rumour.status === 'suspect' ? { accuser } : {}) }, nowMs)
  }

  #hearOfSelf({ status, incarnation }, nowMs) {
    if (status === 'alive' || this.#leaving) return
    if (incarnation < this.#incarnation || mutant('refutation-ignored')) return
    this.#incarnation = mutant('refutes-with-same-incarnation') ? incarnation : incarnation + 1
    if (!mutant('refutation-keeps-health')) this.#health.worse()
    this.#events.push({ type: 'refute', incarnation: this.#incarnation, health: this.#health.multiplier })
    this.#announce('alive', nowMs)
  }

  #announce(status, nowMs) {
    const news = { ...this.#self, incarnation: this.#incarnation, status }
    this.#members.set(news, nowMs)
    this.#spread(news, nowMs)
  }

  #spread(news, nowMs) {
    this.#tell(`member ${news.id}`, news, nowMs)
    const { id, incarnation, status } = news
    this.#events.push({ type: 'member', id, incarnation, status })
  }

  #suspect(id, accuser, nowMs) {
    const { probeIntervalMs, suspicionFactor: factor, lifeguard } = this.#config
    const minMs = suspicionMinMs({ size: this.#members.size, probeIntervalMs, factor })
    const suspicion = new Suspicion({ accuser, nowMs, minMs, lifeguard })
    this.#suspicions.set(id, suspicion)
    this.#arm(`suspect ${id}`, suspicion.deadlineMs)
  }

  #confirm(rumour, belief, accuser, nowMs) {
    const suspicion = this.#suspicions.get(rumour.id)
    if (rumour.incarnation !== belief.incarnation || !suspicion?.confirm(accuser)) return
    this.#arm(`suspect ${rumour.id}`, suspicion.deadlineMs)
    this.#tell(`member ${rumour.id}`, { ...this.#newsOf(rumour), accuser }, nowMs)
  }

  #giveUpOn(id, nowMs) {
    const member = this.#members.get(id)
    if (member === undefined || (member.status !== 'suspect' && !mutant('refuted-suspect-dies'))) return
    this.#hear({ ...this.#newsOf(member), status: 'dead' }, this.#self.id, nowMs)
  }

  #newsOf({ id, address, incarnation, status }) {
    return { id, address, incarnation, status }
  }

  // --- Messages of the application.

  #learn({ id, data }, nowMs) {
    if (this.#messages.has(id) && !mutant('delivers-twice')) return false
    this.#messages.set(id, { id, data })
    this.#events.push({ type: 'deliver', id, data })
    this.#tell(`message ${id}`, { id, data }, nowMs)
    return true
  }

  // --- Gossip and anti-entropy.

  /** Something to spread. A member with nothing to say does not wake up: the next rumour begins its rounds again. */
  #tell(about, rumour, nowMs) {
    this.#rumours.add(about, rumour)
    if (this.#timers.has('gossip')) return
    // Not at once: members that hear of something together must not gossip together.
    this.#arm('gossip', nowMs + this.#random() * this.#config.gossipIntervalMs)
  }

  #gossip(nowMs) {
    if (this.#rumours.isEmpty) return
    this.#arm('gossip', nowMs + this.#config.gossipIntervalMs)
    for (const { address } of this.#drawn(this.#members.reachable(), this.#config.fanout)) {
      if (this.#rumours.isEmpty) return
      this.#send(address, { type: 'gossip' })
    }
  }

  #exchange(nowMs) {
    this.#arm('push-pull', nowMs + this.#config.pushPullIntervalMs)
    this.#members.forgetGoneBefore(nowMs - this.#config.forgetDeadMs)
    if (this.#leaving || mutant('no-anti-entropy')) return
    const [partner] = this.#drawn(this.#members.reachable(), 1)
    if (partner !== undefined) this.#sendReliably(partner.address, this.#pushPull('push', nowMs))
    const [lost] = mutant('dead-are-never-asked') ? [] : this.#drawn(this.#members.dead(), 1)
    if (lost !== undefined) this.#sendReliably(lost.address, this.#pushPull('push', nowMs))
    const [silent] = mutant('joins-once') ? [] : this.#drawn([...this.#silent], 1)
    if (silent !== undefined) this.#ask(silent, nowMs)
  }

  /** Asks an address by which this member joins; the answer names it, whatever address the other one knows itself by. */
  #ask(address, nowMs) {
    this.#sendReliably(address, { ...this.#pushPull('push', nowMs), asked: address })
  }

  #pushPull(direction, nowMs) {
    const known = [...this.#messages.keys()]
    const members = this.#members.all().map((member) => {
      return { ...this.#newsOf(member), forMs: nowMs - member.sinceMs }
    })
    return { type: 'push-pull', direction, members, known }
  }

  #merge({ direction, members, known, address, asked }, nowMs) {
    if (direction === 'pull') this.#silent.delete(asked)
    for (const { forMs, ...news } of members) {
      const isGone = news.status === 'dead' || news.status === 'left'
      if (isGone && news.id !== this.#self.id && this.#members.get(news.id) === undefined) {
        // With its age: members that remind each other of the dead would otherwise never forget one.
        if (forMs < this.#config.forgetDeadMs) this.#members.set(news, nowMs - forMs)
        continue
      }
      // Second-hand death is only a suspicion here: the member may be able to refute it to us.
      const isDeath = news.status === 'dead' && !mutant('push-pull-believes-death')
      this.#hear(isDeath ? { ...news, status: 'suspect' } : news, this.#self.id, nowMs)
    }
    const theirs = new Set(known)
    const missing = this.messages().filter(({ id }) => !theirs.has(id))
    if (direction === 'push') this.#sendReliably(address, { ...this.#pushPull('pull', nowMs), asked })
    if (missing.length > 0 && !mutant('push-pull-withholds-messages'))
      this.#sendReliably(address, { type: 'messages', messages: missing })
  }

  // --- Sending and timers.

  #send(address, message, first = []) {
    const envelope = { ...message, from: this.#self.id, address: this.#self.address, rumours: first }
    if (!this.#rumours.isEmpty) {
      const room = this.#config.packetBytes - JSON.stringify(envelope).length
      envelope.rumours = [...first, ...this.#rumours.take(room, this.#members.size)]
    }
    this.#outbox.push({ address, reliable: false, message: envelope })
  }

  #sendReliably(address, message) {
    const envelope = { ...message, from: this.#self.id, address: this.#self.address }
    this.#outbox.push({ address, reliable: true, message: envelope })
  }

  #arm(name, atMs) {
    this.#timers.set(name, atMs)
  }

  /** As many as are asked for, drawn at random, in random order; fewer when there are fewer. */
  #drawn(list, count) {
    const drawn = Math.min(count, list.length)
    for (let i = 0; i < drawn; i++) {
      const j = i + Math.floor(this.#random() * (list.length - i))
      ;[list[i], list[j]] = [list[j], list[i]]
    }
    return list.slice(0, drawn)
  }
}
