/**
 * `wavetank replay FILE`: runs a recorded failure again. The same failure at the same step is what it should give: exit
 * code 1. A program that changed is run all the same, with a warning; choices that no longer fit are a divergence.
 */
import type { Command } from 'commander'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { isRaceTrace } from '../explore/race-trace.ts'
import { UsageError } from '../kernel/errors.ts'
import { firstDifference } from '../kernel/hash-log.ts'
import { readTrace } from '../kernel/trace-file.ts'
import { storyText } from '../report/story.ts'
import { duration } from '../report/quantity.ts'
import type { SeedJob } from '../sim/campaign/executor.ts'
import { signatureOf } from '../sim/failure.ts'
import type { Telling } from '../sim/telling.ts'
import { changedFiles, parseTrace, replayJob, type SimulationTrace } from '../sim/trace-file.ts'
import { projectRoot } from '../project.ts'
import { describe, parse, positive } from './arguments.ts'
import { programOf, readTraceText } from './run-folder.ts'
import { withPool } from './selection.ts'
import { paintFor } from './terminal.ts'

export function command(): Command {
  return describe('replay')
    .argument('<file>', 'a trace file, as `wavetank run` writes them')
    .option('--logs', 'print what every process wrote; of a race, with the stack of its failure')
    .option('--until <step>', 'of a race: stop after this step; in a debugger, before it', positive)
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const options = given.opts<{ logs?: boolean; until?: number }>()
  const root = projectRoot(process.cwd())
  const file = given.args[0]
  const text = readTraceText(file)
  const recorded = readTrace(text, file)
  if (isRaceTrace(recorded))
    return (await import('./replay-race.ts')).replayRace(file, recorded, root, options)
  const trace = parseTrace(text, file)
  const telling = await withPool(root, 1, (pool) =>
    pool.tell({ ...jobOf(trace, root), traceCapacity: trace.steps * 2 + 1 }),
  )
  warnOfChanges(trace, root, telling)
  process.stdout.write(`${replayText(trace, telling, options.logs === true).join('\n')}\n`)
  return exitCode(trace, telling)
}

/** The job of a trace in this project. */
export function jobOf(trace: SimulationTrace, root: string): SeedJob {
  const file = resolve(root, trace.config.simulation.file)
  if (!existsSync(file)) {
    throw new UsageError(
      'ERR_WAVETANK_NO_SIMULATION',
      `the trace is of ${trace.config.simulation.file}, which is not in ${root}`,
    )
  }
  return replayJob(trace, file)
}

function warnOfChanges(trace: SimulationTrace, root: string, { report }: Telling): void {
  const changed = changedFiles(trace, programOf(root, report.program))
  if (changed.length > 0)
    process.stderr.write(`wavetank: changed since the recording: ${changed.slice(0, 8).join(', ')}\n`)
  if (trace.nodeVersion !== process.version) {
    process.stderr.write(`wavetank: recorded on Node ${trace.nodeVersion}, replayed on ${process.version}\n`)
  }
}

function replayText(trace: SimulationTrace, { report, story, log }: Telling, logs: boolean): string[] {
  const paint = paintFor(process.stdout)
  const { failure, digest } = report.result
  const lines = [`${trace.config.simulation.name}  level ${trace.config.level}  seed ${trace.seed}`]
  if (failure === null) lines.push(paint.good('does not fail any more'))
  else {
    const same = digest === trace.digest ? 'the same run, to the last step' : difference(trace, report)
    lines.push(`${paint.bad(signatureOf(failure))}  ${paint.dim(same)}`, failure.message, '')
  }
  lines.push(...storyText(story, paint, '  '))
  if (logs) {
    lines.push(
      '',
      'logs',
      ...log.map((line) => `  ${duration(line.timeUs).padStart(10)}  ${line.process}  ${line.text}`),
    )
  }
  return lines
}

function difference(trace: SimulationTrace, { hashes }: Telling['report']): string {
  const step = hashes === null ? null : firstDifference(trace.hashes, hashes)
  return step === null
    ? 'not the recorded run'
    : `this run differs from the recorded one from step ${step} on`
}

/** 1: it fails as recorded; 0: it does not fail; 2: it fails otherwise, or diverges. */
function exitCode(trace: SimulationTrace, { report }: Telling): number {
  const { failure } = report.result
  if (failure === null) return 0
  return signatureOf(failure) === signatureOf(trace.failure) ? 1 : 2
}
