/**
 * What the real machine does for races: the project as a disk image, wavetank's own modules, and the folder in which
 * findings are kept (`.wavetank/races/`, one trace per title, the newest wins).
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { EXPLORE_DEFAULTS } from './explore/explore.ts'
import { printRaceTrace } from './explore/race-trace.ts'
import type { RaceHost } from './explore/race.ts'
import { hostClock } from './host-clock.ts'
import { HOST_MODULES } from './host-modules.ts'
import { projectImage } from './node/bindings/fs-image.ts'
import { projectRoot } from './project.ts'

/** `runnerModules`: the test runner's stand-in and the module that declares races, by specifier. */
export function raceHost(runnerModules: () => Readonly<Record<string, unknown>>): RaceHost {
  return {
    tank(file) {
      const root = projectRoot(file)
      return {
        root,
        image: [{ at: root, from: root, reader: projectImage() }],
        hostModules: { ...HOST_MODULES, ...runnerModules() },
      }
    },
    keep(file, finding, options) {
      const root = projectRoot(file)
      const { maxSteps, latenessMs, everyAwait } = { ...EXPLORE_DEFAULTS, ...options }
      const race = { file: relative(root, file), title: finding.title }
      const folder = join(root, '.wavetank', 'races')
      const path = join(folder, `${finding.title.replace(/[^\w-]+/g, '-').slice(0, 80)}.trace.json`)
      mkdirSync(folder, { recursive: true })
      writeFileSync(
        path,
        printRaceTrace(
          { race, maxSteps, latenessMs, everyAwait, finding },
          readFileSync(file, 'utf8'),
          process.version,
        ),
      )
      return `npx wavetank replay ${relative(process.cwd(), path)}`
    },
    nowMs: () => hostClock.nowMs(),
    note: (text) => console.info(text),
  }
}
