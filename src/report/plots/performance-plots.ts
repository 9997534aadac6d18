/**
 * Two pictures of a run, as SVG: the latency of every operation over time, and operations per second, both with the
 * periods of faults shaded. Pure functions of the points.
 */
import { escapeMarkup } from '../form/markup.ts'

export type PointOutcome = 'ok' | 'fail' | 'info'

export interface OperationPoint {
  readonly f: string
  readonly outcome: PointOutcome
  /** Since the run began. */
  readonly beginS: number
  readonly latencyMs: number
}

export interface ShadedPeriod {
  readonly beginS: number
  readonly endS: number
  readonly text: string
}

const WIDTH = 900
const HEIGHT = 360
const LEFT = 60
const BOTTOM = 40
const TOP = 30
const RIGHT = 20
const BUCKETS = 60
const COLOURS: Readonly<Record<PointOutcome, string>> = { ok: '#2b7bba', fail: '#d9a441', info: '#b5342c' }

/** Latency of each operation, on a logarithmic scale. */
export function latencyPlot(points: readonly OperationPoint[], faults: readonly ShadedPeriod[]): string {
  const lastS = lastOf(points, faults)
  const mostMs = points.reduce((most, { latencyMs }) => Math.max(most, latencyMs), 1)
  const decades = Math.max(1, Math.ceil(Math.log10(mostMs / 0.1)))
  const y = (ms: number): number => up(Math.log10(Math.max(0.1, ms) / 0.1) / decades)
  const dots = points.map(
    ({ beginS, latencyMs, outcome }) =>
      `<circle cx="${round(across(beginS, lastS))}" cy="${round(y(latencyMs))}" r="2" fill="${COLOURS[outcome]}"/>`,
  )
  const ticks = Array.from({ length: decades + 1 }, (_, decade) => {
    const ms = 0.1 * 10 ** decade
    return { at: y(ms), text: `${Number(ms.toPrecision(2))} ms` }
  })
  return frame('Latency', lastS, ticks, faults, dots)
}

/** Operations per second that ended with each outcome. */
export function ratePlot(points: readonly OperationPoint[], faults: readonly ShadedPeriod[]): string {
  const lastS = lastOf(points, faults)
  const bucketS = lastS / BUCKETS
  const outcomes = Object.keys(COLOURS) as PointOutcome[]
  const rates = outcomes.map((outcome) => {
    const counts = new Array<number>(BUCKETS + 1).fill(0)
    for (const point of points) {
      if (point.outcome !== outcome) continue
      counts[Math.min(BUCKETS, Math.floor((point.beginS + point.latencyMs / 1000) / bucketS))]++
    }
    return counts.map((count) => count / bucketS)
  })
  const most = Math.max(1, ...rates.flat())
  const lines = rates.map((rate, index) => {
    const path = rate.map((each, bucket) => {
      const atS = Math.min(lastS, (bucket + 0.5) * bucketS)
      return `${round(across(atS, lastS))},${round(up(each / most))}`
    })
    return `<polyline points="${path.join(' ')}" fill="none" stroke="${COLOURS[outcomes[index]]}" stroke-width="1.5"/>`
  })
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => ({
    at: up(share),
    text: `${Math.round(share * most)}/s`,
  }))
  return frame('Operations per second', lastS, ticks, faults, lines)
}

function lastOf(points: readonly OperationPoint[], faults: readonly ShadedPeriod[]): number {
  const ends = points.map(({ beginS, latencyMs }) => beginS + latencyMs / 1000)
  return [...ends, ...faults.map(({ endS }) => endS)].reduce((last, end) => Math.max(last, end), 1)
}

function across(seconds: number, lastS: number): number {
  return LEFT + (seconds / lastS) * (WIDTH - LEFT - RIGHT)
}

function up(share: number): number {
  return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function frame(
  title: string,
  lastS: number,
  ticks: readonly { readonly at: number; readonly text: string }[],
  faults: readonly ShadedPeriod[],
  marks: readonly string[],
): string {
  const shades = faults.map(({ beginS, endS, text }) => {
    const x = across(beginS, lastS)
    const width = Math.max(1, across(endS, lastS) - x)
    return `<rect x="${round(x)}" y="${TOP}" width="${round(width)}" height="${HEIGHT - BOTTOM - TOP}" fill="#c0392b" fill-opacity="0.12"><title>${escapeMarkup(text)}</title></rect>`
  })
  const scale = ticks.map(
    ({ at, text }) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(at)}" y2="${round(at)}" stroke="#ddd"/><text x="${LEFT - 6}" y="${round(at) + 4}" text-anchor="end">${text}</text>`,
  )
  const times = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<text x="${round(across(share * lastS, lastS))}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${(share * lastS).toFixed(1)} s</text>`,
  )
  const legend = Object.entries(COLOURS).map(
    ([outcome, colour], index) =>
      `<text x="${WIDTH - RIGHT - 150 + 50 * index}" y="${TOP - 10}" fill="${colour}">${outcome}</text>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="11">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    `<text x="${LEFT}" y="${TOP - 10}" font-size="13">${title}; faults are shaded</text>`,
    ...shades,
    ...scale,
    ...times,
    ...legend,
    ...marks,
    '</svg>',
    '',
  ].join('\n')
}
