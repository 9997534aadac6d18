/**
 * A chart as SVG: time along the x axis, one value along the y axis, linear or logarithmic, and the periods of faults
 * shaded behind it. Series are points or lines. A pure function of data; every text is escaped.
 */
import { attribute, escapeMarkup } from '../form/markup.ts'
import type { FaultPeriod } from './operation-spans.ts'

export type Shape = 'circle' | 'square' | 'triangle' | 'cross'
export type Point = readonly [seconds: number, value: number]

export interface Series {
  readonly name: string
  readonly colour: string
  /** A shape per point; without it the points are joined by a line. */
  readonly shape?: Shape
  /** Points of a line that are further apart are not joined; all are by default. */
  readonly joinedSeconds?: number
  readonly points: readonly Point[]
}

export interface Chart {
  readonly title: string
  readonly yTitle: string
  readonly logarithmic: boolean
  readonly series: readonly Series[]
  readonly faults: readonly FaultPeriod[]
  /** Where the x axis ends at least. */
  readonly untilSeconds: number
}

const WIDTH = 960
const HEIGHT = 440
const LEFT = 70
const RIGHT = 190
const TOP = 36
const BOTTOM = 46
const PLOT_WIDTH = WIDTH - LEFT - RIGHT
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM

/** Jepsen's. */
const FAULT_COLOURS: Readonly<Record<string, string>> = {
  partition: '#E9DCA0',
  kill: '#E9A4A0',
  pause: '#A0B1E9',
}
const FAULT_OPACITY = 0.6

interface Axis {
  readonly least: number
  readonly most: number
  readonly ticks: readonly number[]
  position(value: number): number
}

export function chartSvg(chart: Chart): string {
  const { series, faults, title, yTitle } = chart
  const x = timeAxis(chart)
  const y = chart.logarithmic ? logarithmicAxis(valuesOf(series)) : linearAxis(valuesOf(series))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" role="img">`,
    `<title>${escapeMarkup(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#FFFFFF"/>`,
    `<text x="${LEFT}" y="22" font-size="15" font-weight="bold">${escapeMarkup(title)}</text>`,
    ...shades(faults, x),
    ...grid(x, y),
    `<text x="${LEFT + PLOT_WIDTH / 2}" y="${HEIGHT - 8}" text-anchor="middle">time (s)</text>`,
    `<text transform="translate(16 ${TOP + PLOT_HEIGHT / 2}) rotate(-90)" text-anchor="middle">${escapeMarkup(yTitle)}</text>`,
    ...series.map((each) => drawn(each, x, y)),
    ...legend(series, faults),
    '</svg>',
    '',
  ].join('\n')
}

function valuesOf(series: readonly Series[]): number[] {
  return series.flatMap(({ points }) => points.map(([, value]) => value))
}

function timeAxis({ series, untilSeconds }: Chart): Axis {
  let most = Math.max(untilSeconds, 1)
  for (const { points } of series) for (const [seconds] of points) most = Math.max(most, seconds)
  const ticks = steps(0, most)
  return { least: 0, most, ticks, position: (value) => LEFT + (value / most) * PLOT_WIDTH }
}

function linearAxis(values: readonly number[]): Axis {
  const most = values.reduce((high, value) => Math.max(high, value), 1)
  const ticks = steps(0, most)
  return { least: 0, most, ticks, position: (value) => TOP + PLOT_HEIGHT * (1 - value / most) }
}

const MOST_TICKS = 10

/** From 1, 2 or 5 times a power of ten below the values to such a number above them. */
function logarithmicAxis(values: readonly number[]): Axis {
  const low = values.reduce((least, value) => Math.min(least, value), values[0] ?? 1)
  const high = values.reduce((most, value) => Math.max(most, value), low)
  const from = Math.floor(Math.log10(low))
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - from + 2 }, (_, i) => 10 ** (from + i))
  const times = (...factors: number[]): number[] =>
    powers.flatMap((power) => factors.map((factor) => factor * power))
  const bounds = times(1, 2, 5)
  const least = bounds.findLast((each) => each <= low * (1 + 1e-9))!
  const most = bounds.find((each) => each > least && each > high * 1.1)!
  const grids = [times(1, 2, 3, 4, 5, 6, 7, 8, 9), bounds, powers].map((grid) =>
    grid.filter((each) => each >= least && each <= most),
  )
  const share = (value: number): number => Math.log(value / least) / Math.log(most / least)
  return {
    least,
    most,
    ticks: grids.find((grid) => grid.length <= MOST_TICKS) ?? grids[2],
    position: (value) => TOP + PLOT_HEIGHT * (1 - share(value)),
  }
}

/** Between five and ten round numbers. */
function steps(from: number, to: number): number[] {
  const rough = (to - from) / 8
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough)!
  const count = Math.floor((to - from) / step + 1e-9)
  return Array.from({ length: count + 1 }, (_, i) => from + i * step)
}

/** Each kind of fault has a band of its own, so that those at the same time are told apart. */
function shades(faults: readonly FaultPeriod[], x: Axis): string[] {
  const kinds = [...new Set(faults.map(({ fault }) => fault))]
  const height = PLOT_HEIGHT / kinds.length
  return faults.map((period) => shade(period, x, TOP + kinds.indexOf(period.fault) * height, height))
}

function shade({ fault, fromSeconds, toSeconds }: FaultPeriod, x: Axis, top: number, height: number): string {
  const from = x.position(Math.min(fromSeconds, x.most))
  const to = x.position(Math.min(toSeconds, x.most))
  const until = toSeconds > x.most ? 'the end' : `${number(toSeconds)} s`
  return `<rect class="fault" x="${round(from)}" y="${round(top)}" width="${round(Math.max(1, to - from))}" height="${round(height)}" fill="${FAULT_COLOURS[fault]}" fill-opacity="${FAULT_OPACITY}"><title>${escapeMarkup(`${fault} from ${number(fromSeconds)} s to ${until}`)}</title></rect>`
}

function grid(x: Axis, y: Axis): string[] {
  const bottom = TOP + PLOT_HEIGHT
  return [
    ...x.ticks.map(
      (tick) =>
        `<path d="M ${round(x.position(tick))} ${TOP} V ${bottom}" stroke="#DDDDDD"/><text x="${round(x.position(tick))}" y="${bottom + 16}" text-anchor="middle">${number(tick)}</text>`,
    ),
    ...y.ticks.map(
      (tick) =>
        `<path d="M ${LEFT} ${round(y.position(tick))} H ${LEFT + PLOT_WIDTH}" stroke="#DDDDDD"/><text x="${LEFT - 6}" y="${round(y.position(tick) + 4)}" text-anchor="end">${number(tick)}</text>`,
    ),
    `<rect x="${LEFT}" y="${TOP}" width="${PLOT_WIDTH}" height="${PLOT_HEIGHT}" fill="none" stroke="#333333"/>`,
  ]
}

function drawn(series: Series, x: Axis, y: Axis): string {
  const { name, colour, shape, points } = series
  const places = points.map(([seconds, value]) => [round(x.position(seconds)), round(y.position(value))])
  const path =
    shape === undefined
      ? `<path d="${line(series, places)}" fill="none" stroke="${colour}" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/>`
      : `<path d="${onceEach(places)
          .map((place) => outline(shape, place))
          .join('')}" ${shape === 'cross' ? `fill="none" stroke="${colour}"` : `fill="${colour}"`}/>`
  return `<g data-series=${attribute(name)}><title>${escapeMarkup(name)}</title>${places.length === 0 ? '' : path}</g>`
}

/** Pieces of what is joined; a point alone is a dot. */
function line(
  { points, joinedSeconds = Number.POSITIVE_INFINITY }: Series,
  places: readonly number[][],
): string {
  const follows = (i: number): boolean => i > 0 && points[i][0] - points[i - 1][0] <= joinedSeconds
  return places.map(([px, py], i) => (follows(i) ? `L${px} ${py}` : `M${px} ${py}h0`)).join('')
}

/** Points of one place are drawn once, so that a picture stays small however many operations there were. */
function onceEach(places: readonly number[][]): number[][] {
  const seen = new Set<number>()
  return places.filter(([px, py]) => {
    const place = Math.round(px) * HEIGHT + Math.round(py)
    return !seen.has(place) && seen.add(place)
  })
}

function outline(shape: Shape, [x, y]: readonly number[]): string {
  switch (shape) {
    case 'circle':
      return `M${x - 2} ${y}a2 2 0 1 0 4 0a2 2 0 1 0 -4 0`
    case 'square':
      return `M${x - 2} ${y - 2}h4v4h-4z`
    case 'triangle':
      return `M${x} ${y - 2.5}l2.5 4.5h-5z`
    case 'cross':
      return `M${x - 2} ${y - 2}l4 4m0 -4l-4 4`
  }
}

function legend(series: readonly Series[], faults: readonly FaultPeriod[]): string[] {
  const left = LEFT + PLOT_WIDTH + 16
  const names = [...new Set(faults.map(({ fault }) => fault))]
  const items = [
    ...series.map(({ name, colour, shape }) => ({
      name,
      mark: (y: number) =>
        shape === undefined
          ? `<path d="M${left} ${y}h14" stroke="${colour}" stroke-width="2"/>`
          : `<path d="${outline(shape, [left + 7, y])}" fill="${shape === 'cross' ? 'none' : colour}" stroke="${colour}"/>`,
    })),
    ...names.map((name) => ({
      name,
      mark: (y: number) =>
        `<rect x="${left}" y="${y - 6}" width="14" height="12" fill="${FAULT_COLOURS[name]}" fill-opacity="${FAULT_OPACITY}"/>`,
    })),
  ]
  return items.map(({ name, mark }, i) => {
    const y = TOP + 10 + i * 18
    return `${mark(y)}<text x="${left + 20}" y="${y + 4}">${escapeMarkup(name)}</text>`
  })
}

function number(value: number): string {
  return String(Number(value.toPrecision(6)))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
