/**
 * Lifeguard's local health multiplier: a member that misses answers doubts itself first. Every probe that fails, every
 * refutation of an accusation, every helper that stays silent raises it; every probe that succeeds lowers it. Probe
 * interval and time-out are multiplied by it, so a slow or half-cut member accuses others less often.
 */
const WORST = 8

export class LocalHealth {
  #score = 0
  #enabled

  /** @param {boolean} enabled */
  constructor(enabled) {
    this.#enabled = enabled
  }

  worse(by = 1) {
    this.#score = Math.min(WORST, this.#score + by)
  }

  better() {
    this.#score = Math.max(0, this.#score - 1)
  }

  /** At least 1; always 1 without Lifeguard. */
  get multiplier() {
    return this.#enabled ? this.#score + 1 : 1
  }
}
