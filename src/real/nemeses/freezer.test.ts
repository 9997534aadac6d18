import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { cleanUp } from '../cleanup/cleaning.ts'
import { Manifest } from '../cleanup/manifest.ts'
import { freezerRefusal, FrozenGroup, groupRoot, ranNs } from './freezer.ts'

const IS_LINUX = process.platform === 'linux'
const REFUSAL = IS_LINUX ? freezerRefusal() : 'this is not Linux'
if (REFUSAL !== null) console.warn(`SKIPPED: freezing real processes: ${REFUSAL}`)

const children: ChildProcess[] = []
const ends: (() => void)[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const end of ends.splice(0)) end()
})

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function until(isTrue: () => boolean): Promise<void> {
  for (let turn = 0; turn < 500 && !isTrue(); turn++) await pause(20)
  expect(isTrue()).toBe(true)
}

/** A process that never rests. */
function busy(): number {
  const child = spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' })
  children.push(child)
  return child.pid!
}

const groupOf = (pid: number): string => /^0::(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))![1]

describe('where control groups are', () => {
  it('is the mount of version 2, and there is a reason if there is none', () => {
    const mounts =
      'cgroup /sys/fs/cgroup/freezer cgroup rw 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n'
    expect(groupRoot(mounts)).toBe('/sys/fs/cgroup/unified')
    expect(groupRoot('proc /proc proc rw 0 0\n')).toBeNull()
    expect(freezerRefusal(null)).toMatch(/version 2 are not mounted/)
    expect(freezerRefusal('/nowhere')).toMatch(/not writable: only root/)
  })
})

describe.skipIf(REFUSAL !== null)('a frozen group', () => {
  const name = (): string => join(groupRoot()!, `wavetank-test-${process.pid}-${children.length}`)

  it('holds a process that would run, and gives it back to its own group', async () => {
    const pid = busy()
    const home = groupOf(pid)
    await until(() => ranNs(pid) > 0)
    const group = new FrozenGroup(name())
    group.take(groupRoot()!, [pid])
    await until(() => group.isFrozen)
    const before = ranNs(pid)
    await pause(60)
    expect(ranNs(pid)).toBe(before)
    expect(group.pids).toEqual([pid])
    group.release()
    expect(groupOf(pid)).toBe(home)
    expect(existsSync(group.path)).toBe(false)
    await until(() => ranNs(pid) > before)
  })

  it('has nothing of a process that has ended', () => {
    const group = new FrozenGroup(name())
    group.take(groupRoot()!, [2 ** 30])
    expect(group.pids).toEqual([])
    group.release()
    expect(existsSync(group.path)).toBe(false)
  })

  it('goes with its process when a run that died has left it frozen', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wavetank-frozen-'))
    ends.push(() => rmSync(folder, { recursive: true }))
    const manifest = new Manifest('run-frozen', folder)
    const child = spawn('sleep', ['60'], {
      stdio: 'ignore',
      detached: true,
      env: { WAVETANK_REAL_RUN: 'run-frozen', PATH: process.env.PATH },
    })
    children.push(child)
    const group = new FrozenGroup(name())
    manifest.add('groups', group.path)
    group.take(groupRoot()!, [child.pid!])
    await until(() => group.isFrozen)
    expect(cleanUp(manifest.path)).toEqual([])
    expect(existsSync(group.path)).toBe(false)
    expect(existsSync(manifest.path)).toBe(false)
  })
})
