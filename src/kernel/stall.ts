/**
 * Stalls: how long a machine can keep a process from running, as a choice before a step. A collection, a long
 * computation, a busy processor or a slow device all look the same to an event loop: when the next callback runs, the
 * clock has moved on, and everything that fell due meanwhile is due. Value 0 of the choice is no stall, value n is
 * 2^(n−1) milliseconds. Libuv's timers count whole milliseconds, so shorter stalls would change no order.
 *
 * A stall never breaks a window: it ends at the `latest` of the first pending event that has to happen by then.
 */
export const STALL_VALUES = 16

const SHORTEST_US = 1_000

export function stallUs(value: number): number {
  return value === 0 ? 0 : SHORTEST_US * 2 ** (value - 1)
}
