/**
 * Explores a closure of this thread, without a world: only scheduling points (`t.point`, `t.shared`, the primitives) can
 * change places.
 */
import { UsageError } from '../../kernel/errors.ts'
import { bareEnvironment, type RaceBody } from '../running/environment.ts'
import type { RaceProgram } from '../running/program.ts'
import { RaceRun } from '../running/race-run.ts'
import { exploreProgram, type Exploration } from './exploration.ts'
import { jobsOf } from './jobs.ts'
import { checkedOptions, limitsOf, type ExploreOptions } from './options.ts'

/** Options that are about files, threads or sockets, each with the reason why a closure cannot have it. */
const NEEDS_A_FILE = [
  ['everyAwait', 'EVERY_AWAIT', 'everyAwait rewrites files as they are loaded; a closure is loaded already'],
  ['splitWrites', 'SPLIT_WRITES', 'splitWrites is about sockets of a world; a closure has none'],
  ['stallVirtualMs', 'STALL', 'stallVirtualMs is about event loops of a world; a closure has none'],
  ['addons', 'ADDONS', 'addons is about modules that a world loads; a closure has no world'],
  ['externals', 'EXTERNALS', 'externals is about modules that a world loads; a closure has no world'],
] as const

export function exploreClosure(body: RaceBody, given: ExploreOptions = {}): Promise<Exploration> {
  const options = checkedOptions(given, 'explore')
  for (const [name, code, why] of NEEDS_A_FILE) if (options[name]) throw notForClosures(code, why)
  if (jobsOf(options.jobs ?? 1, 'explore: jobs') > 1)
    throw notForClosures('JOBS', 'jobs runs schedules in other threads; a closure cannot leave its thread')
  const environment = bareEnvironment(body)
  const limits = limitsOf(options)
  const program: RaceProgram = (schedule) => new RaceRun({ ...schedule, ...limits, environment }).execute()
  return exploreProgram(program, options)
}

function notForClosures(code: string, why: string): UsageError {
  return new UsageError(`ERR_WAVETANK_${code}`, `explore: ${why}. Declare the body with race() in a file.`)
}
