/**
 * What the real machine does for races: the project as a disk image, wavetank's own modules, and the folder in which
 * findings are kept (`.wavetank/races/`, one trace per file, groups and title, the newest wins).
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { jobsFromText } from './explore/jobs.ts'
import * as exploration from './explore/index.ts'
import { runOptionsOf } from './explore/options.ts'
import { raceName } from './explore/race-collection.ts'
import { printRaceTrace } from './explore/race-trace.ts'
import type { RaceHost, RaceThreads } from './explore/race.ts'
import { hostClock } from './host-clock.ts'
import { HOST_MODULES } from './host-modules.ts'
import { UsageError } from './kernel/errors.ts'
import { keyOf } from './kernel/prng.ts'
import { projectImage } from './node/bindings/fs-image.ts'
import { projectRoot } from './project.ts'

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
        image: [{ at: root, from: root, reader: projectImage() }],
        hostModules: { ...HOST_MODULES, 'wavetank/explore': exploration, ...modules },
        globals,
        threads: THREADS,
      }
    },
    keep(file, finding, options) {
      const root = projectRoot(file)
      const race = { file: relative(root, file), title: finding.title }
      const path = join(root, racePath({ ...race, suite: options.suite }))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(
        path,
        printRaceTrace(
          { race, ...runOptionsOf(options), finding },
          readFileSync(file, 'utf8'),
          process.version,
        ),
      )
      return `npx wavetank replay ${relative(process.cwd(), path)}`
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

interface RacePlace {
  readonly file: string
  readonly title: string
  readonly suite?: string | undefined
}

/** Where the finding of a race is kept, relative to the project: in a folder for each group around it. */
export function racePath({ file, title, suite = file }: RacePlace): string {
  const names = title.split(raceName(['', ''])).map(fileName)
  return `${join('.wavetank', 'races', fileName(suite), ...names)}.trace.json`
}

const NAME_LENGTH = 80

/** A name that every file system takes; where more than spaces and slashes had to go, a hash tells it from others. */
function fileName(text: string): string {
  const name = text.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, NAME_LENGTH)
  const isWhole = text.length <= NAME_LENGTH && /^[\p{L}\p{N}._ /-]+$/u.test(text) && !/^\.+$/.test(text)
  return isWhole ? name : `${name}-${keyOf(text).lo.toString(16)}`
}
