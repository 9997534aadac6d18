/**
 * The speed of the linearizability checker.
 *
 * - A register history with unique values against `JSON.parse` reading the same history line by line.
 * - Porcupine's 109 logs against Porcupine, when `PORCUPINE` names a checkout of github.com/anishathalye/porcupine and
 *   `go` is installed (WAVETANK_ORACLES names the logs).
 * - 5,000 operations on one CAS register over 5 values, 10 clients, 5 % unknown outcomes: how many of 20 histories, and
 *   of 20 with a planted stale read, are decided within ten times Porcupine's time for c10-ok without partition.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  casRegister,
  linearizable,
  map,
  register,
  type AnyModel,
} from '../../src/checkers/linearizable/index.ts'
import { parseHistory, type History } from '../../src/history/index.ts'
import { linesOf, load, parseMs } from './lines.ts'
import { registerEvents, registerHistory } from './register-histories.ts'
import { compared, leastMs, notMeasured, processorMs, showMs, type Row } from './row.ts'

/** Porcupine's c10-ok without partition on a quiet two-core machine, where it cannot be measured here. */
const RECORDED_C10_MS = 2100
const ROUNDS = 5

/** A register history of unique values against reading it as JSON, one event a line. */
export function uniqueRegister(operations: number): Row {
  const bytes = linesOf((visit) => {
    const options = { seed: 1, operations, clients: 10, unknownPpm: 10_000, staleRead: null }
    for (const event of registerEvents({ ...options, values: 'unique' })) visit(event)
  })
  const history = load(bytes)
  const peer = Math.min(parseMs(bytes), parseMs(bytes), parseMs(bytes))
  const ours = leastMs(3, () => {
    if (linearizable(history, register()).verdict !== 'valid') throw new Error('expected a valid history')
  })
  const what = `register, ${operations.toLocaleString('en')} operations, unique values`
  return compared({ what, ours, peer, peerName: 'JSON.parse', bar: 0.5 })
}

interface Log {
  readonly file: string
  readonly model: 'cas-register' | 'kv'
  readonly history: History
}

const CHECKED: Readonly<Record<Log['model'], AnyModel>> = {
  'cas-register': casRegister(),
  kv: map({ absent: '' }),
}

function porcupineLogs(folder: string): Log[] {
  const verdicts = JSON.parse(readFileSync(join(folder, 'verdicts.json'), 'utf8')) as Record<
    'jepsen' | 'kv',
    { file: string }[]
  >
  const load = (file: string, format: string): History =>
    parseHistory(readFileSync(join(folder, file)), { format })
  return [
    ...verdicts.jepsen.map(({ file }): Log => ({
      file,
      model: 'cas-register',
      history: load(file, 'jepsen-log'),
    })),
    ...verdicts.kv.map(({ file }): Log => ({ file, model: 'kv', history: load(file, 'jepsen-edn') })),
  ]
}

interface PorcupineResult {
  readonly file: string
  readonly verdict: string
  readonly ms: number
}

/** Beside this file, or in `bench` of the working folder where this file was bundled elsewhere. */
function driverSource(): string {
  const beside = join(import.meta.dirname, 'porcupine/main.go')
  return existsSync(beside) ? beside : resolve('bench/checkers/porcupine/main.go')
}

/** Runs Porcupine on the logs, and on c10-ok without partition. */
function runPorcupine(checkout: string, logs: readonly Log[]): PorcupineResult[] {
  const folder = mkdtempSync(join(tmpdir(), 'porcupine-driver-'))
  try {
    writeFileSync(join(folder, 'main.go'), readFileSync(driverSource()))
    writeFileSync(
      join(folder, 'go.mod'),
      `module driver\n\ngo 1.16\n\nrequire github.com/anishathalye/porcupine v0.0.0\n\nreplace github.com/anishathalye/porcupine => ${resolve(checkout)}\n`,
    )
    const build = spawnSync('go', ['build', '-o', 'driver', '.'], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off' },
    })
    if (build.status !== 0) throw new Error(`go build: ${build.stderr}`)
    const cases = logs.map(({ file, model, history }) => ({
      file,
      model,
      rounds: ROUNDS,
      events: eventsOf(history),
    }))
    const c10 = logs.find(({ file }) => file.endsWith('c10-ok.txt'))
    if (c10 !== undefined)
      cases.push({
        file: 'c10-ok whole',
        model: 'kv-whole' as Log['model'],
        rounds: 1,
        events: eventsOf(c10.history),
      })
    const run = spawnSync(join(folder, 'driver'), {
      input: JSON.stringify(cases),
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    })
    if (run.status !== 0) throw new Error(`driver: ${run.stderr}`)
    return JSON.parse(run.stdout) as PorcupineResult[]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Events as the driver takes them; what is unknown returns at the end. */
function eventsOf(history: History): unknown[] {
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null))
  const events: unknown[] = []
  const late: unknown[] = []
  for (const event of history.events()) {
    const operation = history.operation(Math.floor(event / 2))
    const { id, f, key, input, output, type } = operation
    if (type === 'fail') continue
    const [a, b] = f === 'cas' ? (input as unknown[]).map(text) : [text(input), '']
    const base = {
      id,
      op: f,
      key: text(key),
      a,
      b,
      output: text(output),
      matched: output !== false,
      unknown: type === 'info',
    }
    if (event % 2 === 0) {
      events.push({ ...base, return: false })
      if (type === 'info') late.push({ ...base, return: true })
    } else if (type !== 'info') events.push({ ...base, return: true })
  }
  return [...events, ...late]
}

const LOGS = "Porcupine's logs, all together"

/** What Porcupine takes for c10-ok without partition, which is a limit elsewhere; null where it was not measured. */
export interface PorcupineBench {
  readonly row: Row
  readonly c10Ms: number | null
}

/** Total over all logs, each side's best round of each log. Verdicts must agree. */
export function porcupineLogsBench(): PorcupineBench {
  const folder = join(oracles(), 'porcupine')
  const checkout = process.env.PORCUPINE
  if (checkout === undefined || !existsSync(folder)) {
    const why = 'needs PORCUPINE (a checkout), WAVETANK_ORACLES (its logs) and go'
    return { row: notMeasured(LOGS, '≤ 0.5', why), c10Ms: null }
  }
  const logs = porcupineLogs(folder)
  const theirs = runPorcupine(checkout, logs)
  let ours = 0
  let peer = 0
  for (const { file, model, history } of logs) {
    let verdict = ''
    ours += leastWallMs(ROUNDS, () => (verdict = linearizable(history, CHECKED[model]).verdict))
    const other = theirs.find((result) => result.file === file)!
    peer += other.ms
    const valid = history.length === 0 ? 'unknown' : 'valid' // one log is empty: nothing to check is no pass here
    const expected = other.verdict === 'Ok' ? valid : 'invalid'
    if (verdict !== expected) throw new Error(`${file}: ${verdict}, Porcupine says ${other.verdict}`)
  }
  const row = compared({
    what: LOGS,
    ours,
    peer,
    peerName: 'Porcupine',
    bar: 0.5,
    note: `${logs.length} logs, wall time`,
  })
  return { row, c10Ms: theirs.find(({ file }) => file === 'c10-ok whole')!.ms }
}

function oracles(): string {
  return process.env.WAVETANK_ORACLES ?? join(import.meta.dirname, '../../../shared/oracles')
}

/** Porcupine's driver can only tell wall time, so ours is compared by it too. */
function leastWallMs(rounds: number, work: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < rounds; i++) {
    const begin = performance.now()
    work()
    least = Math.min(least, performance.now() - begin)
  }
  return least
}

export interface CasRegisters {
  readonly histories: number
  readonly unknownPpm: number
  /** In which part of the history a stale read is planted; null for a valid history. */
  readonly staleRead: readonly [from: number, to: number] | null
  readonly c10Ms: number | null
}

/** How many histories on one CAS register are decided in time and in 1 GB. */
export function casRegisters({ histories, unknownPpm, staleRead, c10Ms }: CasRegisters): Row {
  const limitMs = 10 * (c10Ms ?? RECORDED_C10_MS)
  const verdicts: Record<string, number> = { valid: 0, invalid: 0, unknown: 0 }
  let slowestMs = 0
  for (let seed = 1; seed <= histories; seed++) {
    const history = registerHistory({
      seed,
      operations: 5000,
      clients: 10,
      values: 5,
      unknownPpm,
      staleRead,
    })
    const check = () =>
      verdicts[linearizable(history, casRegister(), { timeoutWallMs: limitMs, memoryMb: 1024 }).verdict]++
    slowestMs = Math.max(slowestMs, processorMs(check))
  }
  const decided = histories - verdicts.unknown
  const least = Math.ceil(histories * (staleRead === null ? 1 : 0.9))
  const planted =
    staleRead === null ? 'valid' : `stale read at ${staleRead.map((at) => at * 100).join('–')} %`
  return {
    what: `CAS register, ${unknownPpm / 10_000} % unknown, ${planted}`,
    ours: `${decided} of ${histories} decided`,
    peer: `10 × c10-ok ${showMs(limitMs)}`,
    ratio: null,
    bar: `≥ ${least} of ${histories}`,
    met: decided >= least,
    note: `${verdicts.valid} valid, ${verdicts.invalid} invalid; slowest ${showMs(slowestMs)}${c10Ms === null ? '; limit as recorded, Porcupine was not run' : ''}`,
  }
}
