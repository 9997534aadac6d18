/** Run by reproducible.test.ts in a process of its own: explores one race of one file and keeps what it finds. */
import { RaceFound } from '../../src/explore/finding.ts'
import { createRace, exploreFile } from '../../src/explore/race.ts'
import { raceHost } from '../../src/race-host.ts'

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
try {
  await exploreFile(file, title, options, host.tank(file))
  process.exitCode = 2
} catch (error) {
  if (!(error instanceof RaceFound)) throw error
  host.keep(file, error.finding, options)
}
