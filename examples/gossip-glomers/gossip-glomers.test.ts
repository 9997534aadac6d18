/** The solutions of the Gossip Glomers challenges meet their goals in the tank, and wrong nodes are caught. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'

// Each test is a command of its own, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const FOLDER = import.meta.dirname
const ROOT = join(FOLDER, '../..')
const COMMAND = ['--import', './scripts/typescript.mjs', 'src/cli/main.ts', 'maelstrom']
const stores: string[] = []

interface StoredResults {
  readonly workload: Readonly<Record<string, unknown>>
  readonly availability: Readonly<Record<string, unknown>>
  readonly net: { readonly servers: { readonly 'msgs-per-op': number } }
}

/** Runs a test in the tank; gives the exit code, the results and a function that reads a file of the store. */
function test(workload: string, file: string, ...more: string[]) {
  const store = mkdtempSync(join(tmpdir(), 'maelstrom-'))
  stores.push(store)
  const bin = join(FOLDER, file)
  const args = ['test', '-w', workload, '--bin', bin, '--store', store, '--seed', '7', ...more]
  const { status, stderr } = spawnSync(process.execPath, [...COMMAND, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const read = (name: string): string => readFileSync(join(store, 'latest', name), 'utf8')
  expect(stderr).toBe('')
  return { code: status, read, results: JSON.parse(read('results.json')) as StoredResults }
}

afterAll(() => {
  for (const store of stores) rmSync(store, { recursive: true })
})

const PARTITIONS = ['--nemesis', 'partition', '--nemesis-interval', '3']

describe('Gossip Glomers', () => {
  it('1: echo', () => {
    expect(test('echo', 'echo.ts', '--node-count', '1', '--time-limit', '10').code).toBe(0)
  })

  it('2: unique ids, totally available under partitions', () => {
    const more = ['--node-count', '3', '--rate', '100', '--time-limit', '5', '--availability', 'total']
    const { code, results } = test('unique-ids', 'unique-ids.ts', ...more, ...PARTITIONS)
    expect(code).toBe(0)
    expect(results.availability).toEqual({ 'valid?': true, 'ok-fraction': 1 })
    expect(results.workload['acknowledged-count']).toBeGreaterThan(300)
  })

  it('3c: broadcast loses nothing under partitions, and a seed gives the same files again', () => {
    const more = ['--rate', '10', '--time-limit', '10', ...PARTITIONS]
    const { code, read, results } = test('broadcast', 'broadcast.ts', ...more)
    expect(code).toBe(0)
    expect(results.workload).toMatchObject({ 'valid?': true, 'lost-count': 0 })
    expect(results.workload['stable-count']).toBe(results.workload['attempt-count'])
    expect(read('history.jsonl')).toContain('start-partition')
    const again = test('broadcast', 'broadcast.ts', ...more)
    for (const name of ['history.jsonl', 'history.edn', 'history.txt', 'results.json', 'results.edn'])
      expect(again.read(name)).toBe(read(name))
  })

  const LARGE = ['--node-count', '25', '--rate', '100', '--latency', '100', '--time-limit', '4']

  it.each([
    ['3d', 'broadcast-fast.ts', 30, 400, 600],
    ['3e', 'broadcast-frugal.ts', 20, 1000, 2000],
  ])('%s: %s has its goal in messages and in latency', (_, file, messages, median, most) => {
    const { code, results } = test('broadcast', file, ...LARGE)
    expect(code).toBe(0)
    expect(results.net.servers['msgs-per-op']).toBeLessThan(messages)
    const latencies = results.workload['stable-latencies'] as Record<string, number>
    expect(latencies['0.5']).toBeLessThan(median)
    expect(latencies['1']).toBeLessThan(most)
  })

  it('3e: it loses nothing under partitions', () => {
    const more = ['--node-count', '9', '--rate', '20', '--latency', '100', '--time-limit', '10']
    const { code, results } = test('broadcast', 'broadcast-frugal.ts', ...more, ...PARTITIONS)
    expect(code).toBe(0)
    expect(results.workload).toMatchObject({ 'valid?': true, 'lost-count': 0 })
  })

  it('4: a counter on seq-kv has the right sum after partitions', () => {
    const more = ['--node-count', '3', '--rate', '100', '--time-limit', '10']
    expect(test('g-counter', 'g-counter.ts', ...more, ...PARTITIONS).code).toBe(0)
  })

  it('5a: logs on one node', () => {
    const more = ['--node-count', '1', '--concurrency', '2n', '--rate', '500', '--time-limit', '4']
    const { code, results } = test('kafka', 'kafka.ts', ...more)
    expect(code).toBe(0)
    expect(results.workload).toMatchObject({ 'valid?': true, 'bad-error-types': [] })
  })
})

describe('a wrong node is caught', () => {
  it.each([
    ['echo', 'echo-shouts.ts', 'wrong-echo', []],
    ['unique-ids', 'ids-repeat.ts', 'duplicated', []],
    ['broadcast', 'broadcast-keeps.ts', 'lost', []],
    ['broadcast', 'broadcast-once.ts', 'lost', PARTITIONS],
    ['g-counter', 'counter-overwrites.ts', 'impossible-read', []],
    ['kafka', 'kafka-apart.ts', 'inconsistent-offsets', ['--node-count', '2']],
  ])('%s: %s', (workload, file, anomaly, more) => {
    const { code, results } = test(
      workload,
      join('wrong', file),
      '--rate',
      '10',
      '--time-limit',
      '10',
      ...more,
    )
    expect(code).toBe(1)
    expect((results.workload.findings as string[]).map((each) => each.split(':')[0])).toContain(anomaly)
  })
})
