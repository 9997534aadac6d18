/** Quantities as people read them: durations, virtual times, counts. */

/** `1.204s`, `38.0ms`, `250µs`. */
export function duration(us: number): string {
  if (us < 1000) return `${Math.round(us)}µs`
  if (us < 1_000_000) return `${(us / 1000).toFixed(1)}ms`
  if (us < 120_000_000) return `${(us / 1_000_000).toFixed(3)}s`
  const minutes = Math.floor(us / 60_000_000)
  if (minutes < 120) return `${minutes}m ${Math.floor((us % 60_000_000) / 1_000_000)}s`
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`
}

/** A point in virtual time, to the millisecond and of equal width: `  12.004s`. */
export function moment(us: number): string {
  return `${(us / 1_000_000).toFixed(3).padStart(8)}s`
}

/** `12,345`. */
export function count(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** `3 seeds`, `1 seed`. */
export function counted(n: number, noun: string): string {
  return `${count(n)} ${noun}${n === 1 ? '' : 's'}`
}
