/** `wavetank shrink FILE` for a race: fewer preemptions, fewer steps, the same failure. */
import { readFileSync, writeFileSync } from 'node:fs'
import { findingText } from '../explore/finding-text.ts'
import { investigate } from '../explore/investigation.ts'
import { macrotask } from '../explore/macrotask.ts'
import { rerun } from '../explore/program.ts'
import { printRaceTrace } from '../explore/race-trace.ts'
import { Divergence } from '../kernel/choices.ts'
import { UsageError } from '../kernel/errors.ts'
import type { TraceFile } from '../kernel/trace-file.ts'
import { openRecordedRace } from './recorded-race.ts'
import { shortPath } from './run-folder.ts'

export interface ShrinkRaceOptions {
  readonly runs: number
  readonly output: string
}

/** 0: written, even if nothing could be left out. */
export async function shrinkRace(
  file: string,
  recorded: TraceFile,
  root: string,
  { runs, output }: ShrinkRaceOptions,
): Promise<number> {
  const { trace, path, program } = await openRecordedRace(file, recorded, root)
  const { config, seed, choices } = trace
  const { key } = config.finding.failure
  const finding = await macrotask(() => {
    const { failure } = stillFails(() => rerun(program, seed, choices, 'diverge'), file)
    if (failure?.key !== key)
      throw new UsageError('ERR_WAVETANK_NOT_FAILING', `shrink: ${file} does not fail as recorded any more`)
    return investigate(program, { ...config.finding, seed }, choices, { shrink: true, maxRuns: runs })
  })
  const shrunk = { ...config, finding }
  writeFileSync(output, printRaceTrace(shrunk, readFileSync(path, 'utf8'), process.version))
  const incomplete = finding.shrunk.minimal ? '' : '\n  (not minimal: the budget of runs ended)'
  process.stdout.write(`${findingText(finding, `npx wavetank replay ${shortPath(output)}`)}${incomplete}\n`)
  return 0
}

function stillFails<T>(run: () => T, file: string): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof Divergence)) throw error
    throw new UsageError(
      'ERR_WAVETANK_NOT_FAILING',
      `shrink: ${file} diverges at step ${error.step}: ${error.message}. The program changed; explore it again.`,
      { cause: error },
    )
  }
}
