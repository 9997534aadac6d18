/** What users get wrong: each has an answer of its own. */
import * as vitest from 'vitest'
import * as adapter from 'wavetank/vitest'
import type { ExploreOptions } from '../../src/explore/explore.ts'
import { RaceFound } from '../../src/explore/finding.ts'
import { exploreFile } from '../../src/explore/race.ts'
import { runnerStandIn } from '../../src/explore/runner-stand-in.ts'
import { projectImage } from '../../src/node/bindings/fs-image.ts'

const { describe, expect, it } = vitest
const ROOT = new URL('../..', import.meta.url).pathname.replace(/\/$/, '')

const hunt = (title: string, options: ExploreOptions = {}, file = 'bad-input') =>
  exploreFile(
    `${ROOT}/test/explore/fixtures/${file}.race.mjs`,
    title,
    { iterations: 5, ...options },
    {
      image: [{ at: ROOT, from: ROOT, reader: projectImage() }],
      hostModules: { vitest: runnerStandIn(vitest), 'wavetank/vitest': adapter },
    },
  )

async function failureOf(title: string, options?: ExploreOptions) {
  const error: unknown = await hunt(title, options).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(RaceFound)
  return (error as RaceFound).finding.failure
}

describe('a race', () => {
  it('that never awaits holds in its one schedule', async () => {
    expect((await hunt('never awaits')).iterations).toBe(5)
  })

  it('that never ends is stopped at the step limit', async () => {
    const { category, message } = await failureOf('never ends', { maxSteps: 200 })
    expect(category).toBe('step-limit')
    expect(message).toBe('not done after 200 steps')
  })

  it('that waits for ever is a deadlock', async () => {
    expect((await failureOf('waits for ever')).category).toBe('deadlock')
  })

  it('that exits says so', async () => {
    expect((await failureOf('exits')).message).toMatch(/the process ended: exit code 3/)
  })

  it('has fresh modules and globals in every schedule', async () => {
    expect((await hunt('state of the module is fresh')).iterations).toBe(5)
  })

  it('whose title is used twice is refused', async () => {
    await expect(hunt('twice', {}, 'one-title')).rejects.toThrow(/two races of one file are called "twice"/)
  })

  it('whose title is not there is refused with those that are', async () => {
    await expect(hunt('thrice')).rejects.toThrow(/no race called "thrice"; it declares "never awaits"/)
  })
})
