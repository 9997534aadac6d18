/**
 * How the tank's speed is measured. Every figure stands beside a peer of the same run or beside a bar. Rates are per
 * second of processor time, over all threads and processes involved: on a shared machine wall time measures the
 * neighbours, and a peer that waits for its neighbours would look slow. Wall time is given besides.
 */
import { performance } from 'node:perf_hooks'

// Taken now: while a world runs, `process` leads to the simulated one.
const hostCpuUsage = process.cpuUsage.bind(process)
const hostNow = performance.now.bind(performance)

export interface Reading {
  readonly cpuMs: number
  readonly wallMs: number
}

export interface Row {
  readonly what: string
  /** With its unit: `1,234,000 events/s`. */
  readonly measured: string
  readonly bar: string
  /** How many times the bar was reached: 1 and more is good. Null when it was not measured, with the reason in `note`. */
  readonly ratio: number | null
  readonly note: string
}

export function read(): Reading {
  const { user, system } = hostCpuUsage()
  return { cpuMs: (user + system) / 1_000, wallMs: hostNow() }
}

export function since(start: Reading): Reading {
  const now = read()
  return { cpuMs: now.cpuMs - start.cpuMs, wallMs: now.wallMs - start.wallMs }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The median of each number of several rounds. */
export function medianReading(readings: readonly Reading[]): Reading {
  return {
    cpuMs: median(readings.map(({ cpuMs }) => cpuMs)),
    wallMs: median(readings.map(({ wallMs }) => wallMs)),
  }
}

/** A number with thousands separated, rounded to what can be told apart. */
export function figure(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value.toPrecision(3)
}
