/**
 * npm run bench:tank -- [--json] [--only PATTERN]
 *
 * The tank's speed: one row per promise, each with its bar and measured in a process of its own, so that none starts with
 * the garbage and the warmth of another. See bench/tank/measurement.ts for how it is measured.
 */
import { execFile } from 'node:child_process'
import { parseArgs, promisify } from 'node:util'
import { kvSeeds } from './tank/campaigns.ts'
import { echoPair, echoPairInThreads, lightExploration } from './tank/explorations.ts'
import { kernelTimers } from './tank/kernel-timers.ts'
import type { Row } from './tank/measurement.ts'
import { heartbeats, reboot } from './tank/processes.ts'
import { express, manyPairs, pingPong } from './tank/sockets.ts'

const SUBJECTS: Readonly<Record<string, () => Row | Promise<Row>>> = {
  kernel: kernelTimers,
  tcp: pingPong,
  express,
  heartbeats,
  pairs: manyPairs,
  reboot,
  kv: kvSeeds,
  echo: echoPair,
  threads: echoPairInThreads,
  light: lightExploration,
}

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
})
const only = new RegExp(values.only)
const subjects = Object.keys(SUBJECTS).filter((subject) => only.test(subject))
const rows: Row[] = []
if (!values.json) print(['what', 'measured', 'bar', 'bar reached', ''])
for (const subject of subjects) {
  const row = subjects.length === 1 ? await SUBJECTS[subject]() : await inProcess(subject)
  rows.push(row)
  if (!values.json) {
    print([row.what, row.measured, row.bar, row.ratio === null ? '–' : `${row.ratio.toFixed(2)}×`, row.note])
  }
}
if (values.json) console.log(JSON.stringify({ node: process.version, rows }, null, 2))

async function inProcess(subject: string): Promise<Row> {
  const args = [...process.execArgv, import.meta.filename, '--json', '--only', `^${subject}$`]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return (JSON.parse(stdout) as { rows: [Row] }).rows[0]
}

function print([what, measured, bar, ratio, note]: readonly string[]): void {
  console.log(`${what.padEnd(46)}${measured.padEnd(38)}${bar.padEnd(15)}${ratio.padStart(11)}  ${note}`)
}
