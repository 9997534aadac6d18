/**
 * npm run bench:schedules -- [--json] [--trials N] [--only PROGRAM] [--strategy NAME …] [--natural]
 *
 * How many schedules each strategy needs, on average, to find the bug of each classic program, beside the numbers of a
 * reference model where there are some, and beside fast-check's scheduler. `--natural` takes other programs
 * instead: small ones with timers, files and sockets, explored in the tank.
 */
import { parseArgs } from 'node:util'
import { STRATEGIES } from '../src/explore/index.ts'
import { UsageError } from '../src/kernel/errors.ts'
import type { Cell, Column } from './schedules/cell.ts'
import { CellPool } from './schedules/cell-pool.ts'
import { measureNatural, NATURAL } from './schedules/natural.ts'
import { PROGRAMS } from './schedules/programs.ts'

const COLUMNS: readonly Column[] = [
  'portfolio',
  'places',
  'random',
  'pct',
  'pos',
  'urw',
  'surw',
  'noisyPct',
  'pctcp',
  'delayBound',
]
const PEER: Column = 'fast-check' // it sees no timers, files or sockets: only for the classic programs

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    natural: { type: 'boolean', default: false },
    trials: { type: 'string', default: '20' },
    strategy: { type: 'string', multiple: true },
    only: { type: 'string', default: '' },
  },
})

interface Subject {
  readonly name: string
  readonly reference?: Readonly<Record<string, number>>
}

const trials = Number(values.trials)
if (!Number.isInteger(trials) || trials < 1) {
  throw new UsageError('ERR_WAVETANK_BENCH', `--trials must be a number from 1, not "${values.trials}"`)
}
const columns = (values.strategy as Column[] | undefined) ?? [...COLUMNS, ...(values.natural ? [] : [PEER])]
for (const column of columns) {
  const known = [...Object.keys(STRATEGIES), ...(values.natural ? [] : [PEER])]
  if (!known.includes(column)) {
    throw new UsageError(
      'ERR_WAVETANK_BENCH',
      `--strategy must be one of ${known.join(', ')}, not "${column}"`,
    )
  }
}
const subjects: readonly Subject[] = values.natural ? NATURAL.map((name) => ({ name })) : PROGRAMS
const chosen = subjects.filter(({ name }) => name === values.only || values.only === '')
if (chosen.length === 0) {
  const names = subjects.map(({ name }) => name).join(', ')
  throw new UsageError('ERR_WAVETANK_BENCH', `--only must be one of ${names}, not "${values.only}"`)
}
const pool = values.natural ? null : new CellPool()
const measure = pool === null ? measureNatural : pool.measure.bind(pool)

if (!values.json) console.log(row(['program', ...columns]))
const rows = []
// Cells of all rows are under way at once; rows are printed in order.
const pending = chosen.map(({ name }) => Promise.all(columns.map((column) => measure(name, column, trials))))
for (const [i, { name, reference }] of chosen.entries()) {
  progress(`${i + 1} of ${chosen.length}: ${name}`)
  const cells = await pending[i]
  progress('')
  const strategies = Object.fromEntries(columns.map((column, at) => [column, cells[at]]))
  rows.push({ program: name, strategies })
  if (!values.json)
    console.log(row([name, ...columns.map((column) => show(strategies[column], reference?.[column]))]))
}
await pool?.close()
if (values.json) console.log(JSON.stringify({ programs: rows }))

/** One line on a terminal, written over and over. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}`)
}

function show({ mean, found, trials: of }: Cell, reference: number | undefined): string {
  const missed = found < of ? ` (${found}/${of})` : ''
  return `${mean.toFixed(1)}${missed}${reference === undefined ? '' : ` [${reference}]`}`
}

function row(cells: readonly string[]): string {
  return cells.map((cell, i) => (i === 0 ? cell.padEnd(24) : cell.padStart(16))).join('')
}
