/**
 * What one member believes about all of them, and which news overrides which belief. This is the heart of SWIM (Das, Gupta
 * and Motivala, 2002, section 4.2): news about a member carries the member's own *incarnation* number, which only the
 * member itself raises. So an accusation can be refuted, and old news never beats new news, in whatever order they arrive.
 *
 * Budget: any news may be lost, repeated, late or out of order. Limit: a member that lies about itself is believed.
 */
import { mutant } from '../mutants.js'

/**
 * @typedef {'alive' | 'suspect' | 'dead' | 'left'} Status
 * @typedef {{ id: string, address: string, incarnation: number, status: Status }} News
 * @typedef {News & { sinceMs: number }} Member
 */

/** With equal incarnations the worse news wins; `left` is said by the member itself and is final like death. */
const RANK = { alive: 0, suspect: 1, dead: 2, left: 3 }

/**
 * Whether news changes what is believed.
 * @param {News} news
 * @param {News | undefined} belief
 */
export function overrides(news, belief) {
  if (belief === undefined) return true
  if (mutant('suspicion-ignores-incarnation') && news.status === 'suspect' && belief.status === 'alive')
    return true
  if (mutant('dead-returns-without-new-incarnation') && news.status === 'alive' && belief.status === 'dead')
    return news.incarnation >= belief.incarnation
  if (news.incarnation !== belief.incarnation)
    return mutant('old-news-wins')
      ? news.incarnation < belief.incarnation
      : news.incarnation > belief.incarnation
  return RANK[news.status] > RANK[belief.status]
}

export class Membership {
  /** @type {Map<string, Member>} */
  #members = new Map()
  #self

  /** @param {string} self */
  constructor(self) {
    this.#self = self
  }

  /** @param {string} id */
  get(id) {
    return this.#members.get(id)
  }

  /** Takes news as the belief. @param {News} news @param {number} nowMs */
  set({ id, address, incarnation, status }, nowMs) {
    this.#members.set(id, { id, address, incarnation, status, sinceMs: nowMs })
  }

  /** Forgets those who have been gone for a long time. @param {number} beforeMs */
  forgetGoneBefore(beforeMs) {
    for (const { id, status, sinceMs } of this.#members.values())
      if ((status === 'dead' || status === 'left') && sinceMs < beforeMs) this.#members.delete(id)
  }

  /** Everyone, self included, in the order in which they became known. */
  all() {
    return [...this.#members.values()]
  }

  /** Those who may answer: not self, not gone. */
  reachable() {
    return this.#others('alive', 'suspect')
  }

  /** Those who are held for dead: one of them may only have been out of reach. */
  dead() {
    return this.#others('dead')
  }

  /** How many take part, self included. */
  get size() {
    return this.reachable().length + 1
  }

  /** A list of its own. @param {Status[]} statuses */
  #others(...statuses) {
    const found = []
    for (const member of this.#members.values())
      if (member.id !== this.#self && statuses.includes(member.status)) found.push(member)
    return found
  }
}
