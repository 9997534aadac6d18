import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { NodeProcess } from './node-process.ts'
import { familiesOf, isAlive, processId } from './process-state.ts'

const IS_LINUX = process.platform === 'linux'
if (!IS_LINUX) console.warn('SKIPPED: processes of a node are told by /proc, which only Linux has')

const folder = mkdtempSync(join(tmpdir(), 'wavetank-process-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function until(isTrue: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1200 && !isTrue(); turn++) await new Promise((resolve) => setTimeout(resolve, 25))
  expect(isTrue()).toBe(true)
}

describe.skipIf(!IS_LINUX)('a signal to a node', () => {
  it.each([
    // With `set -m` a shell gives every job a group of its own.
    ['another process group', 'set -m; sleep 60 & echo $!; wait'],
    // As PostgreSQL does. It also writes over its environment.
    ['a session of its own', 'setsid sleep 60 & sleep 0.2; echo $!; wait'],
  ])('reaches what its program has put into %s', async (name, script) => {
    const stdout = join(folder, name)
    const node = new NodeProcess(stdout, join(folder, 'stderr'))
    const args = ['-c', script]
    await node.start({ command: 'sh', args, env: { PATH: process.env.PATH }, cwd: folder }, () => {})
    await until(() => readFileSync(stdout, 'utf8').endsWith('\n'))
    const child = processId(Number(readFileSync(stdout, 'utf8')))!
    expect(isAlive(child)).toBe(true)
    node.signal('SIGSTOP')
    await until(() => node.pids.length === 2 && node.states().every((state) => state === 'T'))
    const exit = node.exit(60_000)
    node.signal('SIGKILL')
    expect(await exit).toEqual({ code: null, signal: 'SIGKILL' })
    await until(() => !isAlive(child))
  })
})

describe('the processes of nodes', () => {
  it('are those of its session and what they have started, without daemons', () => {
    const all = [
      { pid: 1, parent: 0, session: 1 },
      { pid: 10, parent: 1, session: 10 },
      { pid: 11, parent: 10, session: 10 },
      { pid: 12, parent: 1, session: 10 }, // its parent has ended
      { pid: 13, parent: 11, session: 13 },
      { pid: 14, parent: 13, session: 13 },
      { pid: 15, parent: 1, session: 15 }, // a daemon
      { pid: 20, parent: 10, session: 20 }, // another node
    ]
    expect(familiesOf(new Set([10]), all).map(([pid]) => pid)).toEqual([10, 11, 12, 13, 14, 20])
    expect(familiesOf(new Set([10, 20]), all)).toContainEqual([20, 20])
    expect(familiesOf(new Set([99]), all)).toEqual([])
  })
})
