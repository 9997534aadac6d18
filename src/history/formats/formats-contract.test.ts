/** Every format keeps the laws of {@link formatContract}. */
import { describe, expect, it } from 'vitest'
import { History } from '../history.ts'
import type { HistoryEvent } from '../operation.ts'
import { formatContract, type FormatExample } from './format.contract.ts'
import { FORMATS } from './index.ts'

const BIG = 12345678901234567890n

/** A register with failures, unknown outcomes and integers that a double cannot hold. */
const registers = History.from([
  { type: 'invoke', process: 0, f: 'write', value: 1 },
  { type: 'invoke', process: 1, f: 'read' },
  { type: 'ok', process: 0, f: 'write', value: 1 },
  { type: 'ok', process: 1, f: 'read', value: 1 },
  { type: 'invoke', process: 0, f: 'write', value: BIG },
  { type: 'info', process: 0, f: 'write', value: BIG },
  { type: 'invoke', process: 1, f: 'read' },
  { type: 'ok', process: 1, f: 'read', value: BIG },
  { type: 'invoke', process: 1, f: 'write', value: 3 },
  { type: 'fail', process: 1, f: 'write', value: 3 },
])

/** The same with keys, nodes, times and structured values, for formats that hold them. */
const rich = History.from([
  { type: 'invoke', process: 0, f: 'cas', key: 'x', value: [1, { a: [null, 'ü'] }], time: 1000, node: 'n1' },
  { type: 'ok', process: 0, f: 'cas', key: 'x', value: false, time: 2000, node: 'n1' },
  {
    type: 'invoke',
    process: 1,
    f: 'txn',
    value: [
      ['r', 'x', null],
      ['w', 'y', 2],
    ],
    time: 3000,
  },
  {
    type: 'ok',
    process: 1,
    f: 'txn',
    value: [
      ['r', 'x', 7],
      ['w', 'y', 2],
    ],
    time: 4000,
  },
])

const txn = (process: number, value: unknown[]): HistoryEvent[] => [
  {
    type: 'invoke',
    process,
    f: 'txn',
    value: value.map((micro) =>
      (micro as unknown[])[0] === 'r' ? [...(micro as unknown[]).slice(0, 2), null] : micro,
    ),
  },
  { type: 'ok', process, f: 'txn', value },
]

/** Committed register transactions, which is all that formats of sessions hold. */
const sessions = History.from([
  ...txn(0, [
    ['w', 1, 1],
    ['w', 2, 7],
  ]),
  ...txn(0, [['r', 1, 1]]),
  ...txn(1, [
    ['r', 1, 1],
    ['r', 2, null],
  ]),
  ...txn(1, [['w', 1, BIG]]),
])

const events = (history: History): unknown[] =>
  [...history.operations()].map(({ process, f, type, key, input, output, node }) => ({
    process,
    f,
    type,
    key,
    input,
    output,
    node,
  }))

/** Jepsen's logs have no key, no node, and no more of an unknown outcome than that. */
const logged = (history: History): unknown[] =>
  [...history.operations()].map(({ process, f, type, input }) => ({ process, f, type, input }))

/** Sessions are numbered anew, in their order. */
const committed = (history: History): unknown[] => {
  const bySession = new Map<unknown, unknown[]>()
  for (const { process, type, output } of history.operations()) {
    if (type !== 'ok') continue
    const list = bySession.get(process) ?? []
    bySession.set(process, list)
    list.push(output)
  }
  return [...bySession.values()]
}

const named = (name: string) => FORMATS.find((format) => format.name === name)!

const EXAMPLES: readonly FormatExample[] = [
  {
    format: named('wavetank'),
    histories: [registers, rich, sessions],
    badLine: '{"type":"done"}',
    kept: events,
  },
  {
    format: named('jepsen-edn'),
    histories: [registers, rich, sessions],
    badLine: '{:type :done}',
    kept: events,
  },
  {
    format: named('jepsen-json'),
    histories: [registers, rich, sessions],
    badLine: '{"type":"done"}',
    kept: events,
  },
  {
    format: named('jepsen-jsonl'),
    histories: [registers, rich, sessions],
    badLine: '{"type":"done"}',
    kept: events,
  },
  { format: named('jepsen-log'), histories: [registers], badLine: 'no line of a log', kept: logged },
  { format: named('polysi'), histories: [sessions], badLine: 'x(1,2,3,4)', kept: committed },
  { format: named('polysi-json'), histories: [sessions], badLine: '{"s":1,"ev":7}', kept: committed },
  { format: named('dbcop'), histories: [sessions], badLine: '}', kept: committed },
  { format: named('awdit'), histories: [sessions], badLine: 'z 1 2', kept: committed },
]

describe('formats', () => {
  it('are all under contract', () => {
    expect(EXAMPLES.map(({ format }) => format.name).sort()).toEqual(FORMATS.map(({ name }) => name).sort())
  })
})

for (const example of EXAMPLES) formatContract(example)
