/** `wavetank trace FILE`: the steps of a recorded failure, those that causally reach it, or all. */
import { Option, type Command } from 'commander'
import { isRaceTrace, raceTraceOf } from '../explore/race-trace.ts'
import { readTrace as readKernelTrace } from '../kernel/trace-file.ts'
import { projectRoot } from '../project.ts'
import { counted, moment } from '../report/quantity.ts'
import type { Telling } from '../sim/telling.ts'
import { describe, parse } from './arguments.ts'
import { jobOf } from './replay.ts'
import { readTrace, readTraceText } from './run-folder.ts'
import { withPool } from './selection.ts'
import { raceTraceText, TRACE_FORMATS, type TraceFormat } from './trace-race.ts'

export function command(): Command {
  return describe('trace')
    .argument('<file>', 'a trace file, as `wavetank run` writes them')
    .option('--all', 'every step')
    .option('--json', 'as JSON')
    .addOption(
      new Option('--format <format>', 'of a race; events are one JSON object per line')
        .choices(TRACE_FORMATS)
        .default('text'),
    )
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const options = given.opts<{ all?: boolean; json?: boolean; format: TraceFormat }>()
  const [file] = given.args
  const recorded = readKernelTrace(readTraceText(file), file)
  if (isRaceTrace(recorded)) {
    const { config } = raceTraceOf(recorded, file)
    const format = options.json === true ? 'json' : options.format
    process.stdout.write(raceTraceText(config.finding, { all: options.all === true, format }))
    return 0
  }
  const trace = readTrace(file)
  const root = projectRoot(process.cwd())
  const telling = await withPool(root, 1, (pool) =>
    pool.tell({ ...jobOf(trace, root), traceCapacity: trace.steps * 2 + 1 }),
  )
  process.stdout.write(
    options.json === true ? `${JSON.stringify(telling, null, 1)}\n` : text(telling, options.all === true),
  )
  return 0
}

function text({ steps, slice, report }: Telling, all: boolean): string {
  const wanted = new Set(slice)
  const rows = all ? steps : steps.filter((row) => wanted.has(row.step))
  const failing = report.result.failure?.step
  const [actorWidth, kindWidth] = (['actor', 'kind'] as const).map((column) =>
    rows.reduce((width, row) => Math.max(width, row[column].length), 0),
  )
  const lines = rows.map((row) => {
    const arrow = row.step === failing ? `  ← ${report.result.failure!.message}` : ''
    const what = `${row.actor.padEnd(actorWidth)}  ${row.kind.padEnd(kindWidth)}`
    return `${String(row.step).padStart(7)} ${moment(row.time)}  ${what}  after ${row.cause}${arrow}`
  })
  const left = rows.length === steps.length ? '' : `  (of ${counted(steps.length, 'step')}; --all shows them)`
  return `${[...lines, `${counted(rows.length, 'step')}${left}`].join('\n')}\n`
}
