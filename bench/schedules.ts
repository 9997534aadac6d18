/**
 * npm run bench:schedules -- [--json] [--trials N] [--strategy NAME …] [--program PATTERN]
 *
 * How many schedules each strategy needs, on average, to find the bug of each classic program, beside the numbers of a
 * reference model where there are some. A trial that finds nothing within the cap counts as the cap.
 */
import { parseArgs } from 'node:util'
import { bareEnvironment } from '../src/explore/environment.ts'
import { iterationSeed } from '../src/explore/explore.ts'
import { RaceRun } from '../src/explore/race-run.ts'
import { STRATEGIES, type StrategyName } from '../src/explore/index.ts'
import { PROGRAMS, type Program } from './schedules/programs.ts'

const CAP = 10_000
const MAX_STEPS = 5_000
const LATENESS_US = 1e9

interface Cell {
  readonly mean: number
  readonly found: number
  readonly trials: number
}

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    trials: { type: 'string', default: '20' },
    strategy: { type: 'string', multiple: true },
    program: { type: 'string', default: '' },
  },
})
const trials = Number(values.trials)
const names = (values.strategy ?? [
  'portfolio',
  'random',
  'pct',
  'pos',
  'urw',
  'surw',
  'noisyPct',
  'pctcp',
]) as StrategyName[]
const programs = PROGRAMS.filter(({ name }) => new RegExp(values.program).test(name))

setImmediate(() => {
  if (!values.json) console.log(row(['program', ...names]))
  const rows = programs.map((program) => {
    const strategies = Object.fromEntries(names.map((name) => [name, measure(program, name)]))
    if (!values.json)
      console.log(
        row([program.name, ...names.map((name) => show(strategies[name], program.reference?.[name]))]),
      )
    return { program: program.name, strategies }
  })
  if (values.json) console.log(JSON.stringify({ programs: rows }))
})

function measure(program: Program, name: StrategyName): Cell {
  let sum = 0
  let found = 0
  for (let trial = 1; trial <= trials; trial++) {
    const schedules = toFirstBug(program, name, trial)
    sum += schedules ?? CAP
    if (schedules !== null) found++
  }
  return { mean: sum / trials, found, trials }
}

function toFirstBug(program: Program, name: StrategyName, trial: number): number | null {
  const strategy = STRATEGIES[name]({ depth: 3 })
  for (let i = 1; i <= CAP; i++) {
    const run = new RaceRun({
      seed: iterationSeed(trial, i),
      strategy,
      environment: bareEnvironment(program.body),
      maxSteps: MAX_STEPS,
      latenessUs: LATENESS_US,
    })
    if (run.execute().failure !== null) return i
  }
  return null
}

function show({ mean, found, trials: of }: Cell, reference: number | undefined): string {
  return `${mean.toFixed(1)}${found < of ? `(${found})` : ''}${reference === undefined ? '' : ` [${reference}]`}`
}

function row(cells: readonly string[]): string {
  return cells.map((cell, i) => (i === 0 ? cell.padEnd(24) : cell.padStart(16))).join('')
}
