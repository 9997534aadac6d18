/**
 * Reading histories against `JSON.parse` on every line of the same file, and how long `wavetank check` takes from start
 * to end on a small one against `node -e 0`. The command is the built one (`npm run build`).
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { History, parseHistory, writeHistory, type HistoryEvent } from '../../src/history/index.ts'
import { parseMs } from './lines.ts'
import { compared, notMeasured, processorMs, type Row } from './row.ts'

function* keyedEvents(operations: number): Generator<HistoryEvent> {
  for (let i = 0; i < operations; i++) {
    const process = i % 10
    const write = i % 3 === 0
    const f = write ? 'write' : 'read'
    const key = i % 64
    yield { type: 'invoke', process, f, key, value: write ? i : null, time: 2 * i, faultEpoch: 0 }
    const value = write ? null : i
    yield { type: 'ok', process, f, key, value, time: 2 * i + 1, node: 'n1', timedOut: false }
  }
}

function inFolder<T>(body: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'wavetank-bench-'))
  try {
    return body(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export function reading(operations: number): Row {
  return inFolder((folder) => {
    const file = join(folder, 'history.jsonl')
    writeHistory(file, History.from(keyedEvents(operations)))
    const bytes = readFileSync(file)
    const peer = parseMs(bytes)
    const ours = processorMs(() => {
      if (parseHistory(bytes).length !== operations) throw new Error('operations are missing')
    })
    const what = `reading ${operations.toLocaleString('en')} operations`
    return { ...compared({ what, ours, peer, peerName: 'JSON.parse', bar: 0 }), bar: '–', met: null }
  })
}

const ROUNDS = 9

/** Wall time, alternating with the peer, the median of each: a process's own start cannot be seen from inside. */
export function start(): Row {
  const what = 'wavetank check on a small file'
  const program = join(import.meta.dirname, '../../dist/cli/main.js')
  if (!existsSync(program)) return notMeasured(what, '≤ 2.5', 'needs npm run build')
  return inFolder((folder) => {
    const small = join(folder, 'small.edn')
    writeFileSync(small, '{:process 0 :type :invoke :f :read}\n{:process 0 :type :ok :f :read :value 1}\n')
    const timed = (args: readonly string[]): number => {
      const begin = performance.now()
      spawnSync(process.execPath, args)
      return performance.now() - begin
    }
    const nothing: number[] = []
    const check: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      nothing.push(timed(['-e', '0']))
      check.push(timed([program, 'check', small, '--model', 'register']))
    }
    return compared({ what, ours: median(check), peer: median(nothing), peerName: 'node -e 0', bar: 2.5 })
  })
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
