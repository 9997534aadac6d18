/** The plots of a Maelstrom test: latencies of single operations, their quantiles over time, and rates of completion. */
import type { LoggedOperation } from '../../maelstrom/running/operation-log.ts'
import { chartSvg, type Point, type Series, type Shape } from './chart.ts'
import { faultPeriods, operationSpans, secondsOf, type OperationSpan } from './operation-spans.ts'

/** Jepsen's colours of outcomes. */
export const OUTCOME_COLOURS = { ok: '#81BFFC', info: '#FFA400', fail: '#FF1E90' } as const
type Outcome = keyof typeof OUTCOME_COLOURS

const OUTCOMES = Object.keys(OUTCOME_COLOURS) as Outcome[]
const SHAPES: readonly Shape[] = ['circle', 'square', 'triangle', 'cross']
const LINE_COLOURS = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#56B4E9', '#E69F00', '#F0E442', '#000000']
const QUANTILES: readonly (readonly [name: string, share: number, colour: string])[] = [
  ['0.5', 0.5, '#0072B2'],
  ['0.95', 0.95, '#009E73'],
  ['0.99', 0.99, '#E69F00'],
  ['1', 1, '#D55E00'],
]
/** Windows into which the time of a test is divided. */
const WINDOWS = 60
/** Where more windows than this have no operation between them, a line is interrupted. */
const JOINED_WINDOWS = 3
/** Latencies below are drawn at this height: a logarithmic axis has no 0. */
const LEAST_MS = 0.01

/** File name and content of each plot. */
export function plotFiles(operations: readonly LoggedOperation[]): [string, string][] {
  const spans = operationSpans(operations)
  const last = operations.at(-1)
  const base = {
    faults: faultPeriods(operations),
    untilSeconds: last === undefined ? 1 : secondsOf(last),
  }
  const latency = { ...base, yTitle: 'latency (ms)', logarithmic: true }
  const windowSeconds = Math.max(1, base.untilSeconds / WINDOWS)
  return [
    ['latency-raw.svg', chartSvg({ ...latency, title: 'latency of operations', series: raw(spans) })],
    [
      'latency-quantiles.svg',
      chartSvg({ ...latency, title: 'quantiles of latency', series: quantiles(spans, windowSeconds) }),
    ],
    [
      'rate.svg',
      chartSvg({
        ...base,
        title: 'completed operations per second',
        yTitle: 'operations/s',
        logarithmic: false,
        series: rates(spans, windowSeconds, base.untilSeconds),
      }),
    ],
  ]
}

function functionsOf(spans: readonly OperationSpan[]): string[] {
  return [...new Set(spans.map(({ f }) => f))].sort()
}

function latencyPoint({ invoke, complete }: OperationSpan): Point {
  const ms = (secondsOf(complete!) - secondsOf(invoke)) * 1000
  return [secondsOf(invoke), Math.max(LEAST_MS, ms)]
}

/** Each f and outcome that occurred, with its spans. */
function byKind(spans: readonly OperationSpan[]): [f: string, outcome: Outcome, spans: OperationSpan[]][] {
  return functionsOf(spans)
    .flatMap((f) =>
      OUTCOMES.map((outcome): [string, Outcome, OperationSpan[]] => [
        f,
        outcome,
        spans.filter((span) => span.f === f && span.complete?.type === outcome),
      ]),
    )
    .filter(([, , found]) => found.length > 0)
}

function raw(spans: readonly OperationSpan[]): Series[] {
  const functions = functionsOf(spans)
  return byKind(spans).map(([f, outcome, found]) => ({
    name: `${f} ${outcome}`,
    colour: OUTCOME_COLOURS[outcome],
    shape: SHAPES[functions.indexOf(f) % SHAPES.length],
    points: found.map(latencyPoint),
  }))
}

function quantiles(spans: readonly OperationSpan[], windowSeconds: number): Series[] {
  const windows = new Map<number, number[]>()
  for (const span of spans) {
    if (span.complete === null) continue
    const [seconds, ms] = latencyPoint(span)
    const window = Math.floor(seconds / windowSeconds)
    if (!windows.has(window)) windows.set(window, [])
    windows.get(window)!.push(ms)
  }
  for (const latencies of windows.values()) latencies.sort((a, b) => a - b)
  return QUANTILES.map(([name, share, colour]) => ({
    name,
    colour,
    joinedSeconds: JOINED_WINDOWS * windowSeconds,
    points: [...windows]
      .sort(([a], [b]) => a - b)
      .map(([window, latencies]): Point => {
        const at = Math.min(latencies.length - 1, Math.floor(latencies.length * share))
        return [(window + 0.5) * windowSeconds, latencies[at]]
      }),
  }))
}

function rates(spans: readonly OperationSpan[], windowSeconds: number, untilSeconds: number): Series[] {
  const count = Math.floor(untilSeconds / windowSeconds) + 1
  return byKind(spans).map(([f, outcome, found], i) => {
    const completed = new Array<number>(count).fill(0)
    for (const { complete } of found) completed[Math.floor(secondsOf(complete!) / windowSeconds)]++
    return {
      name: `${f} ${outcome}`,
      colour: LINE_COLOURS[i % LINE_COLOURS.length],
      points: completed.map((each, window): Point => [(window + 0.5) * windowSeconds, each / windowSeconds]),
    }
  })
}
