// @ts-check
/**
 * The ledger of what was found: one entry per key of a run, with the lease under which it was recorded. A worker that
 * crashed between recording and its checkpoint leaves work that another worker does again; the ledger takes a key once.
 *
 * It remembers the newest fence it saw for every shard by itself and takes nothing older. The coordinator checks leases
 * before; this is the second lock on the same door.
 *
 * @import { Finding } from './types.ts'
 */
import { mutant } from '../mutants.js'

export class Ledger {
  /** By run and key. @type {Map<string, Finding>} */
  #findings = new Map()
  /** @type {Map<string, number>} */
  #fences = new Map()

  /**
   * @param {{ run: string, shard: string, worker: string, fence: number }} source
   * @param {readonly string[]} keys
   * @returns {Finding[]} those that are new
   */
  record(source, keys) {
    const shard = `${source.run}/${source.shard}`
    if (source.fence < (this.#fences.get(shard) ?? 0) && !mutant('ledger-without-lease')) return []
    this.#fences.set(shard, source.fence)
    const fresh = keys
      .filter((key) => !this.#findings.has(`${source.run}/${key}`) || mutant('ledger-takes-twice'))
      .map((key) => ({ key, ...source }))
    for (const finding of fresh) this.#findings.set(`${finding.run}/${finding.key}`, finding)
    return fresh
  }

  /** @param {string} run */
  of(run) {
    return [...this.#findings.values()].filter((finding) => finding.run === run)
  }

  snapshot() {
    return { findings: [...this.#findings.values()], fences: [...this.#fences] }
  }

  /** @param {any} snapshot */
  restore({ findings, fences }) {
    this.#findings = new Map(findings.map((/** @type {Finding} */ each) => [`${each.run}/${each.key}`, each]))
    this.#fences = new Map(fences)
  }
}
