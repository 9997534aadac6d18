import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { RUN_VARIABLE } from '../../cleanup/manifest.ts'
import { isAlive, processId } from '../process-state.ts'
import { cleaningScript } from './remote-cleanup.ts'
import { line } from './shell-words.ts'

const IS_LINUX = process.platform === 'linux'
if (!IS_LINUX) console.warn('SKIPPED: cleaning up on other machines is about /proc')

describe.skipIf(!IS_LINUX)('cleaning up on another machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wavetank-remote-'))
  const pids: number[] = []
  afterEach(() => {
    for (const pid of pids.splice(0)) process.kill(pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  it('ends the processes of the run and removes its folder, and leaves those of another run', () => {
    const of = (run: string) => {
      const env = { PATH: process.env.PATH, [RUN_VARIABLE]: run }
      return processId(spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env }).pid!)!
    }
    const [ours, other] = [of('run-a'), of('run-ab')]
    pids.push(other.pid)
    mkdirSync(join(folder, 'n1'))
    writeFileSync(join(folder, 'n1/file'), '')
    const clean = (): number | null => spawnSync('sh', ['-c', cleaningScript('run-a', folder)]).status
    expect(clean()).toBe(0)
    expect([ours, other].map(isAlive)).toEqual([false, true])
    expect(existsSync(folder)).toBe(false)
    expect(clean()).toBe(0)
  })
})

describe('the words of a shell', () => {
  it('come out as they went in', () => {
    const words = ['a b', "it's", '$HOME', '"', '', 'ä\nb', '--x=1', '`id`', '*']
    const { stdout } = spawnSync('sh', ['-c', `printf '%s|' ${line(words)}`], { encoding: 'utf8' })
    expect(stdout.split('|').slice(0, -1)).toEqual(words)
  })
})
