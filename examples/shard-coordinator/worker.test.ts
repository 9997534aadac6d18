/**
 * Crashes of a worker at every place: before and after every request. Its file changes between two requests and by a
 * rename, so these are all the places there are. Whatever it had done, the next start goes on, and in the end the ledger
 * has what was planted, once each. The shard is long enough for the worker to split it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { RequestError, type CoordinatorClient } from './client.js'
import { Coordinator } from './coordinator.js'
import { truthOf } from './dataset.js'
import { ERRORS } from './errors.js'
import { COMMANDS } from './machine.js'
import type { Command, Finding, Result } from './types.ts'
import { Worker } from './worker.js'

const DATA = { seed: 3, count: 45 }
/** Far longer than a test takes: a worker renews by its own clock, and the number of requests must not depend on it. */
const LEASE_MS = 3_600_000
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

class Crash extends Error {}

/** A coordinator in this process. Time goes on by a little with every request, and by what a worker is asked to wait. */
class Setting {
  readonly core = new Coordinator()
  readonly recorded: Finding[] = []
  readonly folder = mkdtempSync(join(tmpdir(), 'wavetank-worker-'))
  requests = 0
  crashAt = Infinity
  crashAfter = false
  private nowMs = 0

  constructor() {
    folders.push(this.folder)
    this.ask('create-run', { operation: 'create', leaseMs: LEASE_MS, cooldownMs: 0 })
    this.ask('register-shards', { operation: 'register', shards: [{ start: '', end: '' }] })
    this.requests = 0
  }

  ask(op: string, fields: object): any {
    const request = ++this.requests
    if (request === this.crashAt && !this.crashAfter) throw new Crash()
    this.nowMs += 1
    const command = { op, tenant: 't', run: 'r', ...fields } as Command
    const { result, findings } =
      op in COMMANDS
        ? this.core.execute(command, this.nowMs)
        : { result: this.core.query(command), findings: [] }
    this.recorded.push(...findings)
    if (request === this.crashAt) throw new Crash()
    this.pass((result as Result).retryAfterMs ?? 0) // the worker waits
    if (result.error !== undefined)
      throw new RequestError(result.error, ERRORS[result.error].message, { ...result, retryAfterMs: 0 })
    return result
  }

  /** One life of a worker: until everything is done, or it crashes. */
  async live(name: string): Promise<'done' | 'crashed'> {
    const client = {
      ask: async (op: string, fields: object) => {
        const { active } = this.core.query({ op: 'progress', tenant: 't', run: 'r' }) as { active: number }
        if (active === 0 && op === 'claim') throw new RequestError('run-terminal', 'the run is over')
        return this.ask(op, fields)
      },
    } as unknown as CoordinatorClient
    try {
      await new Worker({ client, name, folder: this.folder, data: DATA, pauseMs: 0 }).run()
      return 'done'
    } catch (error) {
      if (!(error instanceof Crash)) throw error
      this.nowMs += 1
      return 'crashed'
    }
  }

  pass(ms: number): void {
    this.nowMs += ms
  }
}

function expectTruth({ recorded, core }: Setting): void {
  expect(recorded.map(({ key }) => key).sort()).toEqual(truthOf(DATA))
  const { findings } = core.query({ op: 'findings', tenant: 't', run: 'r' }) as { findings: Finding[] }
  expect(findings.map(({ key }) => key).sort()).toEqual(truthOf(DATA))
}

describe('a worker', () => {
  it('finds what was planted, once each', async () => {
    const setting = new Setting()
    expect(await setting.live('w')).toBe('done')
    expectTruth(setting)
    const { active, done } = setting.core.query({ op: 'progress', tenant: 't', run: 'r' }) as any
    expect({ active, done }).toEqual({ active: 0, done: 2 })
  })

  it.each([
    ['before', 'the same worker while its lease is in force', 0],
    ['after', 'the same worker while its lease is in force', 0],
    ['before', 'the same worker after its lease has ended', 2 * LEASE_MS],
    ['after', 'the same worker after its lease has ended', 2 * LEASE_MS],
  ])('that crashes %s any request goes on: %s', async (when, _, restMs) => {
    const whole = new Setting()
    await whole.live('w')
    for (let crashAt = 1; crashAt <= whole.requests; crashAt++) {
      const setting = new Setting()
      Object.assign(setting, { crashAt, crashAfter: when === 'after' })
      expect(await setting.live('w')).toBe('crashed')
      setting.pass(restMs)
      expect(await setting.live('w')).toBe('done')
      expectTruth(setting)
    }
  })

  it('that crashes after any request leaves its work to another', async () => {
    const whole = new Setting()
    await whole.live('w')
    for (let crashAt = 1; crashAt <= whole.requests; crashAt++) {
      const setting = new Setting()
      Object.assign(setting, { crashAt, crashAfter: true })
      expect(await setting.live('w1')).toBe('crashed')
      rmSync(join(setting.folder, 'lease.json'), { force: true }) // another machine
      setting.pass(2 * LEASE_MS)
      expect(await setting.live('w2')).toBe('done')
      expectTruth(setting)
    }
  })
})
