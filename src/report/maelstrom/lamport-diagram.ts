/**
 * The messages of a Maelstrom test as a Lamport diagram: a vertical line per client, node and service, time downwards,
 * one row per event, and an arrow per message from its sending to its receipt. A message that was lost ends in a cross.
 * Maelstrom's colours: blue for messages with a client, black between servers, pink for errors.
 */
import { SERVICE_NAMES } from '../../maelstrom/services/services.ts'
import type { JournalEvent, MessageJournal } from '../../maelstrom/network/journal.ts'
import { isClient, printMessage, type Message } from '../../maelstrom/protocol/envelope.ts'
import { escapeMarkup } from '../form/markup.ts'

const WIDTH = 1200
const ROW = 20
const TOP = 40
const LABELS_EVERY = 50
const LABEL = 48
const LEAST_LABEL = 12
const CHARACTER_WIDTH = 6.8
const TITLE = 2000
const COLOURS = { client: '#1F6FD0', server: '#111111', error: '#FF1E90' } as const
/** Of the vertical lines, in the order in which they stand. */
const LINE_COLOURS = { client: '#1F6FD0', node: '#333333', service: '#00795B' } as const

export function lamportDiagram({ events, left }: MessageJournal): string {
  const columns = columnsOf(events)
  const height = TOP + (events.length + 2) * ROW
  const marker = (name: keyof typeof COLOURS): string =>
    `<marker id="${name}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="5" markerHeight="5" orient="auto"><path d="M0 0L8 4L0 8z" fill="${COLOURS[name]}"/></marker>`
  const notice =
    left === 0
      ? ''
      : `<text x="10" y="${height - 6}">Only the first ${events.length} of ${events.length + left} events are shown.</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="11" role="img">`,
    `<defs>${marker('client')}${marker('server')}${marker('error')}</defs>`,
    `<rect width="${WIDTH}" height="${height}" fill="#FFFFFF"/>`,
    ...lines(columns, height),
    ...messages(events, columns),
    ...names(columns, events.length),
    notice,
    '</svg>',
    '',
  ].join('\n')
}

/** The place of everyone that sent or received: clients, then nodes, then services. */
function columnsOf(events: readonly JournalEvent[]): ReadonlyMap<string, number> {
  const names = new Set(events.flatMap(({ message: { src, dest } }) => [src, dest]))
  const ranks = Object.keys(LINE_COLOURS)
  const rank = (name: string): number => ranks.indexOf(kindOfPlace(name))
  const order = [...names].sort(
    (a, b) => rank(a) - rank(b) || a.length - b.length || (a < b ? -1 : a > b ? 1 : 0),
  )
  const gap = WIDTH / (order.length + 1)
  return new Map(order.map((name, i) => [name, Math.round(gap * (i + 1))]))
}

/** A vertical line for everyone. */
function lines(columns: ReadonlyMap<string, number>, height: number): string[] {
  return [...columns].map(
    ([name, x]) =>
      `<path d="M${x} ${TOP}V${height - ROW}" stroke="${LINE_COLOURS[kindOfPlace(name)]}" stroke-opacity="0.45"/>`,
  )
}

/** The name on each line, again and again. */
function names(columns: ReadonlyMap<string, number>, rows: number): string[] {
  const all: string[] = []
  for (let row = 0; row <= rows; row += LABELS_EVERY)
    for (const [name, x] of columns)
      all.push(
        `<text class="name" x="${x}" y="${TOP + row * ROW - 16}" text-anchor="middle" font-weight="bold" fill="${LINE_COLOURS[kindOfPlace(name)]}" stroke="#FFFFFF" stroke-width="4" paint-order="stroke">${escapeMarkup(name)}</text>`,
      )
  return all
}

function kindOfPlace(name: string): keyof typeof LINE_COLOURS {
  return isClient(name) ? 'client' : SERVICE_NAMES.includes(name) ? 'service' : 'node'
}

function messages(events: readonly JournalEvent[], columns: ReadonlyMap<string, number>): string[] {
  const sent = new Map<number, number>()
  const drawn: Drawn[] = []
  for (const [row, { kind, id, message }] of events.entries()) {
    if (kind === 'send') {
      sent.set(id, row)
      continue
    }
    const from = sent.get(id)
    sent.delete(id)
    if (from !== undefined) drawn.push(arrow(message, columns, from, row))
  }
  // What is left was lost, or received after the events that were kept.
  for (const row of sent.values()) drawn.push(lost(events[row].message, columns, row))
  // A label is over every arrow, so that none strikes it out.
  return [...drawn.map(({ shape }) => shape), ...drawn.map(({ label: text }) => text)]
}

interface Drawn {
  readonly shape: string
  readonly label: string
}

function kindOf({ src, dest, body }: Message): keyof typeof COLOURS {
  if (body.type === 'error') return 'error'
  return isClient(src) || isClient(dest) ? 'client' : 'server'
}

function arrow(message: Message, columns: ReadonlyMap<string, number>, from: number, to: number): Drawn {
  const kind = kindOf(message)
  const [x1, x2] = [columns.get(message.src)!, columns.get(message.dest)!]
  const [y1, y2] = [TOP + from * ROW, TOP + to * ROW]
  return {
    shape: `<path d="M${x1} ${y1}L${x2} ${y2}" stroke="${COLOURS[kind]}" stroke-width="2" marker-end="url(#${kind})">${title(message)}</path>`,
    label: label(message, [x1, y1], [x2, y2]),
  }
}

/** Half of the way, then a cross. */
function lost(message: Message, columns: ReadonlyMap<string, number>, row: number): Drawn {
  const x1 = columns.get(message.src)!
  const x = (x1 + columns.get(message.dest)!) / 2
  const y1 = TOP + row * ROW
  const y = y1 + ROW / 2
  const stroke = `fill="none" stroke="${COLOURS[kindOf(message)]}" stroke-width="2"`
  return {
    shape: `<g class="lost">${title(message)}<path d="M${x1} ${y1}L${x} ${y}" ${stroke} stroke-dasharray="5 4"/><path d="M${x - 4} ${y - 4}l8 8m0 -8l-8 8" ${stroke}/></g>`,
    label: label(message, [x1, y1], [x, y]),
  }
}

function title({ src, dest, body }: Message): string {
  return `<title>${escapeMarkup(`${src} → ${dest} ${printMessage(body)}`.slice(0, TITLE))}</title>`
}

const NOT_IN_LABEL: ReadonlySet<string> = new Set(['type', 'msg_id', 'in_reply_to'])

type Place = readonly [x: number, y: number]

/** Over the middle of the arrow, along it, and about as long at most. */
function label(message: Message, [x1, y1]: Place, [x2, y2]: Place): string {
  const { body } = message
  const fields = Object.entries(body).filter(([key]) => !NOT_IN_LABEL.has(key))
  const text = [body.type, ...fields.map(([, value]) => printMessage(value))].join(' ')
  const room = Math.floor(Math.hypot(x2 - x1, y2 - y1) / CHARACTER_WIDTH)
  const most = Math.min(LABEL, Math.max(LEAST_LABEL, room))
  const shown = text.length > most ? `${text.slice(0, most - 1)}…` : text
  const slope = x1 === x2 ? 0 : (Math.atan((y2 - y1) / (x2 - x1)) * 180) / Math.PI
  const middle = `translate(${Math.round((x1 + x2) / 2)} ${Math.round((y1 + y2) / 2)})`
  return `<text transform="${middle} rotate(${slope.toFixed(1)})" y="-5" text-anchor="middle" stroke="#FFFFFF" stroke-width="3" paint-order="stroke">${title(message)}${escapeMarkup(shown)}</text>`
}
