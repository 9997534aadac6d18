/**
 * `simulationTest` under both runners, as a user has it: campaigns that hold and campaigns that do not, of a simulation file
 * and inline. A failing one prints the story, keeps the trace, and its replay command works from a clean shell.
 */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildOnce } from './build.ts'
import { Project } from './project.ts'

const ROOT = new URL('../..', import.meta.url).pathname

/** Each test starts several processes with threads of their own; how long that takes is the machine's business. */
const MOST_MS = 400_000

const SIMULATION = `
import { simulation } from 'wavetank'
const of = (name, more) => simulation(name, {
  processes: { p: { run: () => setInterval(() => {}, 1000) } },
  workload: { clients: 1, operations: 1, spanMs: 0, run: ({ operation }) => operation('say', () => 1), },
  ...more,
})
export const good = of('good', { invariants: { 'no client says 2': ({ events }) => events.last('operation')?.data.value !== 2 } })
export const bad = of('bad', { invariants: { 'nobody says 1': ({ events }) => events.last('operation')?.data.value !== 1 } })
`

const GAP = `
import { simulation, sometimes } from 'wavetank'
export default simulation('gap', { processes: {}, workload: { run: ({ operation }) => operation('look', () => sometimes(false, 'never seen')) } })
`

const tests = (runner: string): string => `
import { simulationTest } from 'wavetank/${runner}'
import { bad, good } from './a.sim.js'
import gap from './gap.sim.js'

const options = { seeds: 2, jobs: 1 }
simulationTest('a campaign that holds', good, options)
simulationTest('a campaign that breaks', bad, options)
simulationTest('a campaign with a gap', gap, options)
simulationTest('a gap that is allowed', gap, { ...options, allowGaps: true })
simulationTest('a file', new URL('./one.sim.js', import.meta.url), options)
`

/** A closure over the test's own state, in a group, with TypeScript under vitest. */
const inlineTests = (runner: string, group: string): string => `
import { ${group} } from '${runner === 'vitest' ? 'vitest' : 'node:test'}'
import { simulation } from 'wavetank'
import { simulationTest } from 'wavetank/${runner}'

const forbidden = 3
${group}('inline (simulations)', () => {
  const inline = simulation('inline', {
    processes: { p: { run: () => setInterval(() => {}, 1000) } },
    workload: { clients: 2, operations: 5, run: ({ operation, rng }) => operation('draw', () => rng.below(5)) },
    invariants: {
      'never forbidden': ({ events }) => events.last('operation')?.data.value !== forbidden || 'drew ' + forbidden,
    },
  })
  simulationTest('breaks [inline]', inline, { seeds: 20 })
})
`

describe('simulationTest', () => {
  const project = new Project({
    'a.sim.js': SIMULATION,
    'one.sim.js': SIMULATION.replace('export const bad', 'const bad'),
    'gap.sim.js': GAP,
    'under-node.mjs': tests('node-test'),
    'under-vitest.test.mjs': tests('vitest'),
    'test/inline-node.mjs': inlineTests('node-test', 'describe'),
    'test/inline.test.ts': inlineTests('vitest', 'describe'),
  })
  beforeAll(buildOnce, 120_000)

  /** The story is in a test's output, and the command that it prints replays the kept trace. */
  async function replays(output: string, heading: RegExp): Promise<string> {
    expect(output).toMatch(/story of seed \d+, shrunk \d+ → \d+ choices, 0 faults, in \d+ runs?/)
    expect(output).toMatch(/s {2}\S+( \d)? +← /)
    const [, file] = /npx wavetank replay (\S+)/.exec(output)!
    const replayed = await project.wavetank('replay', file)
    expect(replayed.stdout + replayed.stderr).toMatch(heading)
    expect(replayed.stdout).toContain('the same run, to the last step')
    expect(replayed.code).toBe(1)
    return file
  }

  /** The other commands ask the program that declares the simulation, too. */
  async function shrinksAndShows(file: string): Promise<void> {
    const steps = await project.wavetank('trace', file, '--format', 'events')
    expect(steps.stdout).toMatch(/^{"step":\d+,/)
    const shrunk = await project.wavetank('shrink', file, '--output', 'small.json')
    expect(shrunk.stdout + shrunk.stderr).toMatch(/^\d+ → \d+ choices, 0 faults, in \d+ runs?\n/)
    expect((await project.wavetank('replay', 'small.json')).code).toBe(1)
  }
  afterAll(() => project.remove())

  it(
    'passes and fails under node:test',
    async () => {
      const { stdout, code } = await project.node('--test', '--test-reporter', 'tap', 'under-node.mjs')
      expect(stdout).toMatch(/^ *ok \d - a campaign that holds$/m)
      expect(stdout).toMatch(/^ *not ok \d - a campaign that breaks$/m)
      expect(stdout).toMatch(/^ *not ok \d - a campaign with a gap$/m)
      expect(stdout).toMatch(/^ *ok \d - a gap that is allowed$/m)
      expect(stdout).toMatch(/^ *ok \d - a file$/m)
      expect(stdout).toContain('invariant: nobody says 1')
      expect(code).toBe(1)
      await replays(stdout, /bad {2}level sunny {2}seed 1/)
    },
    MOST_MS,
  )

  it(
    'passes and fails under vitest',
    async () => {
      const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
      const { stdout, stderr, code } = await project.node(
        vitest,
        'run',
        '--root',
        project.folder,
        '--reporter',
        'verbose',
        '--no-color',
        'under-vitest',
      )
      const output = stdout + stderr
      expect(output).toMatch(/✓ .*a campaign that holds/)
      expect(output).toMatch(/× .*a campaign that breaks/)
      expect(output).toMatch(/× .*a campaign with a gap/)
      expect(output).toMatch(/✓ .*a gap that is allowed/)
      expect(output).toMatch(/✓ .*a file/)
      expect(output).toContain('invariant: nobody says 1')
      expect(code).toBe(1)
      await replays(output, /bad {2}level sunny {2}seed 1/)
    },
    MOST_MS,
  )

  it(
    'keeps an inline simulation under node:test, and replays it',
    async () => {
      const { stdout, code } = await project.node('--test', '--test-reporter', 'spec', 'test/inline-node.mjs')
      expect(code).toBe(1)
      await shrinksAndShows(await replays(stdout, /inline {2}level sunny {2}seed \d+/))
    },
    MOST_MS,
  )

  it(
    'keeps an inline simulation under vitest, and replays it',
    async () => {
      const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
      const args = [vitest, 'run', '--root', project.folder, '--no-color', 'inline.test']
      const { stdout, stderr, code } = await project.node(...args)
      expect(code).toBe(1)
      await shrinksAndShows(await replays(stdout + stderr, /inline {2}level sunny {2}seed \d+/))
    },
    MOST_MS,
  )

  it(
    'says why an inline simulation cannot be replayed if its program does not reach it any more',
    async () => {
      const gone = new Project({ 'gone.mjs': inlineTests('node-test', 'describe') })
      const { stdout } = await gone.node('gone.mjs')
      const [, file] = /npx wavetank replay (\S+)/.exec(stdout)!
      gone.write({ 'gone.mjs': 'console.log("no test here")' })
      const replayed = await gone.wavetank('replay', file)
      gone.remove()
      expect(replayed.stderr).toMatch(
        /inline simulation 'inline', and `node gone\.mjs` ended without running it/,
      )
      expect(replayed.code).toBe(254)
    },
    MOST_MS,
  )
})
