/**
 * One directed link between two nodes as the proxy knows it: what is wrong with it now, and what was done to the bytes
 * that passed. A fault changes `weather` and reads `counts` before and after: the difference is its landing evidence.
 *
 * A *cut* holds everything that is sent in this direction until it heals, as TCP does with segments that get no answer;
 * datagrams are dropped. A *delay* keeps the order of a stream. *Loss* of a stream is what a program sees of it: the
 * chunk comes late by a retransmission; a lost datagram is gone.
 */
import type { Delay } from './delay.ts'

export interface LinkWeather {
  readonly cut: boolean
  readonly delay: Delay | null
  /** Bytes per second; null: as many as the machine carries. */
  readonly rateBytesPerS: number | null
  /** Shares of datagrams, and of chunks of a stream for loss: 0 to 1. */
  readonly loss: number
  readonly duplicate: number
  readonly reorder: number
}

export const CLEAR: LinkWeather = {
  cut: false,
  delay: null,
  rateBytesPerS: null,
  loss: 0,
  duplicate: 0,
  reorder: 0,
}

/** What happened on a link since the proxy began. */
export interface LinkCounts {
  /** Chunks of streams, and datagrams, that were handed to the link. */
  chunks: number
  bytes: number
  connections: number
  /** Chunks that a cut held back, connections that waited for one to heal, and datagrams that it dropped. */
  held: number
  delayed: number
  throttled: number
  lost: number
  duplicated: number
  reordered: number
  /** Connections that were broken by order. */
  resets: number
}

export type LinkCount = keyof LinkCounts

export function noCounts(): LinkCounts {
  return {
    chunks: 0,
    bytes: 0,
    connections: 0,
    held: 0,
    delayed: 0,
    throttled: 0,
    lost: 0,
    duplicated: 0,
    reordered: 0,
    resets: 0,
  }
}

/** Something that waits on a link: called when its weather changes. */
export interface LinkUser {
  changed(): void
  /** Breaks the connection on both sides; true if there was one. */
  reset(): boolean
}

export class Link {
  readonly from: string
  readonly to: string
  readonly counts = noCounts()
  readonly users = new Set<LinkUser>()
  #weather = CLEAR
  #clear = true

  constructor(from: string, to: string) {
    this.from = from
    this.to = to
  }

  get weather(): LinkWeather {
    return this.#weather
  }

  /** Nothing is wrong: bytes pass as they come. */
  get clear(): boolean {
    return this.#clear
  }

  change(weather: LinkWeather): void {
    this.#weather = weather
    this.#clear =
      !weather.cut &&
      weather.delay === null &&
      weather.rateBytesPerS === null &&
      weather.loss + weather.duplicate + weather.reorder === 0
    for (const user of this.users) user.changed()
  }

  /** Breaks every connection of this link; returns how many. */
  reset(): number {
    let broken = 0
    for (const user of this.users) if (user.reset()) broken++
    this.counts.resets += broken
    return broken
  }
}
