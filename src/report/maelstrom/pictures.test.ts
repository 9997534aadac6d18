/** The pictures of a Maelstrom test are drawn from its operations and messages, and escape everything in them. */
import { describe, expect, it } from 'vitest'
import { Journal } from '../../maelstrom/network/journal.ts'
import type { LoggedOperation } from '../../maelstrom/running/operation-log.ts'
import { lamportDiagram } from './lamport-diagram.ts'
import { faultPeriods, operationSpans } from './operation-spans.ts'
import { plotFiles } from './plots.ts'
import { timelinePage } from './timeline-page.ts'

function history(...events: Omit<LoggedOperation, 'index' | 'value'>[]): LoggedOperation[] {
  return events.map((event, index) => ({ index, value: '<b>', ...event }))
}

const SECOND = 1e9
const OPERATIONS = history(
  { time: 0, type: 'info', process: 'nemesis', f: 'start-partition' },
  { time: 1, type: 'info', process: 'nemesis', f: 'start-partition' },
  { time: SECOND, type: 'invoke', process: 0, f: 'read' },
  { time: SECOND, type: 'invoke', process: 1, f: 'add' },
  { time: 2 * SECOND, type: 'ok', process: 0, f: 'read' },
  { time: 3 * SECOND, type: 'info', process: 1, f: 'add', error: 'net-timeout' },
  { time: 4 * SECOND, type: 'info', process: 'nemesis', f: 'stop-partition' },
  { time: 5 * SECOND, type: 'info', process: 'nemesis', f: 'stop-partition' },
  { time: 5 * SECOND, type: 'info', process: 'nemesis', f: 'kill' },
  { time: 6 * SECOND, type: 'info', process: 'nemesis', f: 'kill' },
  { time: 9 * SECOND, type: 'invoke', process: 0, f: 'read' },
)

describe('spans', () => {
  it('join an invocation with its completion, and leave open what never completed', () => {
    const spans = operationSpans(OPERATIONS)
    expect(spans.map(({ f, complete }) => [f, complete?.type])).toEqual([
      ['read', 'ok'],
      ['add', 'info'],
      ['read', undefined],
    ])
  })

  it('of faults last from the order to begin until the end is complete', () => {
    expect(faultPeriods(OPERATIONS)).toEqual([
      { fault: 'partition', fromSeconds: 0, toSeconds: 5 },
      { fault: 'kill', fromSeconds: 5, toSeconds: Number.POSITIVE_INFINITY },
    ])
  })

  it('tell two periods of one fault apart', () => {
    const [first, , , , , , , last] = OPERATIONS
    const twice = [first, last, { ...first, time: 6 * SECOND }, { ...last, time: 7 * SECOND }]
    expect(faultPeriods(twice).map(({ fromSeconds, toSeconds }) => [fromSeconds, toSeconds])).toEqual([
      [0, 5],
      [6, 7],
    ])
  })
})

describe('plots', () => {
  const plots = new Map(plotFiles(OPERATIONS))

  it('shade the periods of faults', () => {
    for (const svg of plots.values()) {
      expect(svg.match(/class="fault"/g)).toHaveLength(2)
      expect(svg).toContain('partition from 0 s to 5 s')
      expect(svg).toContain('kill from 5 s to the end')
    }
  })

  it('have a series for each function and outcome that occurred', () => {
    const series = (name: string) =>
      [...plots.get(name)!.matchAll(/data-series="([^"]*)"/g)].map(([, each]) => each)
    expect(series('latency-raw.svg')).toEqual(['add info', 'read ok'])
    expect(series('rate.svg')).toEqual(['add info', 'read ok'])
    expect(series('latency-quantiles.svg')).toEqual(['0.5', '0.95', '0.99', '1'])
  })

  it('of a test without operations are empty charts', () => {
    for (const [, svg] of plotFiles([])) {
      expect(svg).toContain('</svg>')
      expect(svg).not.toMatch(/NaN|Infinity/)
    }
  })

  it('leave a gap where nothing was asked for long', () => {
    const times = [1, 2, 12].map((second) =>
      history(
        { time: second * SECOND, type: 'invoke', process: 0, f: 'read' },
        { time: second * SECOND + 1e6, type: 'ok', process: 0, f: 'read' },
      ),
    )
    const svg = new Map(plotFiles(times.flat())).get('latency-quantiles.svg')!
    const [, path] = /data-series="0.5"[^]*?<path d="([^"]*)"/.exec(svg)!
    expect(path.replaceAll(/[\d. ]+/g, '')).toBe('MhLMh')
  })

  it('draw points of one place once', () => {
    const many = Array.from({ length: 1000 }, (_, i) =>
      history(
        { time: i, type: 'invoke', process: 0, f: 'read' },
        { time: i + SECOND, type: 'ok', process: 0, f: 'read' },
      ),
    ).flat()
    const raw = new Map(plotFiles(many)).get('latency-raw.svg')!
    expect(raw.length).toBeLessThan(10_000)
  })
})

describe('the timeline', () => {
  it('has a box per operation in the colour of its outcome, and escapes values', () => {
    const page = timelinePage(OPERATIONS, 2)
    expect(page.match(/<div class="(ok|info|fail)"/g)).toHaveLength(3)
    expect(page.match(/<div class="fault"/g)).toHaveLength(6)
    expect(page).not.toContain('<b>')
  })

  it('is cut after 10,000 operations, and says so', () => {
    const many = Array.from({ length: 10_001 }, (_, i) =>
      history({ time: i, type: 'invoke', process: i, f: 'read' }),
    ).flat()
    expect(timelinePage(many, 1)).toContain('first 10000 of 10001 operations')
  })
})

describe('the diagram of messages', () => {
  it('has an arrow per message, a cross for a lost one, and clients before nodes before services', () => {
    const journal = new Journal()
    const asked = { src: 'c1', dest: 'n1', body: { type: 'read', msg_id: 1 } }
    const stored = { src: 'n1', dest: 'lin-kv', body: { type: 'read', key: '<b>' } }
    const failed = { src: 'n1', dest: 'c1', body: { type: 'error', code: 11 } }
    journal.sent(0, asked)
    journal.received(0, asked)
    journal.sent(1, stored)
    journal.sent(2, failed)
    journal.received(2, failed)
    const svg = lamportDiagram(journal)
    expect(svg.match(/marker-end/g)).toHaveLength(2)
    expect(svg.match(/class="lost"/g)).toHaveLength(1)
    expect(svg).toContain('url(#error)')
    expect(svg).not.toContain('<b>')
    const names = [...svg.matchAll(/<text class="name"[^>]*>([^<]*)</g)].map(([, name]) => name)
    expect(names).toEqual(['c1', 'n1', 'lin-kv'])
  })

  it('leaves out init, is cut after 10,000 events, and says so', () => {
    const journal = new Journal()
    journal.sent(0, { src: 'c0', dest: 'n1', body: { type: 'init' } })
    for (let id = 1; id <= 10_005; id++) journal.sent(id, { src: 'n1', dest: 'n2', body: { type: 'x' } })
    const svg = lamportDiagram(journal)
    expect(svg).toContain('first 10000 of 10005 events')
    expect(svg).not.toContain('init')
  })
})
