/**
 * What the real machine does for races: the project as a disk image, wavetank's own modules, and the keeping of findings
 * (see `failures/keep.ts`).
 */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { jobsFromText } from '../explore/search/jobs.ts'
import * as exploration from '../host/explore.ts'
import { runOptionsOf } from '../explore/search/options.ts'
import { keepRace } from '../failures/keep.ts'
import { raceTrace } from '../failures/recorded-race.ts'
import type { RaceHost } from './race-runner.ts'
import type { RaceThreads } from '../explore/search/race-file.ts'
import { hostClock } from '../host/host-clock.ts'
import { HOST_MODULES } from '../host/host-modules.ts'
import { UsageError } from '../kernel/errors.ts'
import { projectMounts } from '../node/index.ts'
import { projectRoot } from '../host/project.ts'

/** What a test runner is to the files of races. */
export interface RunnerStandIn {
  /** Its stand-in and the module that declares races, by specifier. */
  readonly modules: Readonly<Record<string, unknown>>
  /** What it has on the global object. */
  readonly globals?: Readonly<Record<PropertyKey, unknown>>
}

export function raceHost(runner: () => RunnerStandIn): RaceHost {
  return {
    tank(file) {
      refuseForeignRealm()
      const root = projectRoot(file)
      const { modules, globals } = runner()
      return {
        root,
        image: projectMounts(root),
        hostModules: { ...HOST_MODULES, 'wavetank/explore': exploration, ...modules },
        globals,
        threads: THREADS,
      }
    },
    keep(file, finding, options) {
      const root = projectRoot(file)
      const race = { file: relative(root, file), title: finding.title }
      const trace = raceTrace(race, readFileSync(file, 'utf8'), finding, runOptionsOf(options))
      return keepRace(root, { ...race, suite: options.suite }, trace)
    },
    nowMs: () => hostClock.nowMs(),
    note: (text, asAsked) => {
      if (!asAsked || process.env.WAVETANK_VERBOSE === '1') console.info(text)
    },
  }
}

const THREADS: RaceThreads = {
  worker: new URL(import.meta.url.endsWith('.ts') ? './race-worker.ts' : './race-worker.js', import.meta.url),
  every: (ms, callback) => hostClock.every(ms, callback),
  jobs: () => jobsFromText(process.env.WAVETANK_JOBS, 'WAVETANK_JOBS') ?? 1,
}

/** A world is made of Node's own library, and that belongs to the realm Node was started with. */
function refuseForeignRealm(): void {
  if (Object.getPrototypeOf(readFileSync) === Function.prototype) return
  throw new UsageError(
    'ERR_WAVETANK_VM_POOL',
    "race: this test runs in a vm context, as those of vitest's pools vmThreads and vmForks do; run it with --pool forks or --pool threads",
  )
}
