/**
 * How far polls lag behind: at a poll, the time since the oldest message became known that the client should have, by
 * the keys it is assigned, and has not polled. A message is known once a send or a poll of it has completed.
 */
import { OK, type History } from '../../history/history.ts'
import { logOperations } from '../../checkers/kafka/micro-operations.ts'

const SECOND_US = 1_000_000

export interface Lag {
  /** Seconds since the start of the test. */
  readonly time: number
  readonly process: number | string | null
  readonly key: string
  /** Seconds. */
  readonly lag: number
}

/** When each offset of a key, or a later one, was known first; in microseconds. */
class KnownTimes {
  readonly #offsets: number[] = []
  readonly #times: number[] = []

  know(offset: number, timeUs: number): void {
    if (offset <= (this.#offsets.at(-1) ?? -1)) return
    this.#offsets.push(offset)
    this.#times.push(timeUs)
  }

  /** When something above the offset was known first; null if nothing is. */
  above(offset: number): number | null {
    const at = this.#offsets.findIndex((known) => known > offset)
    return at < 0 ? null : this.#times[at]
  }
}

export function worstRealtimeLag(history: History): Lag | null {
  const operations = new Map(
    logOperations(history).operations.map((operation) => [operation.position, operation]),
  )
  const known = new Map<string, KnownTimes>()
  /** The highest offset that a client has polled, by process and assigned key. */
  const positions = new Map<number, Map<string, number>>()
  let worst: Lag | null = null
  for (const event of history.events()) {
    const operation = operations.get(Math.floor(event / 2))
    if (operation === undefined || operation.type !== OK || event % 2 === 0) continue
    const { process, assigned, sends, polled, polls, position } = operation
    const timeUs = history.completeTime[position]
    const held = positions.get(process) ?? new Map<string, number>()
    if (assigned !== null)
      positions.set(process, new Map([...assigned].map((key) => [key, held.get(key) ?? -1])))
    for (const { key, offset } of [...sends, ...polled]) {
      if (offset === null) continue
      if (!known.has(key)) known.set(key, new KnownTimes())
      known.get(key)!.know(offset, timeUs)
    }
    for (const { key, offset } of polled) held.set(key, Math.max(held.get(key) ?? -1, offset ?? -1))
    if (!polls) continue
    for (const [key, offset] of held) {
      const since = known.get(key)?.above(offset) ?? null
      if (since === null) continue
      const lag = (history.invokeTime[position] - since) / SECOND_US
      if (lag > (worst?.lag ?? 0))
        worst = {
          time: history.invokeTime[position] / SECOND_US,
          process: history.processes[process],
          key,
          lag,
        }
    }
  }
  return worst
}
