// @ts-check
/**
 * Exactly-once commands (Ongaro, "Consensus: Bridging Theory and Practice", 2014, §6.3). A client opens a session and
 * numbers its commands; the session table is part of the replicated state, so whichever server applies a command a
 * second time finds the number and gives the first answer. A client has one command under way at a time, so one answer
 * per session is enough.
 *
 * A session ends when it had no command for its time to live. All servers must agree when that is: the time is the
 * cluster time of the entry that is being applied, and the time to live was written into the log with the session. While
 * nothing is asked, the leader appends empty entries now and then, so that cluster time goes on.
 *
 * @import { Entry, StateMachine } from './types.ts'
 * @typedef {{ ttlMs: number, activeMs: number, sequence: number, answer: unknown }} Session
 * @typedef {{ value: unknown, did: string } | { error: 'session-expired' | 'stale-sequence' }} Outcome
 */
import { mutant } from '../mutants.js'

export class Sessions {
  #machine
  #observe
  /** @type {Map<number, Session>} */
  #table = new Map()

  /** @param {StateMachine} machine @param {import('./types.ts').Observe} observe */
  constructor(machine, observe) {
    this.#machine = machine
    this.#observe = observe
  }

  /**
   * Applies an entry of the log.
   * @param {Entry} entry
   * @returns {Outcome}
   */
  apply(entry) {
    this.#expire(entry.timeMs)
    const outcome = this.#outcomeOf(entry)
    const did = 'error' in outcome ? outcome.error : outcome.did
    this.#observe('applied', { entry, did })
    return outcome
  }

  /** @param {Entry} entry @returns {Outcome} */
  #outcomeOf(entry) {
    if (entry.kind === 'register') {
      const { index, ttlMs, timeMs } = entry
      this.#table.set(index, { ttlMs, activeMs: clockOf(timeMs), sequence: 0, answer: null })
      return { value: { session: index }, did: 'registered' }
    }
    if (entry.kind === 'command') return this.#command(entry)
    return { value: null, did: 'nothing' }
  }

  get isEmpty() {
    return this.#table.size === 0
  }

  /** @param {unknown} query */
  query(query) {
    return this.#machine.query(query)
  }

  /** JSON text of everything that the servers agree on. */
  snapshot() {
    const sessions = mutant('sessions-not-in-snapshot') ? [] : [...this.#table]
    return JSON.stringify({ sessions, machine: this.#machine.snapshot() })
  }

  /** @param {string} data */
  restore(data) {
    const { sessions, machine } = JSON.parse(data)
    if (!mutant('sessions-not-in-snapshot')) this.#table = new Map(sessions)
    this.#machine.restore(machine)
  }

  /** @param {Extract<Entry, { kind: 'command' }>} entry @returns {Outcome} */
  #command({ index, term, timeMs, session: id, sequence, command }) {
    const session = this.#table.get(id)
    if (session === undefined) return { error: 'session-expired' }
    session.activeMs = clockOf(timeMs)
    if (sequence <= session.sequence && !mutant('duplicate-applied')) {
      if (sequence < session.sequence) return { error: 'stale-sequence' }
      return { value: session.answer, did: 'answered-again' }
    }
    const answer = this.#machine.apply(command, { index, term, timeMs })
    session.sequence = sequence
    session.answer = answer
    return { value: answer, did: 'executed' }
  }

  /** @param {number} timeMs */
  #expire(timeMs) {
    for (const [id, { activeMs, ttlMs }] of this.#table) {
      if (clockOf(timeMs) - activeMs <= ttlMs) continue
      this.#table.delete(id)
      this.#observe('expired', { session: id })
    }
  }
}

/** Cluster time, unless a mutant goes by the server's own clock. @param {number} timeMs */
function clockOf(timeMs) {
  return mutant('sessions-expire-by-clock') ? Date.now() : timeMs
}
