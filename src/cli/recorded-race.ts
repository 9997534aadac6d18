/** A race from its trace file, as something that can be run again here, without a test runner. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RaceProgram } from '../explore/program.ts'
import { codeHashOf, raceTraceOf, type RaceTrace } from '../explore/race-trace.ts'
import { raceProgram } from '../explore/race.ts'
import { UsageError } from '../kernel/errors.ts'
import type { TraceFile } from '../kernel/trace-file.ts'
import { raceHost } from '../race-host.ts'
import { absentRunner } from '../absent-runner.ts'

export interface RecordedRace {
  readonly trace: RaceTrace
  /** The file in which the race is declared. */
  readonly path: string
  readonly program: RaceProgram
}

/** `file` names the trace in errors; `onOutput` gets what the program prints. */
export async function openRecordedRace(
  file: string,
  recorded: TraceFile,
  root: string,
  onOutput?: (text: string) => void,
): Promise<RecordedRace> {
  const trace = raceTraceOf(recorded, file)
  const { race } = trace.config
  const path = resolve(root, race.file)
  if (!existsSync(path)) {
    throw new UsageError('ERR_WAVETANK_NO_RACE', `the trace is of ${race.file}, which is not in ${root}`)
  }
  const source = readFileSync(path, 'utf8')
  warnOfChanges(trace, source)
  const runner = await absentRunner(source)
  const tank = { ...raceHost(() => runner).tank(path), onOutput }
  return { trace, path, program: raceProgram(path, race.title, trace.config, tank) }
}

function warnOfChanges({ config, codeHash, nodeVersion }: RaceTrace, source: string): void {
  if (codeHashOf(source) !== codeHash)
    process.stderr.write(`wavetank: ${config.race.file} changed since the recording\n`)
  if (nodeVersion !== process.version) {
    process.stderr.write(`wavetank: recorded on Node ${nodeVersion}, replayed on ${process.version}\n`)
  }
}
