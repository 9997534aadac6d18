/**
 * One line of the checkers' bench: a promise, what was measured, and the peer of the same run that it is measured
 * against. Times are processor time over all threads of the process, because on a shared machine wall time measures
 * the neighbours.
 */
export interface Row {
  readonly what: string
  readonly ours: string
  readonly peer: string
  /** Ours over the peer's; null where it was not measured or is no ratio. */
  readonly ratio: number | null
  readonly bar: string
  /** Null where it was not measured. */
  readonly met: boolean | null
  readonly note: string
}

/** Milliseconds of processor time. */
export function processorMs(work: () => void): number {
  const begin = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / 1000
}

/** The least of several rounds. */
export function leastMs(rounds: number, work: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < rounds; i++) least = Math.min(least, processorMs(work))
  return least
}

export function showMs(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString('en')} ms`
}

interface Comparison {
  readonly what: string
  readonly ours: number
  readonly peer: number
  readonly peerName: string
  readonly bar: number
  readonly note?: string
}

/** A row for two times, of which ours may be at most `bar` times the peer's. */
export function compared({ what, ours, peer, peerName, bar, note = '' }: Comparison): Row {
  const ratio = ours / peer
  return {
    what,
    ours: showMs(ours),
    peer: `${peerName} ${showMs(peer)}`,
    ratio,
    bar: `≤ ${bar}`,
    met: ratio <= bar,
    note,
  }
}

export function notMeasured(what: string, bar: string, why: string): Row {
  return { what, ours: '–', peer: '–', ratio: null, bar, met: null, note: why }
}
