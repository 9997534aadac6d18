/**
 * Reading histories, and how long `wavetank check` takes to start. Peers in the same run: `JSON.parse` on every line of
 * the same file, and `node -e 0`. Needs a build (`npm run build`) for the command.
 *
 *     node bench/history.ts [operations]
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { History, readHistory, writeHistory, type HistoryEvent } from '../src/history/index.ts'

const OPERATIONS = Number(process.argv[2] ?? 1_000_000)
const ROUNDS = 9

function* registerEvents(operations: number): Generator<HistoryEvent> {
  for (let i = 0; i < operations; i++) {
    const process = i % 10
    const write = i % 3 === 0
    const f = write ? 'write' : 'read'
    yield { type: 'invoke', process, f, key: i % 64, value: write ? i : null, time: 2 * i, faultEpoch: 0 }
    yield {
      type: 'ok',
      process,
      f,
      key: i % 64,
      value: write ? null : i,
      time: 2 * i + 1,
      node: 'n1',
      timedOut: false,
    }
  }
}

/** Milliseconds. */
async function timed(body: () => unknown): Promise<number> {
  const start = performance.now()
  await body()
  return performance.now() - start
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
}

const folder = mkdtempSync(join(tmpdir(), 'wavetank-bench-'))
try {
  const file = join(folder, 'history.jsonl')
  writeHistory(file, History.from(registerEvents(OPERATIONS)))
  const parse = await timed(() => {
    const text = readFileSync(file, 'latin1')
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      JSON.parse(text.slice(start, end))
      start = end + 1
    }
  })
  let operations = 0
  const read = await timed(async () => (operations = (await readHistory(file)).length))
  console.log(`read ${operations} operations: ${(read / parse).toFixed(2)} × JSON.parse by line`)

  const program = join(import.meta.dirname, '../dist/cli/main.js')
  if (existsSync(program)) {
    const small = join(folder, 'small.edn')
    writeFileSync(small, '{:process 0 :type :invoke :f :read}\n{:process 0 :type :ok :f :read :value 1}\n')
    const run = (args: readonly string[]) => timed(() => spawnSync(process.execPath, args))
    const [nothing, check]: number[][] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      nothing.push(await run(['-e', '0']))
      check.push(await run([program, 'check', small, '--model', 'register']))
    }
    const ratio = median(check) / median(nothing)
    console.log(`wavetank check on a small file: ${ratio.toFixed(2)} × node -e 0 (at most 2.5 is asked for)`)
  } else console.log('wavetank check: not measured, dist/ is missing (npm run build)')
} finally {
  rmSync(folder, { recursive: true })
}
