/** Schedules a second: a TCP echo pair booted fresh for each, and a lost update on promises alone beside fast-check. */
import { assert, asyncProperty, scheduler } from 'fast-check'
import {
  bareEnvironment,
  type EnvironmentFactory,
  type RaceBody,
} from '../../src/explore/running/environment.ts'
import type { RaceContext } from '../../src/explore/authoring/context.ts'
import { iterationSeed } from '../../src/explore/search/iteration-seed.ts'
import { STRATEGIES } from '../../src/explore/index.ts'
import { currentCollection } from '../../src/explore/authoring/race-collection.ts'
import { RaceRun } from '../../src/explore/running/race-run.ts'
import { exploreFile } from '../../src/explore/search/race-file.ts'
import { hostClock } from '../../src/host/host-clock.ts'
import { raceHost } from '../../src/runners/race-host.ts'
import { figure, median, medianReading, read, since, type Reading, type Row } from './measurement.ts'
import { ROOT } from './tank-run.ts'

/** While a file is loaded through the tank, `race` only hands over its body. */
const race = (title: string, body: RaceBody): void => currentCollection()!.add({ title, body })

/** Runs schedules in a macrotask of its own; gives schedules per second of processor time. */
function explore(
  environment: EnvironmentFactory,
  schedules: number,
): Promise<{ rate: number; failures: number }> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        const strategy = STRATEGIES.random({ depth: 3 })
        let failures = 0
        const begun = read()
        for (let i = 1; i <= schedules; i++) {
          const settings = { strategy, environment, maxSteps: 10_000, latenessUs: 10_000 }
          if (new RaceRun({ ...settings, seed: iterationSeed(1, i) }).execute().failure !== null) failures++
        }
        resolve({ rate: (schedules / since(begun).cpuMs) * 1_000, failures })
      } catch (error) {
        reject(error)
      }
    })
  })
}

const ECHO = { file: `${ROOT}/bench/tank/programs/echo.race.ts`, title: 'an echo comes back' }

/** An exploration as `race` has it; a schedule that loses the echo ends it with an error. */
async function exploreEcho(jobs: number, iterations: number): Promise<Reading> {
  const tank = raceHost(() => ({ modules: { 'wavetank/vitest': { race } } })).tank(ECHO.file)
  const begun = read()
  const options = {
    jobs,
    iterations,
    strategy: 'random',
    latenessVirtualMs: 10,
    budgetWallMs: Infinity,
  } as const
  await exploreFile(ECHO.file, ECHO.title, { ...options, clock: () => hostClock.nowMs() }, tank)
  return since(begun)
}

/** Rounds until V8 has compiled what a boot runs, and as many that count: a race runs thousands of schedules. */
const ECHO_ROUNDS = 5
const ROUND = 300

export async function echoPair(): Promise<Row> {
  const rates: number[] = []
  for (let round = 0; round < 2 * ECHO_ROUNDS; round++) {
    const { cpuMs } = await exploreEcho(1, ROUND)
    if (round >= ECHO_ROUNDS) rates.push((ROUND / cpuMs) * 1_000)
  }
  const rate = median(rates)
  return {
    what: 'exploration of a TCP echo pair',
    measured: `${figure(rate)} schedules/s`,
    bar: '500/s',
    ratio: rate / 500,
    note: 'both processes booted fresh each time',
  }
}

const FEW = 3_000
const MANY = 6_000
const ALONE = 2_000
const THREADS_ROUNDS = 3

/**
 * By wall time, of a long exploration less a short one: every exploration starts its thread anew, and by the end of the
 * short one V8 has compiled there what a boot runs. The thread at hand alone, which stays warm, stands beside it.
 */
export async function echoPairInThreads(): Promise<Row> {
  const [one, two]: [Reading[], Reading[]] = [[], []]
  await exploreEcho(1, ALONE)
  for (let round = 0; round < THREADS_ROUNDS; round++) {
    one.push(await exploreEcho(1, ALONE))
    const few = await exploreEcho(2, FEW)
    const many = await exploreEcho(2, MANY)
    two.push({ wallMs: many.wallMs - few.wallMs, cpuMs: many.cpuMs - few.cpuMs })
  }
  const [alone, together] = [medianReading(one), medianReading(two)]
  const rate = ((MANY - FEW) / together.wallMs) * 1_000
  const rateAlone = (ALONE / alone.wallMs) * 1_000
  const processors = ({ cpuMs, wallMs }: Reading): string => (cpuMs / wallMs).toFixed(2)
  return {
    what: 'exploration of a TCP echo pair, two threads',
    measured: `${figure(rate)} schedules/s, ${(rate / rateAlone).toFixed(2)}× one thread`,
    bar: '500/s',
    ratio: rate / 500,
    note: `by wall time, on ${processors(together)} processors; one thread ${figure(rateAlone)}/s on ${processors(alone)}`,
  }
}

/** Two increments that read, wait and write: some schedules lose one. */
function lostUpdate(lost: () => void): (t: RaceContext) => Promise<void> {
  return async (t) => {
    let value = 0
    const increment = async (): Promise<void> => {
      await t.point('read')
      const seen = value
      await t.point('write')
      value = seen + 1
    }
    await Promise.all([t.task('a', increment), t.task('b', increment)])
    if (value !== 2) lost()
  }
}

/** The same program as fast-check users write it, on its scheduler. */
async function fastCheck(schedules: number): Promise<{ rate: number; failures: number }> {
  let failures = 0
  const property = asyncProperty(scheduler(), async (s) => {
    let value = 0
    const point = s.scheduleFunction(async () => {})
    const increment = async (): Promise<void> => {
      await point()
      const seen = value
      await point()
      value = seen + 1
    }
    const both = Promise.all([increment(), increment()])
    await s.waitFor(both)
    if (value !== 2) failures++
  })
  const begun = read()
  await assert(property, { numRuns: schedules, seed: 1 })
  return { rate: (schedules / since(begun).cpuMs) * 1_000, failures }
}

export async function lightExploration(): Promise<Row> {
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < 6; round++) {
    let lost = 0
    const environment = bareEnvironment(lostUpdate(() => lost++))
    const own = await explore(environment, 20_000)
    const peer = await fastCheck(20_000)
    if (lost === 0 || peer.failures === 0) throw new Error('no schedule lost an update: nothing was explored')
    if (round === 0) continue // compiled by now
    ours.push(own.rate)
    theirs.push(peer.rate)
  }
  const times = median(ours) / median(theirs)
  return {
    what: 'lost update on promises alone',
    measured: `${figure(median(ours))} schedules/s, ${times.toFixed(2)}× fast-check`,
    bar: '2× fast-check',
    ratio: times / 2,
    note: `fast-check ${figure(median(theirs))}/s`,
  }
}
