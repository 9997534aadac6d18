/**
 * A queue with acknowledgements: what the broker has confirmed is delivered at least once. An element counts as delivered
 * when a client gets it, whether or not the acknowledgement arrives; it may come again.
 */
import type { Workload } from 'wavetank'
import { objects } from 'wavetank/checkers'

export interface QueueClient {
  /** Resolves when the broker has confirmed the element. */
  publish(element: number): Promise<void>
  /** Takes an element and acknowledges it; null if the queue is empty. */
  take(): Promise<number | null>
  close(): void
}

interface State {
  readonly host: string
  client: QueueClient | null
}

const received = new Set<number>()

/** `declare` is called once, before everything. */
export function atLeastOnce(
  group: string,
  open: (host: string) => Promise<QueueClient>,
  declare: (hosts: readonly string[]) => Promise<void>,
): Workload<State> {
  async function connected(state: State): Promise<QueueClient> {
    return (state.client ??= await open(state.host))
  }
  async function attempt<T>(state: State, ask: (client: QueueClient) => Promise<T>): Promise<T> {
    try {
      return await ask(await connected(state))
    } catch (error) {
      state.client?.close() // a connection that failed once is not asked again
      state.client = null
      throw error
    }
  }
  return {
    clients: 5,
    setup: ({ hosts }) => declare(hosts[group]),
    open: ({ hosts, client }) => ({ host: hosts[group][client % hosts[group].length], client: null }),
    async run({ client, index, state, rng, operation }) {
      const element = client * 1_000_000 + index
      if (rng.chance(0.6)) {
        return operation('publish', { input: element, timeoutVirtualMs: 5000 }, () =>
          attempt(state, (queue) => queue.publish(element)),
        )
      }
      return operation('take', { timeoutVirtualMs: 5000 }, () =>
        attempt(state, async (queue) => {
          const taken = await queue.take()
          if (taken !== null) received.add(taken)
          return taken
        }),
      )
    },
    async settled({ hosts }) {
      const clients = await Promise.all(hosts[group].map(open))
      for (const client of clients) client.close()
      return true
    },
    async final({ client, state, operation }) {
      if (client !== 0) return
      await operation('received', { timeoutVirtualMs: 30_000 }, () =>
        attempt(state, async (queue) => {
          for (;;) {
            const taken = await queue.take()
            if (taken === null) return [...received].sort((a, b) => a - b)
            received.add(taken)
          }
        }),
      )
    },
    check: ({ history }) => objects.set(history, { add: 'publish', read: 'received' }),
  }
}
