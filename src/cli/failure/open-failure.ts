/** Opens a trace file as a recorded failure in this project: the one door of `replay`, `shrink`, `trace` and `curve`. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { raceProgram } from '../../explore/search/race-file.ts'
import { openTrace } from '../../failures/keep.ts'
import { RecordedRace, type OpenRace } from '../../failures/recorded-race.ts'
import { RecordedSimulation } from '../../failures/recorded-simulation.ts'
import type { RecordedFailure } from '../../failures/recorded-failure.ts'
import type { RaceTrace, SimulationTrace, TraceFile } from '../../failures/trace-file.ts'
import { threadPool } from '../../host/campaign.ts'
import { RecordedInlineSimulation } from '../../host/inline-simulation.ts'
import { loadConfig, projectRoot } from '../../host/project.ts'
import { UsageError } from '../../kernel/errors.ts'
import { absentRunner } from '../../runners/absent-runner.ts'
import { raceHost } from '../../runners/race-host.ts'

/** Opens a recorded failure for as long as it is used. */
export async function withFailure<T>(
  path: string,
  use: (failure: RecordedFailure) => Promise<T>,
): Promise<T> {
  const trace = openTrace(path)
  const failure = trace.kind === 'race' ? recordedRace(trace, path) : await recordedSimulation(trace, path)
  try {
    return await use(failure)
  } finally {
    await failure.close()
  }
}

/** A trace that must be of a race. */
export function openRaceTrace(path: string, command: string): RaceTrace {
  const trace = openTrace(path)
  if (trace.kind === 'race') return trace
  throw new UsageError('ERR_WAVETANK_TRACE_FILE', `${command}: ${path} is not the trace of a race`)
}

async function recordedSimulation(trace: SimulationTrace, path: string): Promise<RecordedFailure> {
  const { simulation, inline } = trace.config
  const root = rootWith(inline?.file ?? simulation.file, trace, path)
  if (inline !== null) return new RecordedInlineSimulation(trace, inline, root)
  const { stuckWallMs, memoryMb } = (await loadConfig(root)).config
  const pool = threadPool(root, { jobs: 1, stuckWallMs, memoryMb })
  return new RecordedSimulation(trace, pool, root, resolve(root, simulation.file))
}

function recordedRace(trace: RaceTrace, path: string): RecordedRace {
  return new RecordedRace(trace, () => openRace(trace, path))
}

/** A race from its trace, as something that can be run again here, without a test runner. */
export async function openRace(trace: RaceTrace, path: string): Promise<OpenRace> {
  const { race } = trace.config
  const file = resolve(rootWith(race.file, trace, path), race.file)
  const source = readFileSync(file, 'utf8')
  const runner = await absentRunner(source)
  const output: string[] = []
  const tank = { ...raceHost(() => runner).tank(file), onOutput: (text: string) => void output.push(text) }
  return { source, program: raceProgram(file, race.title, trace.config, tank), output: () => output.join('') }
}

/** The project that has the trace's file: that of the working directory, or that in which the trace itself lies. */
function rootWith(file: string, { kind }: TraceFile, path: string): string {
  const roots = [process.cwd(), path].map((from) => projectRoot(resolve(from)))
  const root = roots.find((each) => existsSync(resolve(each, file)))
  if (root !== undefined) return root
  const code = kind === 'race' ? 'ERR_WAVETANK_NO_RACE' : 'ERR_WAVETANK_NO_SIMULATION'
  throw new UsageError(code, `the trace is of ${file}, which is not in ${roots[0]}`)
}
