/** Run by reproducible.test.ts in a process of its own: explores one race of one file and keeps what it finds. */
import { createRace } from '../../src/runners/race.ts'
import { exploreFile } from '../../src/explore/search/race-file.ts'
import { raceHost } from '../../src/runners/race-host.ts'

const [file, title, seed] = process.argv.slice(2)
const never = (): never => {
  throw new Error('a race was declared outside of its world')
}
const race = createRace(
  { test: never, only: never, skip: never },
  { tank: never, keep: never, nowMs: never, note: never },
)
const host = raceHost(() => ({ modules: { 'wavetank/vitest': { race } } }))
const options = { seed: Number(seed), iterations: 200 }
const exploration = await exploreFile(file, title, options, host.tank(file))
if (exploration.kind === 'found') host.keep(file, exploration.finding, options)
else process.exitCode = 2
