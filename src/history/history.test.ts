import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { FAIL, History, INFO, NEVER, OK } from './history.ts'
import type { HistoryEvent } from './operation.ts'

const WRITE_THEN_READ: HistoryEvent[] = [
  { type: 'invoke', process: 0, f: 'write', value: 1, time: 10 },
  { type: 'invoke', process: 1, f: 'read', time: 11 },
  { type: 'ok', process: 0, f: 'write', value: 1, time: 12 },
  { type: 'ok', process: 1, f: 'read', value: 1, time: 13, node: 'n2' },
]

describe('a history', () => {
  it('pairs invocations with completions and keeps nulls', () => {
    const history = History.from(WRITE_THEN_READ)
    expect(history.length).toBe(2)
    expect(history.operation(1)).toEqual({
      id: 1,
      process: 1,
      type: 'ok',
      f: 'read',
      key: null,
      input: null,
      output: 1,
      error: null,
      timedOut: null,
      invokeTime: 11,
      completeTime: 13,
      invokeIndex: 1,
      completeIndex: 3,
      node: 'n2',
      faultEpoch: null,
    })
    expect(history.problems).toEqual([])
  })

  it('comes back the same from its own operations', () => {
    const history = History.from(WRITE_THEN_READ)
    const again = History.from([...history.operations()].reverse())
    expect([...again.operations()]).toEqual([...history.operations()])
  })

  it('gives an operation without completion an unknown outcome that may end after everything', () => {
    const history = History.from([
      { type: 'invoke', process: 0, f: 'write', value: 1 },
      { type: 'invoke', process: 1, f: 'write', value: 2 },
      { type: 'fail', process: 1, f: 'write' },
    ])
    expect([...history.type]).toEqual([INFO, FAIL])
    expect(history.operation(0).completeIndex).toBeNull()
    expect([history.endOf(0), history.endOf(1)]).toEqual([NEVER, 2])
  })

  it('lists its events in order, also in a small part of it', () => {
    const history = History.from(WRITE_THEN_READ)
    expect([...history.events()]).toEqual([0, 2, 1, 3])
    const many: HistoryEvent[] = []
    for (let i = 0; i < 100; i++) many.push({ type: 'invoke', process: i, f: 'read' })
    for (let i = 99; i >= 0; i--) many.push({ type: 'ok', process: i, f: 'read' })
    const part = History.from(many).select([3, 40])
    expect([...part.events()]).toEqual([0, 2, 3, 1])
    expect([part.operation(1).id, part.operation(1).completeIndex]).toEqual([40, 159])
  })

  it('splits by key, and keys of equal value are one key', () => {
    const history = History.from(
      [['a'], ['b'], ['a'], 'a'].map((key, process) => ({
        type: 'invoke' as const,
        process,
        f: 'read',
        key,
      })),
    )
    expect([...history.byKey()].map(([key, part]) => [key, part.length])).toEqual([
      [['a'], 2],
      [['b'], 1],
      ['a', 1],
    ])
  })

  it('counts fault events as epochs of what follows', async () => {
    const { HistoryBuilder } = await import('./history-builder.ts')
    const builder = new HistoryBuilder()
    builder.event({ type: 'invoke', process: 0, f: 'read' })
    builder.fault({ time: 1, f: 'start-partition', value: null })
    builder.event({ type: 'invoke', process: 1, f: 'read' })
    const history = builder.finish()
    expect([...history.faultEpoch]).toEqual([-1, 1])
    expect(history.faults).toEqual([{ index: 1, time: 1, f: 'start-partition', value: null }])
    expect(history.operation(1).invokeIndex).toBe(2)
  })
})

describe('problems of a history', () => {
  const codes = (events: HistoryEvent[]) =>
    History.from(events).problems.map(({ code, event }) => [code, event])

  it('names a completion without invocation, and places its beginning before everything', () => {
    const events: HistoryEvent[] = [{ type: 'ok', process: 0, f: 'read', value: 1 }]
    expect(codes(events)).toEqual([['completion-without-invocation', 0]])
    const history = History.from(events)
    expect([history.type[0], history.invokeIndex[0], history.completeIndex[0]]).toEqual([OK, -1, 0])
  })

  it('names a client that begins while its last operation is open', () => {
    const open = { type: 'invoke', process: 0, f: 'read' } as const
    expect(codes([open, open])).toEqual([['double-invoke', 1]])
    expect(codes([open, { type: 'info', process: 0 }, open])).toEqual([])
  })

  it('names an operation id that begins or completes twice', () => {
    const begin = { type: 'invoke', id: 7, f: 'read' } as const
    const end = { type: 'ok', id: 7, f: 'read' } as const
    expect(codes([{ ...begin, process: 0 }, end, { ...begin, process: 1 }])).toEqual([
      ['duplicate-operation', 2],
    ])
    expect(codes([begin, end, end])).toEqual([['duplicate-operation', 2]])
    const history = History.from([{ ...begin, process: 0 }, end, { ...begin, process: 1 }])
    expect([...history.id]).toEqual([7, -2])
  })

  it('names a time that goes back and an answer to a timed-out operation', () => {
    const begin = { type: 'invoke', process: 0, f: 'read', time: 5 } as const
    expect(codes([begin, { type: 'ok', process: 0, time: 4 }])).toEqual([['time-goes-back', 1]])
    expect(codes([begin, { type: 'info', process: 0, timedOut: true, value: 3 }])).toEqual([
      ['output-of-timed-out-operation', 1],
    ])
  })
})

/** Bytes in use once garbage is collected. */
function memory(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

describe('memory', () => {
  it('holds a million operations in less than 200 MB', () => {
    function* events(): Generator<HistoryEvent> {
      for (let i = 0; i < 1_000_000; i++) {
        const write = i % 2 === 0
        const f = write ? 'write' : 'read'
        const process = i % 10
        yield {
          type: 'invoke',
          process,
          f,
          key: i % 100,
          value: write ? i : null,
          time: i * 2,
          faultEpoch: 0,
        }
        yield {
          type: 'ok',
          process,
          f,
          value: write ? null : i - 1,
          time: i * 2 + 1,
          node: 'n1',
          timedOut: false,
        }
      }
    }
    const before = memory()
    const history = History.from(events())
    const bytes = memory() - before
    expect(history.operation(999_999)).toMatchObject({ f: 'read', output: 999_998 })
    // Two event indexes and two times alone take 24 bytes: less would mean that nothing was measured.
    expect(bytes).toBeGreaterThan(24e6)
    expect(bytes).toBeLessThan(200e6)
  })
})
