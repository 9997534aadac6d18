import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { NodeProcess } from './node-process.ts'
import { isAlive, processId } from './process-state.ts'

const IS_LINUX = process.platform === 'linux'
if (!IS_LINUX) console.warn('SKIPPED: processes of a node are told by /proc, which only Linux has')

const folder = mkdtempSync(join(tmpdir(), 'wavetank-process-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function until(isTrue: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1200 && !isTrue(); turn++) await new Promise((resolve) => setTimeout(resolve, 25))
  expect(isTrue()).toBe(true)
}

describe.skipIf(!IS_LINUX)('a signal to a node', () => {
  it('reaches what its program has put into another process group', async () => {
    const stdout = join(folder, 'stdout')
    const node = new NodeProcess(stdout, join(folder, 'stderr'))
    // With `set -m` a shell gives every job a group of its own.
    const args = ['-c', 'set -m; sleep 60 & echo $!; wait']
    await node.start({ command: 'sh', args, env: { PATH: process.env.PATH }, cwd: folder }, () => {})
    await until(() => readFileSync(stdout, 'utf8').endsWith('\n'))
    const child = processId(Number(readFileSync(stdout, 'utf8')))!
    expect(isAlive(child)).toBe(true)
    const exit = node.exit(60_000)
    node.signal('SIGKILL')
    expect(await exit).toEqual({ code: null, signal: 'SIGKILL' })
    await until(() => !isAlive(child))
  })
})
