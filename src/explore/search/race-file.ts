/**
 * A race that is declared in a file, as a program to run again and again and as something to explore. Every run loads the
 * file anew inside a world and finds the body by its name, so the code that the file imports is inside too, with fresh
 * state.
 */
import { NodeThread } from '../../node/index.ts'
import type { RaceProgram, Schedule } from '../running/program.ts'
import { RaceRun } from '../running/race-run.ts'
import { tankEnvironment, type TankOptions } from '../running/tank-environment.ts'
import { exploreProgram, type Exploration } from './exploration.ts'
import {
  limitsOf,
  STALL_IN_FILES_VIRTUAL_MS,
  TIMEOUT_IN_FILES_VIRTUAL_MS,
  type ExploreOptions,
} from './options.ts'
import { shareThreads, type ThreadHost } from './share-thread.ts'

/** Where a race runs: the disk, the modules and the globals of its world, and the host's threads. */
export interface Tank extends Pick<TankOptions, 'image' | 'hostModules' | 'globals' | 'onOutput'> {
  /** The folder that source positions are relative to. */
  readonly root?: string
  /** Worker threads; without them an exploration has only the thread that it was called in. */
  readonly threads?: RaceThreads
}

export interface RaceThreads extends ThreadHost {
  /** The number of threads for an exploration without the option `jobs`. */
  jobs(): number
}

/** `name` is the title of the race, after the titles of the groups around it. */
export function raceProgram(file: string, name: string, options: ExploreOptions, tank: Tank): RaceProgram {
  const limits = limitsOf({
    ...options,
    timeoutVirtualMs: options.timeoutVirtualMs ?? TIMEOUT_IN_FILES_VIRTUAL_MS,
    stallVirtualMs: options.stallVirtualMs ?? STALL_IN_FILES_VIRTUAL_MS,
  })
  const { everyAwait, splitWrites, addons, externals } = options
  const given = { ...tank, file, title: name, everyAwait, splitWrites, addons, externals }
  const environment = tankEnvironment(given)
  const { root } = tank
  const run = (schedule: Schedule) => new RaceRun({ ...schedule, ...limits, environment, root }).execute()
  return Object.assign(run, { sweep: () => NodeThread.get().endWorld().length > 0 })
}

export async function exploreFile(
  file: string,
  name: string,
  options: ExploreOptions,
  tank: Tank,
): Promise<Exploration> {
  const { threads, onOutput } = tank
  const workers = threads === undefined ? null : shareThreads(threads, { file, name, options }, onOutput)
  const settings = { ...options, jobs: options.jobs ?? threads?.jobs(), title: name }
  return exploreProgram(raceProgram(file, name, options, tank), settings, workers)
}
