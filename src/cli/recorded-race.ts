/** A race from its trace file, as something that can be run again here, without a test runner. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RaceProgram } from '../explore/program.ts'
import { codeHashOf, raceTraceOf, type RaceTrace } from '../explore/race-trace.ts'
import { createRace, raceProgram } from '../explore/race.ts'
import { runnerStandIn } from '../explore/runner-stand-in.ts'
import { UsageError } from '../kernel/errors.ts'
import type { TraceFile } from '../kernel/trace-file.ts'
import { raceHost } from '../race-host.ts'

export interface RecordedRace {
  readonly trace: RaceTrace
  /** The file in which the race is declared. */
  readonly path: string
  readonly program: RaceProgram
}

/** `file` names the trace in errors; `onOutput` gets what the program prints. */
export function openRecordedRace(
  file: string,
  recorded: TraceFile,
  root: string,
  onOutput?: (text: string) => void,
): RecordedRace {
  const trace = raceTraceOf(recorded, file)
  const { race } = trace.config
  const path = resolve(root, race.file)
  if (!existsSync(path)) {
    throw new UsageError('ERR_WAVETANK_NO_RACE', `the trace is of ${race.file}, which is not in ${root}`)
  }
  warnOfChanges(trace, readFileSync(path, 'utf8'))
  const tank = { ...raceHost(standIns).tank(path), onOutput }
  return { trace, path, program: raceProgram(path, race.title, trace.config, tank) }
}

function warnOfChanges({ config, codeHash, nodeVersion }: RaceTrace, source: string): void {
  if (codeHashOf(source) !== codeHash)
    process.stderr.write(`wavetank: ${config.race.file} changed since the recording\n`)
  if (nodeVersion !== process.version) {
    process.stderr.write(`wavetank: recorded on Node ${nodeVersion}, replayed on ${process.version}\n`)
  }
}

const RUNNER_NAMES = [
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

/** Test runners as a race's file sees them when there is none. */
function standIns(): Record<string, unknown> {
  const runner = runnerStandIn(Object.fromEntries(RUNNER_NAMES.map((name) => [name, () => {}])))
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
