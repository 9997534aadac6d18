/**
 * How long a suspect has to refute. SWIM waits a fixed time. Lifeguard (Dadgar, Phillips and Currey, 2018) begins with a
 * long one and shortens it each time another member, independently, suspects too: `k` confirmations bring it down to the
 * minimum. One confused accuser alone must wait long, and its mistake is refuted in time.
 */
import { mutant } from '../mutants.js'

const CONFIRMATIONS = 3
const MAX_OVER_MIN = 6

export class Suspicion {
  #accusers
  #beganMs
  #minMs
  #lifeguard

  /** @param {{ accuser: string, nowMs: number, minMs: number, lifeguard: boolean }} begin */
  constructor({ accuser, nowMs, minMs, lifeguard }) {
    this.#accusers = [accuser]
    this.#beganMs = nowMs
    this.#minMs = minMs
    this.#lifeguard = lifeguard
  }

  /** Another member suspects too; true if that is news. @param {string} accuser */
  confirm(accuser) {
    if (this.#accusers.length > CONFIRMATIONS) return false
    if (this.#accusers.includes(accuser) && !mutant('one-accuser-confirms-itself')) return false
    this.#accusers.push(accuser)
    return true
  }

  /** When the suspect is dead unless it refutes. */
  get deadlineMs() {
    if (!this.#lifeguard) return this.#beganMs + this.#minMs
    const confirmations = this.#accusers.length - 1
    const maxMs = this.#minMs * MAX_OVER_MIN
    const share = Math.log(confirmations + 1) / Math.log(CONFIRMATIONS + 1)
    return this.#beganMs + Math.max(this.#minMs, maxMs - share * (maxMs - this.#minMs))
  }
}

/** SWIM's time-out: it grows with the logarithm of the cluster, as the time that news need does. */
export function suspicionMinMs({ size, probeIntervalMs, factor }) {
  return factor * Math.max(1, Math.log10(size)) * probeIntervalMs
}
