/**
 * `race`: an exploration declared beside ordinary tests. In the test runner it is one test; when that test runs, its own
 * file is loaded through the tank's loader for every schedule and the body found by title, so the code under test,
 * imported at the top of the file as always, is inside the world with fresh state.
 */
import { UsageError } from '../kernel/errors.ts'
import { NodeThread } from '../node/thread.ts'
import type { RaceContext } from './context.ts'
import type { RaceBody } from './environment.ts'
import { exploreProgram, type ExploreResult } from './explore.ts'
import { findingText } from './finding-text.ts'
import { RaceFound, type RaceFinding } from './finding.ts'
import { heldText } from './held-text.ts'
import { laneThreads, type ThreadHost } from './lane-thread.ts'
import { checkedOptions, EXPLORE_DEFAULTS, limitsOf, type ExploreOptions } from './options.ts'
import { programFrames } from './own-code.ts'
import type { RaceProgram, Schedule } from './program.ts'
import { currentCollection } from './race-collection.ts'
import { RaceRun } from './race-run.ts'
import { tankEnvironment, type TankOptions } from './tank-environment.ts'

/** A test of the runner's while it runs. */
export interface RunningTest {
  /** The titles of the groups around it and its own, as {@link raceName} joins them. */
  readonly name: string
  /** Says what was done, where the runner has a place for it. */
  note(text: string, result: ExploreResult): unknown
}

/** The declaring half of a test runner. */
export type DeclareTest = (
  title: string,
  run: (test: RunningTest) => Promise<void>,
  timeoutMs: number,
) => void

export interface RaceRunner {
  readonly test: DeclareTest
  readonly only: DeclareTest
  readonly skip: (title: string) => void
}

export interface Tank extends Pick<TankOptions, 'image' | 'hostModules' | 'globals' | 'onOutput'> {
  /** The folder that source positions are relative to. */
  readonly root?: string
  /** Where an exploration may have more threads than the one at hand. */
  readonly threads?: RaceThreads
}

export interface RaceThreads extends ThreadHost {
  /** How many threads an exploration has that says nothing of it. */
  jobs(): number
}

/** What the host does for races: where they run, and where findings are kept. */
export interface RaceHost {
  tank(file: string): Tank
  /** Keeps a finding; returns the command that replays it. */
  keep(file: string, finding: RaceFinding, options: ExploreOptions): string
  nowMs(): number
  /** Prints what a race that held did: always if that is not what was asked for, else where somebody wants to know. */
  note(text: string, asAsked: boolean): void
}

type Declare = (title: string, ...rest: [RaceBody] | [ExploreOptions, RaceBody]) => void

type EachBody<T> = (t: RaceContext, value: T) => unknown

export interface RaceForm extends Declare {
  /** Declares one race per value; `%s` in the title stands for the value, `$name` for a property of it. */
  each<T>(
    values: readonly T[],
  ): (title: string, ...rest: [EachBody<T>] | [ExploreOptions, EachBody<T>]) => void
}

export interface Race extends RaceForm {
  readonly only: RaceForm
  readonly skip: RaceForm
}

/** Time that shrinking and explaining may take beyond the exploration's own budget. */
const EXTRA_MS = 60_000

/** A race that is declared in a file, as something to run. `name` is its title, with those of the groups around it. */
export function raceProgram(file: string, name: string, options: ExploreOptions, tank: Tank): RaceProgram {
  const limits = limitsOf(options)
  const { everyAwait, splitWrites } = options
  const environment = tankEnvironment({ ...tank, file, title: name, everyAwait, splitWrites })
  const { root } = tank
  const run = (schedule: Schedule) => new RaceRun({ ...schedule, ...limits, environment, root }).execute()
  return Object.assign(run, { sweep: () => NodeThread.get().endWorld().length > 0 })
}

/** Explores a race that is declared in a file. */
export async function exploreFile(
  file: string,
  name: string,
  options: ExploreOptions,
  tank: Tank,
): Promise<ExploreResult> {
  const { threads, onOutput } = tank
  const others = threads === undefined ? null : laneThreads(threads, { file, name, options }, onOutput)
  const settings = { ...options, jobs: options.jobs ?? threads?.jobs(), title: name }
  return exploreProgram(raceProgram(file, name, options, tank), settings, others)
}

/** Makes `race` for a test runner. */
export function createRace(runner: RaceRunner, host: RaceHost): Race {
  const form = (declare: DeclareTest): RaceForm => {
    const one: Declare = (title, ...rest) => {
      const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest
      declareRace(title, options, body, declare, host)
    }
    const each: RaceForm['each'] =
      (values) =>
      (title, ...rest) => {
        const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest
        for (const value of values)
          declareRace(titleFor(title, value), options, (t) => body(t, value), declare, host)
      }
    return Object.assign(one, { each })
  }
  return Object.assign(form(runner.test), {
    only: form(runner.only),
    skip: form((title) => runner.skip(title)),
  })
}

function titleFor(title: string, value: unknown): string {
  return title
    .replace('%s', String(value))
    .replace(/\$(\w+)/g, (whole, name: string) =>
      typeof value === 'object' && value !== null && name in value
        ? String((value as Record<string, unknown>)[name])
        : whole,
    )
}

function declareRace(
  title: string,
  given: ExploreOptions,
  body: RaceBody,
  declare: DeclareTest,
  host: RaceHost,
): void {
  if (typeof body !== 'function') {
    throw new UsageError('ERR_WAVETANK_RACE', `race("${title}"): expected a function as the last argument`)
  }
  const collection = currentCollection()
  if (collection !== null) {
    collection.add({ title, body })
    return
  }
  const options = checkedOptions(given, `race("${title}")`)
  const declaredAt = callingPosition()
  const file = declaredAt.replace(/:\d+:\d+$/, '')
  const budgetMs = options.timeBudgetMs ?? EXPLORE_DEFAULTS.timeBudgetMs
  const run = async (test: RunningTest): Promise<void> => {
    const tank = host.tank(file)
    try {
      const settings = { clock: () => host.nowMs(), ...options }
      const result = await exploreFile(file, test.name, settings, tank)
      const text = heldText(result)
      host.note(`race "${test.name}": ${text}`, !result.outOfTime)
      await test.note(text, result)
    } catch (error) {
      if (!(error instanceof RaceFound)) throw error
      const { finding } = error
      const text = findingText(finding, host.keep(file, finding, options))
      throw new RaceFound(finding, text, { root: tank.root ?? '', declaredAt })
    }
  }
  declare(title, run, budgetMs + EXTRA_MS)
}

/** Where `race` was called: the first frame outside this package's own code. */
function callingPosition(): string {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 20
  const [frame] = programFrames(new Error().stack ?? '')
  Error.stackTraceLimit = limit
  if (frame !== undefined) return frame.position
  throw new UsageError(
    'ERR_WAVETANK_RACE',
    'race: cannot tell which file declares it; call race at the top level of a test file',
  )
}
