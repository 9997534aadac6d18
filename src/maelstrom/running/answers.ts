/**
 * Which nodes still answer their clients. If no fault is injected, a node that leaves its last requests unanswered hangs:
 * that is no anomaly of any workload, because an outcome that is unknown may be right, and a silent pass would hide it.
 *
 * One request may time out in a system that is right, such as one that elects a leader. So a node hangs if it left
 * several requests in a row unanswered, or if it wrote nothing at all since the first of them was sent.
 */

/** Requests in a row that a node which still writes must leave unanswered before it counts as hanging. */
const UNANSWERED = 3

interface Silence {
  /** Requests since the last answer. */
  requests: number
  /** When the first of them was sent. */
  readonly sinceUs: number
}

export class Answers {
  readonly #silences = new Map<string, Silence>()
  /** When each node wrote to stdout last. */
  readonly #wroteUs = new Map<string, number>()

  wrote(node: string, nowUs: number): void {
    this.#wroteUs.set(node, nowUs)
  }

  /** An answer that comes after its time-out counts too. */
  answered(node: string): void {
    this.#silences.delete(node)
  }

  timedOut(node: string, sentUs: number): void {
    const silence = this.#silences.get(node)
    if (silence === undefined) this.#silences.set(node, { requests: 1, sinceUs: sentUs })
    else silence.requests++
  }

  /** Requests that a node left unanswered at the end; 0: it does not hang. */
  unansweredBy(node: string): number {
    const silence = this.#silences.get(node)
    if (silence === undefined) return 0
    const isSilent = (this.#wroteUs.get(node) ?? 0) < silence.sinceUs
    return isSilent || silence.requests >= UNANSWERED ? silence.requests : 0
  }
}
