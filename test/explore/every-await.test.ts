/** Awaits as scheduling points: off by default, and a race in memory is found only with them. */
import * as vitest from 'vitest'
import * as adapter from 'wavetank/vitest'
import type { ExploreOptions } from '../../src/explore/options.ts'
import { RaceFound } from '../../src/explore/finding.ts'
import { exploreFile } from '../../src/explore/race.ts'
import { runnerStandIn } from '../../src/explore/runner-stand-in.ts'
import { projectImage } from '../../src/node/bindings/fs-image.ts'

const { expect, it } = vitest
const ROOT = new URL('../..', import.meta.url).pathname.replace(/\/$/, '')

const hunt = (title: string, options: ExploreOptions) =>
  exploreFile(
    `${ROOT}/test/explore/every-await.race.ts`,
    title,
    { iterations: 30, ...options },
    {
      image: [{ at: ROOT, from: ROOT, reader: projectImage() }],
      hostModules: { vitest: runnerStandIn(vitest), 'wavetank/vitest': adapter },
    },
  )

it('finds nothing in memory while awaits are what they are', async () => {
  expect((await hunt('the total is always the same', {})).iterations).toBe(30)
})

it('finds a race when the awaits of its file are scheduling points', async () => {
  const found = await hunt('the total is always the same', { everyAwait: ['in-memory-bank.ts'] }).catch(
    (error: unknown) => error,
  )
  expect(found).toBeInstanceOf(RaceFound)
  const { finding } = found as RaceFound
  expect(finding.failure.message).toBe('money was on its way')
  const positions = finding.schedule.map(({ position }) => position)
  expect(positions.some((position) => /in-memory-bank\.ts:\d+:\d+$/.test(position ?? ''))).toBe(true)
})

it('finds nothing where there is nothing', async () => {
  expect((await hunt('the total after a transfer is the same', { everyAwait: true })).iterations).toBe(30)
})
