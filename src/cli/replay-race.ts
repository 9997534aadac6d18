/**
 * `wavetank replay FILE` for a race: runs the recorded schedule again, in this thread and without a test runner.
 */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { findingText } from '../explore/finding.ts'
import { macrotask } from '../explore/macrotask.ts'
import { rerun } from '../explore/program.ts'
import { codeHashOf, raceTraceOf, type RaceTrace } from '../explore/race-trace.ts'
import { createRace, raceProgram } from '../explore/race.ts'
import { runnerStandIn } from '../explore/runner-stand-in.ts'
import { Divergence } from '../kernel/choices.ts'
import { UsageError } from '../kernel/errors.ts'
import type { TraceFile } from '../kernel/trace-file.ts'
import { raceHost } from '../race-host.ts'

const SAME = 'replayed: the same run, to the last step'

/** 1: it fails as recorded; 0: it does not fail; 2: it fails otherwise, or diverges. */
export async function replayRace(file: string, trace: TraceFile, root: string): Promise<number> {
  const recorded = raceTraceOf(trace, file)
  const { config, seed, choices } = recorded
  const path = resolve(root, config.race.file)
  if (!existsSync(path)) {
    throw new UsageError(
      'ERR_WAVETANK_NO_RACE',
      `the trace is of ${config.race.file}, which is not in ${root}`,
    )
  }
  warnOfChanges(recorded, readFileSync(path, 'utf8'))
  const host = raceHost(standIns)
  const program = raceProgram(path, config.race.title, config, host.tank(path))
  try {
    const result = await macrotask(() => rerun(program, seed, choices, 'diverge'))
    if (result.failure === null) {
      process.stdout.write(`${config.race.title}: does not fail any more\n`)
      return 0
    }
    const same = result.failure.key === config.finding.failure.key
    const verdict =
      result.hash === recorded.digest ? SAME : 'replayed: it fails, but it is not the recorded run any more'
    process.stdout.write(
      `${findingText(config.finding)}\n\n  ${same ? verdict : `fails otherwise: ${result.failure.message}`}\n`,
    )
    return same ? 1 : 2
  } catch (error) {
    if (!(error instanceof Divergence)) throw error
    process.stdout.write(`${config.race.title}: diverges at step ${error.step}: ${error.message}\n`)
    return 2
  }
}

function warnOfChanges({ config, codeHash, nodeVersion }: RaceTrace, source: string): void {
  if (codeHashOf(source) !== codeHash)
    process.stderr.write(`wavetank: ${config.race.file} changed since the recording\n`)
  if (nodeVersion !== process.version) {
    process.stderr.write(`wavetank: recorded on Node ${nodeVersion}, replayed on ${process.version}\n`)
  }
}

/** Test runners as a race's file sees them when there is none. */
function standIns(): Record<string, unknown> {
  const names = [
    'describe',
    'suite',
    'test',
    'it',
    'beforeEach',
    'afterEach',
    'beforeAll',
    'afterAll',
    'before',
    'after',
  ]
  const nothing = Object.fromEntries(names.map((name) => [name, () => {}]))
  const runner = runnerStandIn(nothing)
  const never = () => {
    throw new UsageError('ERR_WAVETANK_RACE', 'a race was declared outside of its file')
  }
  const race = createRace({ test: never, only: never, skip: never }, raceHost(standIns))
  const declaring = { race, simulationTest: () => {} }
  return {
    vitest: runner,
    'node:test': runner,
    'wavetank/vitest': declaring,
    'wavetank/node-test': declaring,
  }
}
