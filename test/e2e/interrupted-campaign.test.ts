/**
 * A campaign that is ended from outside, at random moments: killed, interrupted, or without room on its disk. Whatever it
 * had found is there whole and can be replayed, and no process of it is left. A full disk is a limit on the size of files, which fails a write in its
 * middle as a full disk does. `WAVETANK_FULL=1` takes 20 moments of each kind, otherwise 3.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { buildOnce } from './build.ts'
import { CLI, throwAwayProjects, type Outcome, type Project } from './project.ts'

vi.setConfig({ testTimeout: 1_800_000 })

const MOMENTS = process.env.WAVETANK_FULL === '1' ? 20 : 3

/** Several bugs, so that findings are made all the time. */
const SIMULATION = `
import { simulation } from 'wavetank'
export default simulation('leaky', {
  processes: { server: { run(process, node) { node.require('node:http').createServer((_, response) => response.end('x')).listen(80) } } },
  workload: {
    clients: 2,
    operations: 5,
    async run({ operation, rng }) {
      await operation('go', async () => { await fetch('http://server/'); return rng.between(0, 40) })
    },
    check({ history }) {
      for (const output of history.output) if (output > 30) throw new Error('a value that is ' + 'x'.repeat(output - 30))
    },
  },
})
`

const project = throwAwayProjects()

interface Ended extends Outcome {
  readonly signal: string | null
}

/** Runs a campaign without end, in a shell that may set limits first, and does something to it after some time. */
function run(
  { folder }: Project,
  args: readonly string[],
  {
    limit = '',
    afterMs = 0,
    signals = [],
  }: { limit?: string; afterMs?: number; signals?: readonly NodeJS.Signals[] },
): Promise<Ended> {
  const command = `${limit} exec "$0" "$@"`
  const child = spawn('sh', ['-c', command, process.execPath, CLI, 'run', '--jobs', '2', ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '', NODE_OPTIONS: '' },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (text) => (stdout += String(text)))
  child.stderr.on('data', (text) => (stderr += String(text)))
  // The time counts from the first finding; before it there is nothing to lose.
  const latest = join(folder, '.wavetank/runs/latest')
  const watch = setInterval(() => {
    if (signals.length === 0 || !existsSync(latest)) return
    clearInterval(watch)
    setTimeout(() => signals.forEach((signal) => child.kill(signal)), afterMs)
  }, 20)
  child.on('close', () => clearInterval(watch))
  return new Promise((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
  )
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Every trace is whole, and one of them replays. Returns how many there are. */
async function expectReplayable(leaky: Project): Promise<number> {
  const files = filesIn(join(leaky.folder, '.wavetank/runs')).filter((file) => file.endsWith('.json'))
  for (const file of files) JSON.parse(readFileSync(file, 'utf8'))
  if (files.length === 0) return 0
  const one = files[Math.floor(Math.random() * files.length)]
  const { code, stdout } = await leaky.wavetank('replay', one)
  expect({ one, code, stdout }).toMatchObject({ code: 1 })
  expect(stdout).toContain('the same run, to the last step')
  return files.length
}

/** Processes that work in a folder; Linux says which. */
function processesIn(folder: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter((entry) => {
    try {
      return /^\d+$/.test(entry) && readlinkSync(`/proc/${entry}/cwd`) === folder
    } catch {
      return false // it has ended meanwhile, or is none of ours
    }
  })
}

/** The compiler's process ends when it sees that its parent has. */
async function expectNoOrphan({ folder }: Project): Promise<void> {
  await expect.poll(() => processesIn(realpathSync(folder)), { timeout: 10_000 }).toEqual([])
}

const FOREVER = ['--seeds', '1000000', '--no-shrink']
const moments = Array.from({ length: MOMENTS }, (_, i) => i)

describe('a campaign that is ended from outside', () => {
  beforeAll(buildOnce, 120_000)

  it('loses nothing that it found when it is killed', async () => {
    let found = 0
    for (const _ of moments) {
      const leaky = project({ 'leaky.sim.js': SIMULATION })
      const { signal } = await run(leaky, FOREVER, {
        afterMs: Math.random() * 2000,
        signals: ['SIGKILL'],
      })
      expect(signal).toBe('SIGKILL')
      await expectNoOrphan(leaky)
      found += await expectReplayable(leaky)
    }
    expect(found).toBeGreaterThan(0)
  })

  it('reports what has run when it is interrupted, and keeps what it found', async () => {
    for (const i of moments) {
      const leaky = project({ 'leaky.sim.js': SIMULATION })
      const signal = i % 2 === 0 ? 'SIGINT' : 'SIGTERM'
      const { code, stdout, stderr } = await run(leaky, FOREVER, {
        afterMs: 100 + Math.random() * 2000,
        signals: [signal],
      })
      await expectNoOrphan(leaky)
      expect(stderr).toContain('interrupted; finishing the report')
      expect({ code, stdout }).toMatchObject({ code: 1 })
      expect(stdout).toMatch(/✗ leaky {2}level sunny {2}violated/)
      expect(stdout).toMatch(/seeds +\d+ from 1, .* interrupted/)
      expect(await expectReplayable(leaky)).toBeGreaterThan(0)
      const files = filesIn(join(leaky.folder, '.wavetank/runs'))
      expect(files.filter((file) => !/\/f\d+\.json$/.test(file))).toEqual([])
    }
  })

  it('gives its verdict when the disk is full, and leaves no part of a file', async () => {
    for (const _ of moments) {
      const leaky = project({ 'leaky.sim.js': SIMULATION })
      const blocks = 1 + Math.floor(Math.random() * 8)
      const { code, stdout, stderr } = await run(leaky, ['--seeds', '10', '--no-shrink'], {
        limit: `trap '' XFSZ; ulimit -f ${blocks};`,
      })
      expect({ code, stderr }).toMatchObject({ code: 1 })
      await expectNoOrphan(leaky)
      expect(stdout).toMatch(/✗ leaky {2}level sunny {2}violated/)
      const files = filesIn(join(leaky.folder, '.wavetank/runs'))
      expect(files.filter((file) => file.endsWith('.part'))).toEqual([])
      expect(files.length > 0 || /the failure of seed \d+ is not kept: /.test(stdout)).toBe(true)
      await expectReplayable(leaky)
    }
  })

  it('warns before it begins when failures cannot be kept, and shows them all the same', async () => {
    const leaky = project({ 'leaky.sim.js': SIMULATION })
    writeFileSync(join(leaky.folder, '.wavetank'), 'a file where a folder should be')
    const { code, stdout, stderr } = await run(leaky, ['--seeds', '5', '--no-shrink'], {})
    expect(stderr).toMatch(/failures cannot be kept in .*: .*\.wavetank is not a folder/)
    expect(code).toBe(1)
    expect(stdout).toMatch(/story of seed \d+/)
    expect(stdout).toMatch(/npx wavetank run leaky --level sunny --seed \d+/)
  })

  it('refuses an output that cannot be written before it begins, and keeps the verdict if that shows only later', async () => {
    const leaky = project({ 'leaky.sim.js': SIMULATION })
    const refused = await run(leaky, ['--seeds', '5', '-o', 'no/such/folder/report.txt'], {})
    expect(refused).toMatchObject({ code: 254, stdout: '' })
    expect(refused.stderr).toMatch(
      /--output no\/such\/folder\/report.txt cannot be written: there is no folder/,
    )
    const late = await run(leaky, ['--seeds', '5', '--no-shrink', '--json', '-o', '/dev/full'], {})
    expect(late.stderr).toMatch(/\/dev\/full cannot be written: ENOSPC/)
    expect(late.stdout).toMatch(/✗ leaky {2}level sunny {2}violated/)
    expect(late.code).toBe(1)
  })
})
