/**
 * Which nodes still answer their clients. If no fault is injected, a node that leaves its last requests unanswered hangs:
 * that is no anomaly of any workload, because an outcome that is unknown may be right, and a silent pass would hide it.
 */
/** Requests in a row that a node must leave unanswered before it counts as hanging. */
const UNANSWERED = 3

export class Answers {
  /** By node: requests since its last answer. */
  readonly #unanswered = new Map<string, number>()

  answered(node: string): void {
    this.#unanswered.set(node, 0)
  }

  timedOut(node: string): void {
    this.#unanswered.set(node, (this.#unanswered.get(node) ?? 0) + 1)
  }

  /** Nodes that hang, with the number of requests they left unanswered at the end. */
  hanging(): [node: string, requests: number][] {
    return [...this.#unanswered].filter(([, requests]) => requests >= UNANSWERED)
  }
}
