import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { simulate } from '../../src/index.ts'
import { FULL, objectionsTo } from '../storm-verdict.test-support.ts'

const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

function client(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [at('client.js'), ...args])
  let output = ''
  child.stdout.on('data', (text) => (output += String(text)))
  return new Promise((resolve) => child.on('close', () => resolve(output.trim())))
}

describe('the key-value example', () => {
  it('runs under plain Node', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wavetank-kv-'))
    const port = String(20_000 + (process.pid % 20_000))
    const server = spawn(process.execPath, [at('server.js'), '--port', port, '--data', folder])
    try {
      await new Promise((resolve) => server.stdout.once('data', resolve))
      const answers = [
        await client(`localhost:${port}`, 'put', 'a', '5'),
        await client(`localhost:${port}`, 'get', 'a'),
      ]
      expect(answers).toEqual(['ok', '5'])
    } finally {
      server.kill()
      rmSync(folder, { recursive: true })
    }
  })

  it('holds in storms', async () => {
    const { verdict, failures } = await simulate(at('kv.sim.ts'), {
      level: 'stormy',
      seeds: FULL ? 200 : 20,
      jobs: 0,
    })
    expect(failures).toEqual([])
    expect(verdict).toBe('held')
  })

  it('holds under the whole fault catalogue, each seed the same twice', async () => {
    const seeds = FULL ? 2000 : 10
    const campaign = await simulate(at('kv.sim.ts'), { level: 'radioactive', seeds, jobs: 0, verify: FULL })
    expect(objectionsTo(campaign)).toEqual([])
  }, 3_600_000)

  it('needs no storm to break when wire and disk are looked at', async () => {
    const result = await simulate(at('kv-unsynced.ts'), { level: 'sunny', seeds: 1, jobs: 0 })
    expect(result.bugs.map((bug) => bug.signature)).toEqual([
      'invariant: what is answered is on the disk (put # is answered, but not on the disk)',
    ])
    expect(result.bugs[0].message).toMatch(/^(put|delete) \S+ is answered, but not on the disk$/)
  })

  // The bug shows in about one seed in twelve: sixty seeds miss it once in two hundred versions of this file.
  it('breaks when it answers before the disk has the data', async () => {
    const result = await simulate(at('kv-broken.sim.ts'), { level: 'stormy', seeds: 60, bail: true, jobs: 0 })
    expect(result.bugs.map((bug) => bug.signature)).toEqual([
      'invariant: a read sees the last write (# is #, but must be #)',
    ])
  })
})
