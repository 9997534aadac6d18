/**
 * Runs the subjects of a benchmark, each in a process of its own, so that none starts with the garbage and the warmth of
 * another, and prints a row for each; `--json` prints the same as JSON, `--only PATTERN` takes some of them.
 */
import { execFile } from 'node:child_process'
import { parseArgs, promisify } from 'node:util'
import type { Row } from './tank/measurement.ts'

export async function runSubjects(
  file: string,
  all: Readonly<Record<string, () => Row | Promise<Row>>>,
): Promise<void> {
  const { values } = parseArgs({
    options: { json: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
  })
  const only = new RegExp(values.only)
  const subjects = Object.keys(all).filter((subject) => only.test(subject))
  const rows: Row[] = []
  if (!values.json) print(['what', 'measured', 'bar', 'bar reached', ''])
  for (const subject of subjects) {
    const row = subjects.length === 1 ? await all[subject]() : await inProcess(file, subject)
    rows.push(row)
    if (!values.json) {
      const reached = row.ratio === null ? '–' : `${row.ratio.toFixed(2)}×`
      print([row.what, row.measured, row.bar, reached, row.note])
    }
  }
  if (values.json) console.log(JSON.stringify({ node: process.version, rows }, null, 2))
}

async function inProcess(file: string, subject: string): Promise<Row> {
  const args = [...process.execArgv, file, '--json', '--only', `^${subject}$`]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return (JSON.parse(stdout) as { rows: [Row] }).rows[0]
}

function print([what, measured, bar, ratio, note]: readonly string[]): void {
  console.log(`${what.padEnd(46)}${measured.padEnd(38)}${bar.padEnd(15)}${ratio.padStart(11)}  ${note}`)
}
