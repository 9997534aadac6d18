import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { isAlive, processId, type ProcessId } from '../cluster/process-state.ts'
import { cleanUp } from './cleaning.ts'
import { Manifest, RUN_VARIABLE, staleManifests, type Resources } from './manifest.ts'

const IS_LINUX = process.platform === 'linux'
if (!IS_LINUX) console.warn('SKIPPED: cleaning up after real runs needs /proc')

// Processes are told from each other by /proc, which only Linux has.
describe.skipIf(!IS_LINUX)('cleaning up', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wavetank-cleaning-'))
  const children: ChildProcess[] = []
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  function sleeper(env: Record<string, string> = {}): ProcessId {
    const child = spawn('sleep', ['60'], {
      detached: true,
      stdio: 'ignore',
      env: { PATH: process.env.PATH, ...env },
    })
    children.push(child)
    return processId(child.pid!)!
  }

  function edit(path: string, change: Partial<Resources>): void {
    writeFileSync(
      path,
      JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as Resources), ...change }),
    )
  }

  it('ends the processes of a run, also one that is known by its environment alone, and removes its folders', () => {
    const manifest = new Manifest('run-a', folder)
    const [named, marked] = [sleeper(), sleeper({ [RUN_VARIABLE]: 'run-a' })]
    manifest.addProcess(named)
    const made = join(folder, 'made')
    manifest.add('folders', made)
    mkdirSync(made)
    expect(cleanUp(manifest.path)).toEqual([])
    expect([named, marked].map(isAlive)).toEqual([false, false])
    expect(existsSync(made)).toBe(false)
    expect(existsSync(manifest.path)).toBe(false)
  })

  it('removes what a tool that was killed while it wrote its first manifest has left', () => {
    mkdirSync(folder, { recursive: true })
    const path = join(folder, 'run-g.json')
    writeFileSync(`${path}.new`, '{"run":"ru')
    expect(cleanUp(path)).toEqual([])
    expect(existsSync(`${path}.new`)).toBe(false)
  })

  it('runs the commands that take away what is elsewhere, and keeps what one of them could not', () => {
    const manifest = new Manifest('run-e', folder)
    const made = join(folder, 'elsewhere')
    const missing = join(folder, 'missing')
    mkdirSync(made)
    manifest.addCommand(['rmdir', made])
    manifest.addCommand(['ls', missing])
    expect(cleanUp(manifest.path)).toEqual([expect.stringMatching(/^ls … ended with 2: .*missing/)])
    expect(existsSync(made)).toBe(false)
    expect(existsSync(manifest.path)).toBe(true)
    edit(manifest.path, { commands: [] })
    expect(cleanUp(manifest.path)).toEqual([])
  })

  it('takes manifests from no folder that others can write', () => {
    const manifest = new Manifest('run-f', folder)
    const { owner } = manifest.resources
    edit(manifest.path, { owner: { ...owner, startTicks: owner.startTicks + 1 } })
    chmodSync(folder, 0o777)
    expect(() => staleManifests(folder)).toThrow(/others can write/)
    chmodSync(folder, 0o700)
    expect(staleManifests(folder)).toEqual([manifest.path])
  })

  it('touches no process that came to have the number of one of the run, and none of another run', () => {
    const manifest = new Manifest('run-b', folder)
    const [later, other] = [sleeper(), sleeper({ [RUN_VARIABLE]: 'run-c' })]
    manifest.addProcess({ ...later, startTicks: later.startTicks - 1 })
    expect(cleanUp(manifest.path)).toEqual([])
    expect([later, other].map(isAlive)).toEqual([true, true])
  })

  it('takes a manifest for stale when its owner has ended, and only then', () => {
    const manifest = new Manifest('run-d', folder)
    expect(staleManifests(folder)).toEqual([])
    const owner = manifest.resources.owner
    edit(manifest.path, { owner: { ...owner, startTicks: owner.startTicks + 1 } })
    expect(staleManifests(folder)).toEqual([manifest.path])
  })
})
