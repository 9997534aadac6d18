import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { UsageError } from '../kernel/errors.ts'
import { readHistory } from './read.ts'
import { Recorder } from './recorder.ts'
import { HistoryWriter, writeHistory } from './write.ts'

const folder = mkdtempSync(join(tmpdir(), 'wavetank-history-'))
afterAll(() => rmSync(folder, { recursive: true }))

function clock(): () => number {
  let time = 0
  return () => (time += 10)
}

describe('the recorder', () => {
  it('records what happened, with the clock it was given', () => {
    const recorder = new Recorder({ now: clock(), faultEpoch: () => 2 })
    const write = recorder.begin({ process: 0, f: 'write', key: 'x', input: 1 })
    const read = recorder.begin({ process: 1, f: 'read', key: 'x' })
    read.ok(1, { node: 'n2' })
    write.timeOut()
    recorder.begin({ process: 2, f: 'read', key: 'x' })
    const [first, second, third] = recorder.history().operations()
    expect(first).toMatchObject({
      type: 'info',
      timedOut: true,
      error: 'timeout',
      invokeTime: 10,
      completeTime: 40,
    })
    expect(second).toMatchObject({ type: 'ok', output: 1, node: 'n2', faultEpoch: 2, timedOut: false })
    expect(third).toMatchObject({ type: 'info', completeTime: null, completeIndex: null })
  })

  it('gives a history that later events do not change', () => {
    const recorder = new Recorder({ now: clock() })
    const write = recorder.begin({ process: 0, f: 'write', input: 1 })
    const before = recorder.history()
    write.ok()
    recorder.begin({ process: 0, f: 'write', input: 2 })
    expect([...before.operations()]).toMatchObject([{ type: 'info', completeTime: null }])
    expect(recorder.history().length).toBe(2)
  })

  it('refuses a second completion', () => {
    const write = new Recorder({ now: clock() }).begin({ process: 0, f: 'write' })
    write.fail('no')
    expect(() => write.ok()).toThrow(UsageError)
  })
})

describe('history files', () => {
  it.each(['live.jsonl', 'live.jsonl.gz'])(
    '%s: events written as they happen are read back',
    async (name) => {
      const path = join(folder, name)
      const writer = new HistoryWriter(path)
      const recorder = new Recorder({ now: clock(), onEvent: (event) => writer.event(event) })
      for (let i = 0; i < 1000; i++) recorder.begin({ process: 0, f: 'write', input: { text: `ä${i}` } }).ok()
      writer.fault({ f: 'kill', value: 'n1', time: 99 })
      writer.sync()
      writer.close()
      const history = await readHistory(path)
      expect([...history.operations()]).toEqual([...recorder.history().operations()])
      expect(history.faults).toEqual([{ index: 2000, f: 'kill', value: 'n1', time: 99 }])
    },
  )

  it('every event is in the file as soon as it is recorded', () => {
    const path = join(folder, 'at-once.jsonl')
    const writer = new HistoryWriter(path)
    writer.event({ type: 'invoke', id: 0, process: 0, f: 'read' })
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3)
    writer.close()
  })

  it.each(['torn.jsonl', 'torn.jsonl.gz'])(
    '%s: a file cut off anywhere gives what came before',
    async (name) => {
      const path = join(folder, name)
      const recorder = new Recorder({ now: clock() })
      for (let i = 0; i < 5000; i++) recorder.begin({ process: 0, f: 'write', input: i }).ok()
      const whole = recorder.history()
      for (const share of [0.99, 0.7, 0.3, 0.05]) {
        writeHistory(path, whole)
        truncateSync(path, Math.floor(readFileSync(path).length * share))
        const history = await readHistory(path)
        expect(history.length).toBeGreaterThan(0)
        expect(history.length).toBeLessThan(5000)
        const codes = new Set<string>(history.problems.map(({ code }) => code))
        expect(codes.has('cut-off-gzip')).toBe(name.endsWith('.gz'))
        expect([...codes].every((code) => code === 'torn-last-line' || code === 'cut-off-gzip')).toBe(true)
        expect([...history.operations()].slice(0, -1)).toEqual(
          [...whole.operations()].slice(0, history.length - 1),
        )
      }
    },
  )

  it('says what is wrong with a file that is not there or not gzip', async () => {
    await expect(readHistory(join(folder, 'none'))).rejects.toMatchObject({
      code: 'ERR_WAVETANK_HISTORY_NOT_FOUND',
    })
    await expect(readHistory(folder)).rejects.toMatchObject({ code: 'ERR_WAVETANK_HISTORY_UNREADABLE' })
    const garbage = (async function* () {
      yield Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    })()
    await expect(readHistory(garbage)).rejects.toMatchObject({ code: 'ERR_WAVETANK_HISTORY_GZIP' })
  })

  it('an empty file is an empty history', async () => {
    const nothing = (async function* (): AsyncGenerator<Buffer> {})()
    expect((await readHistory(nothing)).length).toBe(0)
  })
})
