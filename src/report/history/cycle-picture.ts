/**
 * A cycle of transactions as one SVG: a box per transaction with its micro-operations, an arrow per dependency in the
 * colour of its kind, and below it the sentences that say why. A pure function from data to text; everything that
 * comes from the history is escaped, and nothing is ever run, loaded or set as `innerHTML`.
 */
import type { CycleDetails, CycleStep } from '../../checkers/transactions/index.ts'
import { show } from '../../history/value.ts'
import { escapeMarkup } from '../form/markup.ts'

export interface CyclePictureOptions {
  /** What is wrong, above the picture. */
  readonly title?: string | undefined
}

/** Colours that people with any kind of colour vision can tell apart (Okabe and Ito). */
const COLOURS: Readonly<Record<string, string>> = {
  ww: '#D55E00',
  wr: '#0072B2',
  rw: '#CC79A7',
  wrp: '#0072B2',
  rwp: '#CC79A7',
  process: '#009E73',
  realtime: '#7F7F7F',
}

const CHARACTER = 7.3
const LINE = 17
const PADDING = 10
const MARGIN = 24
const LINES = 10
const COLUMNS = 42
/** How far an arrow bends away from the straight line, as a part of its length. */
const BEND = 0.15
/** How far its label stands off. */
const STAND_OFF = 14

/** More transactions than these tell a person nothing. */
const MAX_TRANSACTIONS = 24

/** The cycle that an anomaly's details hold, if they hold one that can be drawn. */
export function cycleOf(details: unknown): CycleDetails | null {
  const { cycle, transactions } = Object(details) as Partial<CycleDetails>
  if (!Array.isArray(cycle) || !Array.isArray(transactions)) return null
  const drawable =
    cycle.length > 0 && cycle.length <= MAX_TRANSACTIONS && cycle.length === transactions.length
  return drawable ? { cycle, transactions } : null
}

interface Box {
  readonly name: string
  readonly lines: readonly string[]
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export function cyclePicture(
  { cycle, transactions }: CycleDetails,
  options: CyclePictureOptions = {},
): string {
  const top = options.title === undefined ? MARGIN : MARGIN + 24
  const boxes = layout(transactions, top)
  const sentences = cycle.map((step, i) => sentence(cycle, step, i))
  const below = Math.max(...boxes.map(({ y, height }) => y + height)) + MARGIN + 12
  const width = Math.max(
    ...boxes.map((box) => box.x + box.width + MARGIN),
    ...sentences.map((text) => text.length * CHARACTER + 2 * MARGIN),
  )
  const height = below + sentences.length * LINE + MARGIN
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" class="cycle" width="${round(width)}" height="${round(height)}" viewBox="0 0 ${round(width)} ${round(height)}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12" role="img">`,
    markers(cycle),
    options.title === undefined
      ? ''
      : `<text x="${MARGIN}" y="${MARGIN + 4}" font-size="15" font-weight="bold">${escapeMarkup(options.title)}</text>`,
    ...cycle.map((step, i) => arrow(step, boxes[i], boxes[(i + 1) % boxes.length])),
    ...boxes.map(box),
    ...cycle.map((step, i) => arrowLabel(step, boxes[i], boxes[(i + 1) % boxes.length])),
    ...sentences.map(
      (text, i) =>
        `<text x="${MARGIN}" y="${round(below + i * LINE)}" fill="${colour(cycle[i].kind)}">${escapeMarkup(text)}</text>`,
    ),
    '</svg>',
  ]
  return `${parts.filter(Boolean).join('\n')}\n`
}

/** On a circle, clockwise from the left, wide enough that boxes do not touch. */
function layout(transactions: CycleDetails['transactions'], top: number): Box[] {
  const sized = transactions.map(({ name, operation, value }) => {
    const lines = bodyLines(value)
    const longest = Math.max(...lines.map((line) => line.length), name.length + 12)
    return {
      name: `${name} = operation ${operation}`,
      lines,
      width: Math.max(longest, name.length + 14) * CHARACTER + 2 * PADDING,
      height: (lines.length + 1) * LINE + 2 * PADDING,
    }
  })
  const widest = Math.max(...sized.map(({ width }) => width))
  const tallest = Math.max(...sized.map(({ height }) => height))
  const count = sized.length
  const radiusX = count === 2 ? widest / 2 + 90 : (widest * count) / 5 + 60
  const radiusY = count === 2 ? 0 : (tallest * count) / 5 + 40
  const centreX = MARGIN + radiusX + widest / 2
  const centreY = top + radiusY + tallest / 2
  return sized.map((each, i) => {
    const angle = Math.PI + (2 * Math.PI * i) / count
    const x = centreX + radiusX * Math.cos(angle) - each.width / 2
    const y = centreY + radiusY * Math.sin(angle) - each.height / 2
    return { ...each, x: Math.max(MARGIN, x), y: Math.max(top, y) }
  })
}

function bodyLines(value: unknown): string[] {
  if (!Array.isArray(value)) return [show(value, COLUMNS)]
  const lines = value.slice(0, LINES).map((micro) => microText(micro))
  if (value.length > LINES) lines.push(`… ${value.length - LINES} more`)
  return lines
}

const VERBS: Readonly<Record<string, string>> = { r: 'read', w: 'write', append: 'append', rp: 'read where' }

function microText(micro: unknown): string {
  if (!Array.isArray(micro)) return show(micro, COLUMNS)
  const [f, key, value] = micro as readonly unknown[]
  const verb = typeof f === 'string' && Object.hasOwn(VERBS, f) ? VERBS[f] : show(f, 12)
  return `${verb} ${show(key, 16)}: ${show(value ?? null, COLUMNS - 20)}`
}

function sentence(cycle: readonly CycleStep[], { kind, because }: CycleStep, i: number): string {
  const lead = i === cycle.length - 1 && cycle.length > 1 ? 'However, ' : ''
  const next = ((i + 1) % cycle.length) + 1
  return `${lead}T${i + 1} < T${next} (${kind}), because ${because}`
}

function box({ name, lines, x, y, width, height }: Box): string {
  const texts = lines.map(
    (line, i) =>
      `<text x="${round(x + PADDING)}" y="${round(y + PADDING + (i + 2) * LINE - 5)}">${escapeMarkup(line)}</text>`,
  )
  return [
    `<g><rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="6" fill="#FFFFFF" stroke="#333333"/>`,
    `<text x="${round(x + PADDING)}" y="${round(y + PADDING + LINE - 5)}" font-weight="bold">${escapeMarkup(name)}</text>`,
    ...texts,
    '</g>',
  ].join('\n')
}

/** A curve from border to border, bent to its left so that opposite arrows do not lie on each other. */
function curve(from: Box, to: Box): { readonly start: Point; readonly control: Point; readonly end: Point } {
  const a = centre(from)
  const b = centre(to)
  const control = { x: (a.x + b.x) / 2 + (b.y - a.y) * BEND, y: (a.y + b.y) / 2 - (b.x - a.x) * BEND }
  return { start: border(from, control), control, end: border(to, control) }
}

function arrow(step: CycleStep, from: Box, to: Box): string {
  const { start, control, end } = curve(from, to)
  const dash = step.kind === 'realtime' || step.kind === 'process' ? ' stroke-dasharray="6 4"' : ''
  return [
    `<g><title>${escapeMarkup(step.because)}</title>`,
    `<path d="M ${round(start.x)} ${round(start.y)} Q ${round(control.x)} ${round(control.y)} ${round(end.x)} ${round(end.y)}" fill="none" stroke="${colour(step.kind)}" stroke-width="2"${dash} marker-end="url(#${marker(step.kind)})"/>`,
    '</g>',
  ].join('\n')
}

/** The kind and key of an arrow, on its outer side. */
function arrowLabel(step: CycleStep, from: Box, to: Box): string {
  const { start, control, end } = curve(from, to)
  const length = Math.hypot(end.x - start.x, end.y - start.y) || 1
  const x = (start.x + 2 * control.x + end.x) / 4 + ((end.y - start.y) / length) * STAND_OFF
  const y = (start.y + 2 * control.y + end.y) / 4 - ((end.x - start.x) / length) * STAND_OFF
  const key = step.key === undefined ? '' : ` ${show(step.key, 16)}`
  return `<text x="${round(x)}" y="${round(y + 4)}" fill="${colour(step.kind)}" text-anchor="middle" font-weight="bold" stroke="#FFFFFF" stroke-width="4" paint-order="stroke">${escapeMarkup(step.kind + key)}</text>`
}

interface Point {
  readonly x: number
  readonly y: number
}

function centre({ x, y, width, height }: Box): Point {
  return { x: x + width / 2, y: y + height / 2 }
}

/** Where the way from a box's centre to a point leaves the box. */
function border(from: Box, to: Point): Point {
  const c = centre(from)
  const dx = to.x - c.x
  const dy = to.y - c.y
  if (dx === 0 && dy === 0) return c
  const scale = Math.min(
    dx === 0 ? Infinity : from.width / 2 / Math.abs(dx),
    dy === 0 ? Infinity : from.height / 2 / Math.abs(dy),
  )
  return { x: c.x + dx * scale, y: c.y + dy * scale }
}

function markers(cycle: readonly CycleStep[]): string {
  const kinds = [...new Set(cycle.map(({ kind }) => kind))]
  const heads = kinds.map(
    (kind) =>
      `<marker id="${marker(kind)}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M 0 0 L 10 5 L 0 10 z" fill="${colour(kind)}"/></marker>`,
  )
  return `<defs>${heads.join('')}</defs>`
}

function marker(kind: string): string {
  return `head-${kind.replaceAll(/[^a-z]/g, '')}`
}

function colour(kind: string): string {
  return Object.hasOwn(COLOURS, kind) ? COLOURS[kind] : '#333333'
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
