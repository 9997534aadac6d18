/** What users get wrong: each has an answer of its own. */
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import * as vitest from 'vitest'
import * as adapter from 'wavetank/vitest'
import type { ExploreOptions } from '../../src/explore/options.ts'
import { RaceFound } from '../../src/explore/finding.ts'
import { exploreFile } from '../../src/explore/race.ts'
import { runnerStandIn } from '../../src/explore/runner-stand-in.ts'
import { projectImage } from '../../src/node/bindings/fs-image.ts'

const { describe, expect, it } = vitest
const ROOT = new URL('../..', import.meta.url).pathname.replace(/\/$/, '')

/** A module of the host's inside the world, as a test runner's own are: what it does is done outside. */
const HOST_MODULE = {
  writeRealFile: () => writeFileSync(`${tmpdir()}/wavetank-must-not-write-this`, 'x'),
  connectForReal: () => new Promise((resolve) => connect(9, '127.0.0.1').on('error', resolve)),
}

const hunt = (title: string, options: ExploreOptions = {}, file = 'bad-input') =>
  exploreFile(
    `${ROOT}/test/explore/fixtures/${file}.race.mjs`,
    title,
    { iterations: 5, ...options },
    {
      image: [{ at: ROOT, from: ROOT, reader: projectImage() }],
      hostModules: { vitest: runnerStandIn(vitest), 'wavetank/vitest': adapter, 'host-module': HOST_MODULE },
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
    expect(message).toMatch(/^not done after 200 steps: main waits for /)
  })

  it('that takes longer than it may is stopped', async () => {
    const { category, message } = await failureOf('takes ten seconds', { timeoutMs: 5_000 })
    expect(category).toBe('time-limit')
    expect(message).toMatch(/^not done after 5000 ms: main waits for /)
    const options = { timeoutMs: 12_000, latenessMs: 1_000 }
    expect((await hunt('takes ten seconds', options)).iterations).toBe(5)
  })

  it('that waits for ever is a deadlock, whatever time it has', async () => {
    expect((await failureOf('waits for ever', { timeoutMs: 5_000 })).category).toBe('deadlock')
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

  it('that changes what everybody shares is warned of, and its change undone', async () => {
    const warned = once(process, 'warning') as Promise<[Error & { code: string }]>
    expect((await hunt('changes what everybody shares')).iterations).toBe(5)
    const [{ message, code }] = await warned
    expect(code).toBe('WAVETANK_LEAK')
    expect(message).toContain('Array.prototype.leakedByARace')
    expect('leakedByARace' in Array.prototype).toBe(false)
  })

  it('that does so in some schedules is explored as if it never had', async () => {
    const warned = once(process, 'warning') as Promise<[Error]>
    expect(
      (await hunt('changes what everybody shares in some schedules', { iterations: 60 })).iterations,
    ).toBe(60)
    expect((await warned)[0].message).toContain('Array.prototype.leakedNowAndThen')
    expect('leakedNowAndThen' in Array.prototype).toBe(false)
  })

  it.each(['writes a real file', 'connects for real'])(
    'that %s behind our back is told so',
    async (title) => {
      const { key, message } = await failureOf(title)
      expect(key).toMatch(/^(exception|uncaught) ERR_WAVETANK_ESCAPE$/)
      expect(message).toMatch(/process test reached (fs|tcp_wrap)\..* of the real machine/)
      expect(existsSync(`${tmpdir()}/wavetank-must-not-write-this`)).toBe(false)
    },
  )
})
