/**
 * The speed of the linearizability checker; every figure is a ratio against a peer measured in the same run. Run with
 * `node --import ./scripts/typescript.mjs bench/checkers-linearizability.ts`, or after a build.
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
} from '../src/checkers/linearizable/index.ts'
import { HistoryBuilder, parseHistory, type History } from '../src/history/index.ts'
import { registerEvents, registerHistory } from './linearizability-histories.ts'

/** Porcupine's c10-ok without partition on a quiet two-core machine, where it cannot be measured here. */
const RECORDED_C10_MS = 2100
const ROUNDS = 5

export interface BenchLine {
  readonly name: string
  readonly ours: number
  readonly peer: number
  readonly peerName: string
  /** Ours over the peer's. */
  readonly ratio: number
  readonly bar: number
}

function best(rounds: number, run: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < rounds; i++) {
    const begin = performance.now()
    run()
    least = Math.min(least, performance.now() - begin)
  }
  return least
}

/** A register history of unique values against reading it as JSON, one event a line. */
export function uniqueRegister(operations: number): BenchLine {
  const events = registerEvents({
    seed: 1,
    operations,
    clients: 10,
    values: 'unique',
    unknownPpm: 10_000,
    staleRead: null,
  })
  const lines = events.map((event) => JSON.stringify(event))
  const builder = new HistoryBuilder()
  for (const event of events) builder.event(event)
  const history = builder.finish()
  let read = 0
  const peer = best(3, () => {
    for (const line of lines) read += (JSON.parse(line) as { process: number }).process
  })
  const ours = best(3, () => {
    if (linearizable(history, register()).verdict !== 'valid' || read < 0)
      throw new Error('expected a valid history')
  })
  return {
    name: `register, ${operations} operations`,
    ours,
    peer,
    peerName: 'JSON.parse',
    ratio: ours / peer,
    bar: 0.5,
  }
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
  return existsSync(beside) ? beside : resolve('bench/porcupine/main.go')
}

/** Runs Porcupine on the logs, and on c10-ok without partition; null when it is not there. */
function runPorcupine(checkout: string, logs: readonly Log[]): PorcupineResult[] | null {
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

/** Total over all logs, each side's best round of each log. Verdicts must agree. */
export function porcupineBench(oracles: string, checkout: string): { line: BenchLine; c10Ms: number } | null {
  const folder = join(oracles, 'porcupine')
  if (!existsSync(folder) || !existsSync(join(checkout, 'go.mod'))) return null
  const logs = porcupineLogs(folder)
  const theirs = runPorcupine(checkout, logs)
  if (theirs === null) return null
  let ours = 0
  let peer = 0
  for (const { file, model, history } of logs) {
    let verdict = ''
    ours += best(ROUNDS, () => (verdict = linearizable(history, CHECKED[model]).verdict))
    const other = theirs.find((result) => result.file === file)!
    peer += other.ms
    const expected = other.verdict === 'Ok' ? 'valid' : 'invalid'
    if (verdict !== expected) throw new Error(`${file}: ${verdict}, Porcupine says ${other.verdict}`)
  }
  const line = {
    name: `Porcupine's ${logs.length} logs`,
    ours,
    peer,
    peerName: 'Porcupine',
    ratio: ours / peer,
    bar: 0.5,
  }
  return { line, c10Ms: theirs.find(({ file }) => file === 'c10-ok whole')!.ms }
}

export interface DecidedLine {
  readonly name: string
  readonly decided: number
  readonly of: number
  readonly bar: number
  readonly verdicts: Readonly<Record<string, number>>
  readonly slowestMs: number
  readonly limitMs: number
}

/** How many histories on one CAS register are decided in time and in 1 GB. */
export function casRegisters(
  unknownPpm: number,
  staleRead: readonly [number, number] | null,
  limitMs: number,
): DecidedLine {
  const verdicts: Record<string, number> = { valid: 0, invalid: 0, unknown: 0 }
  let slowestMs = 0
  for (let seed = 1; seed <= 20; seed++) {
    const history = registerHistory({
      seed,
      operations: 5000,
      clients: 10,
      values: 5,
      unknownPpm,
      staleRead,
    })
    const begin = performance.now()
    verdicts[linearizable(history, casRegister(), { timeoutMs: limitMs, memoryMb: 1024 }).verdict]++
    slowestMs = Math.max(slowestMs, performance.now() - begin)
  }
  const where =
    staleRead === null
      ? ''
      : `, a stale read planted at ${staleRead.map((part) => `${part * 100} %`).join(' to ')}`
  const decided = 20 - verdicts.unknown
  return {
    name: `CAS register, ${unknownPpm / 10_000} % unknown${where}`,
    decided,
    of: 20,
    bar: staleRead === null ? 20 : 18,
    verdicts,
    slowestMs,
    limitMs,
  }
}

export function linearizabilityBench(print: (text: string) => void = console.log): void {
  const report = ({ name, ours, peer, peerName, ratio, bar }: BenchLine): void =>
    print(
      `${name}: ${ours.toFixed(0)} ms, ${peerName} ${peer.toFixed(0)} ms, ratio ${ratio.toFixed(2)} (bar ${bar})`,
    )
  report(uniqueRegister(Number(process.env.OPERATIONS ?? 1_000_000)))
  const oracles = process.env.WAVETANK_ORACLES ?? join(import.meta.dirname, '../../shared/oracles')
  const porcupine =
    process.env.PORCUPINE === undefined ? null : porcupineBench(oracles, process.env.PORCUPINE)
  if (porcupine === null)
    print("Porcupine's logs: skipped, set PORCUPINE to a checkout and WAVETANK_ORACLES to the logs")
  else report(porcupine.line)
  const limitMs = 10 * (porcupine?.c10Ms ?? RECORDED_C10_MS)
  const middle = [0.2, 0.8] as const
  const start = [0, 0.004] as const
  for (const [unknownPpm, staleRead] of [
    [50_000, null],
    [50_000, middle],
    [50_000, start],
    [5_000, middle],
    [0, middle],
  ] as const) {
    const { name, decided, of, bar, verdicts, slowestMs } = casRegisters(unknownPpm, staleRead, limitMs)
    print(
      `${name}: ${decided} of ${of} decided (bar ${bar}) in at most ${slowestMs.toFixed(0)} of ${limitMs.toFixed(0)} ms: ${JSON.stringify(verdicts)}`,
    )
  }
}

if (process.argv[1] !== undefined && import.meta.filename === resolve(process.argv[1])) linearizabilityBench()
