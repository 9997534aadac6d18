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
const TOP = 30
const LABELS_EVERY = 50
const LABEL = 48
const TITLE = 2000
const COLOURS = { client: '#1F6FD0', server: '#111111', error: '#FF1E90' } as const

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
    ...lines(columns, events.length, height),
    ...messages(events, columns),
    notice,
    '</svg>',
    '',
  ].join('\n')
}

/** The place of everyone that sent or received: clients, then nodes, then services. */
function columnsOf(events: readonly JournalEvent[]): ReadonlyMap<string, number> {
  const names = new Set(events.flatMap(({ message: { src, dest } }) => [src, dest]))
  const rank = (name: string): number => (isClient(name) ? 0 : SERVICE_NAMES.includes(name) ? 2 : 1)
  const order = [...names].sort(
    (a, b) => rank(a) - rank(b) || a.length - b.length || (a < b ? -1 : a > b ? 1 : 0),
  )
  const gap = WIDTH / (order.length + 1)
  return new Map(order.map((name, i) => [name, Math.round(gap * (i + 1))]))
}

function lines(columns: ReadonlyMap<string, number>, rows: number, height: number): string[] {
  const names: string[] = []
  for (let row = 0; row <= rows; row += LABELS_EVERY)
    for (const [name, x] of columns)
      names.push(
        `<text x="${x}" y="${TOP + row * ROW - 12}" text-anchor="middle" fill="#666666">${escapeMarkup(name)}</text>`,
      )
  const verticals = [...columns.values()].map(
    (x) => `<path d="M${x} ${TOP}V${height - ROW}" stroke="#CCCCCC"/>`,
  )
  return [...verticals, ...names]
}

function messages(events: readonly JournalEvent[], columns: ReadonlyMap<string, number>): string[] {
  const sent = new Map<number, number>()
  const drawn: string[] = []
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
  return drawn
}

function kindOf({ src, dest, body }: Message): keyof typeof COLOURS {
  if (body.type === 'error') return 'error'
  return isClient(src) || isClient(dest) ? 'client' : 'server'
}

function arrow(message: Message, columns: ReadonlyMap<string, number>, from: number, to: number): string {
  const kind = kindOf(message)
  const [x1, x2] = [columns.get(message.src)!, columns.get(message.dest)!]
  const [y1, y2] = [TOP + from * ROW, TOP + to * ROW]
  return `<g>${title(message)}<path d="M${x1} ${y1}L${x2} ${y2}" stroke="${COLOURS[kind]}" stroke-width="2" marker-end="url(#${kind})"/>${label(message, (x1 + x2) / 2, (y1 + y2) / 2)}</g>`
}

/** Half of the way, then a cross. */
function lost(message: Message, columns: ReadonlyMap<string, number>, row: number): string {
  const x1 = columns.get(message.src)!
  const x = (x1 + columns.get(message.dest)!) / 2
  const y1 = TOP + row * ROW
  const y = y1 + ROW / 2
  return `<g class="lost">${title(message)}<path d="M${x1} ${y1}L${x} ${y}m-4 -4l8 8m0 -8l-8 8" fill="none" stroke="${COLOURS[kindOf(message)]}" stroke-width="2" stroke-dasharray="4 3"/>${label(message, x, y)}</g>`
}

function title({ src, dest, body }: Message): string {
  return `<title>${escapeMarkup(`${src} → ${dest} ${printMessage(body)}`.slice(0, TITLE))}</title>`
}

const NOT_IN_LABEL: ReadonlySet<string> = new Set(['type', 'msg_id', 'in_reply_to'])

function label({ body }: Message, x: number, y: number): string {
  const fields = Object.entries(body).filter(([key]) => !NOT_IN_LABEL.has(key))
  const text = [body.type, ...fields.map(([, value]) => printMessage(value))].join(' ')
  const shown = text.length > LABEL ? `${text.slice(0, LABEL - 1)}…` : text
  return `<text x="${Math.round(x)}" y="${Math.round(y) - 4}" text-anchor="middle" stroke="#FFFFFF" stroke-width="3" paint-order="stroke">${escapeMarkup(shown)}</text>`
}
