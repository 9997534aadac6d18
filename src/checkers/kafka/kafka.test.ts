import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { History } from '../../history/history.ts'
import type { HistoryEvent } from '../../history/operation.ts'
import { everyRun, FULL, sequence, together, types, type CorrectObject } from '../histories.test-support.ts'
import { kafka } from './index.ts'

type Micro = readonly unknown[]
type Type = 'ok' | 'fail' | 'info'

const send = (...pairs: readonly (readonly [string, number | null, unknown])[]): Micro[] =>
  pairs.map(([key, offset, value]) => ['send', key, offset === null ? value : [offset, value]])
const poll = (messages: Record<string, readonly (readonly [number, unknown])[]>): Micro[] => [
  ['poll', messages],
]
const op = (process: number, output: readonly Micro[], type: Type = 'ok') => ({
  f: 'txn',
  process,
  type,
  input: output.map(([f, key, value]) =>
    f === 'send' ? [f, key, Array.isArray(value) ? value[1] : value] : [f],
  ),
  output,
})

const A0 = send(['x', 0, 'a'])
const AB = send(['x', 0, 'a'], ['x', 1, 'b'])
const ABC = send(['x', 0, 'a'], ['x', 1, 'b'], ['x', 2, 'c'])

describe('kafka', () => {
  it('is valid when everything sent is polled in order', () => {
    const history = sequence(op(0, AB), op(1, poll({ x: [[0, 'a']] })), op(1, poll({ x: [[1, 'b']] })))
    expect(kafka(history)).toMatchObject({ verdict: 'valid', details: { keys: 1, messages: 2, unseen: 0 } })
  })

  it.each([
    ['G1a', sequence(op(0, send(['x', null, 'a']), 'fail'), op(1, poll({ x: [[0, 'a']] })))],
    [
      'unexpected',
      sequence(
        op(0, A0),
        op(
          1,
          poll({
            x: [
              [0, 'a'],
              [1, 'z'],
            ],
          }),
        ),
      ),
    ],
    [
      'inconsistent-offsets',
      sequence(
        op(0, A0),
        op(0, send(['x', 0, 'b'])),
        op(
          1,
          poll({
            x: [
              [0, 'a'],
              [0, 'b'],
            ],
          }),
        ),
      ),
    ],
    [
      'duplicate',
      sequence(
        op(0, A0),
        op(
          1,
          poll({
            x: [
              [0, 'a'],
              [1, 'a'],
            ],
          }),
        ),
      ),
    ],
    ['lost-write', sequence(op(0, A0), op(0, send(['x', 1, 'b'])), op(1, poll({ x: [[1, 'b']] })))],
    [
      'int-poll-skip',
      sequence(
        op(0, ABC),
        op(
          1,
          poll({
            x: [
              [0, 'a'],
              [2, 'c'],
            ],
          }),
        ),
        op(2, poll({ x: [[1, 'b']] })),
      ),
    ],
    [
      'int-nonmonotonic-poll',
      sequence(
        op(0, AB),
        op(
          1,
          poll({
            x: [
              [1, 'b'],
              [0, 'a'],
            ],
          }),
        ),
      ),
    ],
    [
      'int-nonmonotonic-send',
      sequence(
        op(0, send(['x', 1, 'b'], ['x', 0, 'a'])),
        op(
          1,
          poll({
            x: [
              [0, 'a'],
              [1, 'b'],
            ],
          }),
        ),
      ),
    ],
    [
      'poll-skip',
      sequence(
        op(0, ABC),
        op(1, poll({ x: [[0, 'a']] })),
        op(1, poll({ x: [[2, 'c']] })),
        op(2, poll({ x: [[1, 'b']] })),
      ),
    ],
    [
      'nonmonotonic-poll',
      sequence(
        op(0, AB),
        op(
          1,
          poll({
            x: [
              [0, 'a'],
              [1, 'b'],
            ],
          }),
        ),
        op(1, poll({ x: [[0, 'a']] })),
      ),
    ],
    [
      'nonmonotonic-send',
      sequence(
        op(0, send(['x', 1, 'b'])),
        op(0, A0),
        op(
          1,
          poll({
            x: [
              [0, 'a'],
              [1, 'b'],
            ],
          }),
        ),
      ),
    ],
    ['precommitted-read', sequence(op(0, [...A0, ...poll({ x: [[0, 'a']] })]))],
    [
      'G1c',
      together(
        op(0, [...A0, ...poll({ y: [[0, 'b']] })]),
        op(1, [...send(['y', 0, 'b']), ...poll({ x: [[0, 'a']] })]),
      ),
    ],
    ['G1c-realtime', sequence(op(1, poll({ x: [[0, 'a']] })), op(0, A0))],
    ['G1c-process', processCycle()],
  ])('finds %s', (type, history) => {
    const result = kafka(history)
    expect(result.verdict).toBe('invalid')
    expect(types(result)).toContain(type)
  })

  it.each([
    ['G0', together(op(0, send(['x', 0, 'a'], ['y', 1, 'a'])), op(1, send(['x', 1, 'b'], ['y', 0, 'b'])))],
    ['G0-process', sequence(op(0, send(['x', 1, 'b'])), op(0, A0))],
    ['G0-realtime', sequence(op(0, send(['x', 1, 'b'])), op(1, A0))],
  ])('finds %s where write order counts, and tolerates it', (type, history) => {
    const tolerated = (wwDeps: boolean) =>
      kafka(history, { wwDeps }).details['tolerated'] as readonly { type: string }[]
    expect(tolerated(true).map((anomaly) => anomaly.type)).toContain(type)
    expect(tolerated(false).map((anomaly) => anomaly.type)).not.toContain(type)
    expect(types(kafka(history, { wwDeps: true }))).not.toContain(type)
  })

  it('tolerates what Kafka does not promise, and lists it', () => {
    const gap = sequence(
      op(0, send(['x', 0, 'a'], ['x', 2, 'c'])),
      op(1, send(['x', 1, 'b'])),
      op(
        2,
        poll({
          x: [
            [0, 'a'],
            [1, 'b'],
            [2, 'c'],
          ],
        }),
      ),
    )
    expect(kafka(gap)).toMatchObject({
      verdict: 'valid',
      details: { tolerated: [{ type: 'int-send-skip' }] },
    })
    const subscribed = sequence(
      { f: 'subscribe', process: 1, input: ['x'], output: ['x'] },
      op(0, AB),
      op(
        1,
        poll({
          x: [
            [0, 'a'],
            [1, 'b'],
          ],
        }),
      ),
      op(1, poll({ x: [[0, 'a']] })),
    )
    expect(kafka(subscribed).verdict).toBe('valid')
    expect(kafka(subscribed, { subscribe: false }).verdict).toBe('invalid')
  })

  it('finds an unseen message where the workload drained, and else does not know', () => {
    const history = sequence(op(0, AB), op(1, poll({ x: [[0, 'a']] })))
    expect(kafka(history)).toMatchObject({
      verdict: 'unknown',
      reason: '1 acknowledged messages were never polled',
    })
    expect(types(kafka(history, { drained: true }))).toEqual(['unseen'])
  })

  it('does not hold a send of unknown outcome against the log, until a client has seen it', () => {
    const maybe = op(0, send(['x', 0, 'a'], ['y', 0, 'b']), 'info')
    const other = op(1, send(['x', 0, 'z']))
    const seen = op(2, poll({ x: [[0, 'z']] }))
    expect(kafka(sequence(maybe, other, seen)).verdict).toBe('valid')
    expect(types(kafka(sequence(maybe, other, seen, op(3, poll({ y: [[0, 'b']] })))))).toEqual([
      'inconsistent-offsets',
    ])
  })

  it('lets a poll of unknown outcome have moved the client or not', () => {
    const first = op(1, poll({ x: [[0, 'a']] }))
    const unknown = op(1, poll({ x: [[1, 'b']] }), 'info')
    const rest = op(
      2,
      poll({
        x: [
          [0, 'a'],
          [1, 'b'],
          [2, 'c'],
        ],
      }),
    )
    const after = (...next: [number, string][]) =>
      sequence(op(0, ABC), first, unknown, op(1, poll({ x: next })), rest)
    expect(types(kafka(after([1, 'b'], [2, 'c'])))).toEqual([])
    expect(types(kafka(after([2, 'c'])))).toEqual([])
    expect(types(kafka(after([0, 'a'])))).toEqual(['nonmonotonic-poll'])
  })

  it('does not know whether a message is lost that an unknown poll may have seen, unless the log was drained', () => {
    const history = sequence(
      op(0, ABC),
      op(1, poll({ x: [[0, 'a']] })),
      { f: 'poll', process: 1, input: [['poll']], type: 'info' },
      op(1, poll({ x: [[2, 'c']] })),
    )
    expect(kafka(history)).toMatchObject({ details: { possiblyLost: 1 } })
    expect(types(kafka(history))).toEqual([])
    expect(types(kafka(history, { drained: true }))).toContain('lost-write')
  })

  it('survives garbage', () => {
    for (const value of [
      null,
      7,
      'x',
      [null],
      [['send']],
      [['poll', 3]],
      [['poll', { x: 3 }]],
      [['poll', { x: [1, [2]] }]],
    ]) {
      expect(kafka(sequence({ f: 'txn', input: value, output: value })).anomalies).toEqual([])
    }
  })

  it('never calls a correct log invalid', () => {
    const correct = correctLog((serial) => `v${serial}`)
    everyRun(correct, (history) => expect(kafka(history, { wwDeps: true }).anomalies).toEqual([]))
  })

  it('never calls a correct log invalid whose clients send a value again, as a retry does', () => {
    let unknown = 0
    everyRun(
      correctLog((serial) => serial % 5),
      (history) => {
        const { verdict, anomalies } = kafka(history, { wwDeps: true })
        expect(anomalies).toEqual([])
        if (verdict === 'unknown') unknown++
      },
    )
    expect(unknown).toBeGreaterThan(10)
  })

  it('finds a cycle exactly where comparing all pairs finds one', () => {
    let cycles = 0
    fc.assert(
      fc.property(fc.array(fc.nat(999), { minLength: 4, maxLength: 24, size: 'max' }), (draws) => {
        const history = randomReads(draws)
        const { counts } = kafka(history).details as { counts: Record<string, number> }
        const expected = cyclesByPairs(history)
        if (expected.realtime) cycles++
        expect('G1c' in counts).toBe(expected.plain)
        expect('G1c' in counts || 'G1c-process' in counts || 'G1c-realtime' in counts).toBe(expected.realtime)
      }),
      { numRuns: FULL ? 20_000 : 1000 },
    )
    expect(cycles).toBeGreaterThan(10)
  })
})

/** One client polls a, then sends b; another sends a and polls b, all the while. */
function processCycle(): History {
  const [reader, writer] = [op(0, poll({ x: [[0, 'a']] })), op(0, send(['y', 0, 'b']))]
  const other = op(1, [...A0, ...poll({ y: [[0, 'b']] })])
  const event = (type: 'invoke' | 'ok', { input, output, process }: typeof other): HistoryEvent => {
    return { type, f: 'txn', process, value: type === 'invoke' ? input : output }
  }
  return History.from([
    event('invoke', other),
    event('invoke', reader),
    event('ok', reader),
    event('invoke', writer),
    event('ok', writer),
    event('ok', other),
  ])
}

/** Two partitions; consumers read on from where they are. No client reads what it is writing. */
const correctLog = (
  valueOf: (serial: number) => unknown,
): CorrectObject<{ logs: unknown[][]; at: Map<string, number> }> => ({
  init: () => ({ logs: [[], []], at: new Map() }),
  ask: (draw, serial) =>
    draw % 2 === 0
      ? { f: 'send', input: [['send', String((draw >> 1) % 2), valueOf(serial)]] }
      : { f: 'poll', input: [['poll']] },
  apply({ logs, at }, f, input, process) {
    if (f === 'send') {
      return (input as [string, string, unknown][]).map(([, key, value]) => [
        'send',
        key,
        [logs[Number(key)].push(value) - 1, value],
      ])
    }
    const messages: Record<string, unknown> = {}
    logs.forEach((log, key) => {
      const from = at.get(`${process} ${key}`) ?? 0
      messages[key] = log.slice(from, from + 3).map((value, i) => [from + i, value])
      at.set(`${process} ${key}`, Math.min(log.length, from + 3))
    })
    return [['poll', messages]]
  },
})

/** Transactions that send one message each and poll messages of others, before or after those were sent. */
function randomReads(draws: readonly number[]): History {
  const count = Math.max(2, Math.floor(draws.length / 4))
  const begun: HistoryEvent[] = []
  const events: HistoryEvent[] = []
  for (let i = 0; i < count; i++) {
    const [other, overlap, read] = [draws[i] % count, draws[count + i] % 2, draws[2 * count + i] % 2]
    const polled = other === i || read === 0 ? {} : { [`k${other}`]: [[0, `v${other}`]] }
    const value = [
      ['send', `k${i}`, [0, `v${i}`]],
      ['poll', polled],
    ]
    const invoke: HistoryEvent = {
      type: 'invoke',
      process: i,
      f: 'txn',
      value: [['send', `k${i}`, `v${i}`], ['poll']],
    }
    if (overlap === 0) begun.push(invoke)
    else events.push(invoke)
    events.push({ type: 'ok', process: i, f: 'txn', value })
  }
  return History.from([...begun, ...events])
}

function cyclesByPairs(history: History): { plain: boolean; realtime: boolean } {
  const ops = [...history.operations()]
  const reads = ops.map(({ output }) =>
    Object.keys((output as [unknown, [string, object]])[1][1]).map((key) => Number(key.slice(1))),
  )
  const position = (process: number) => ops.findIndex((one) => one.process === process)
  const wr = ops.map((_, i) => ops.map((__, j) => reads[j].some((process) => position(process) === i)))
  const order = ops.map((a) => ops.map((b) => a.completeIndex! < b.invokeIndex))
  /** Whether some wr edge lies on a cycle of these edges. */
  const cyclic = (edges: boolean[][]) => {
    const reach = edges.map((row) => [...row])
    reach.forEach((_, k) =>
      reach.forEach((row, i) => row.forEach((__, j) => (reach[i][j] ||= reach[i][k] && reach[k][j]))),
    )
    return wr.some((row, i) => row.some((edge, j) => edge && reach[j][i]))
  }
  return {
    plain: cyclic(wr),
    realtime: cyclic(wr.map((row, i) => row.map((edge, j) => edge || order[i][j]))),
  }
}
