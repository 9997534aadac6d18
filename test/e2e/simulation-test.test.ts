/** `simulationTest` under both runners, as a user has it: one campaign that holds, one that does not. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildOnce } from './build.ts'
import { Project } from './project.ts'

const ROOT = new URL('../..', import.meta.url).pathname

const SIMULATION = `
import { simulation } from 'wavetank'
const of = (name, more) => simulation(name, {
  processes: { p: { run: () => setInterval(() => {}, 1000) } },
  workload: { clients: 1, operations: 1, spanMs: 0, run: ({ operation }) => operation('say', {}, () => 1), },
  ...more,
})
export const good = of('good', {})
export const bad = of('bad', { invariants: { 'nobody says 1': ({ events }) => events.last('operation')?.data.value !== 1 } })
`

const GAP = `
import { simulation, sometimes } from 'wavetank'
export default simulation('gap', { processes: {}, workload: { run: () => sometimes(false, 'never seen') } })
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

describe('simulationTest', () => {
  const project = new Project({
    'a.sim.js': SIMULATION,
    'one.sim.js': SIMULATION.replace('export const bad', 'const bad'),
    'gap.sim.js': GAP,
    'under-node.mjs': tests('node-test'),
    'under-vitest.test.mjs': tests('vitest'),
  })
  beforeAll(buildOnce, 120_000)
  afterAll(() => project.remove())

  it('passes and fails under node:test', async () => {
    const { stdout, code } = await project.node('--test', '--test-reporter', 'tap', 'under-node.mjs')
    expect(stdout).toMatch(/^ *ok \d - a campaign that holds$/m)
    expect(stdout).toMatch(/^ *not ok \d - a campaign that breaks$/m)
    expect(stdout).toMatch(/^ *not ok \d - a campaign with a gap$/m)
    expect(stdout).toMatch(/^ *ok \d - a gap that is allowed$/m)
    expect(stdout).toMatch(/^ *ok \d - a file$/m)
    expect(stdout).toContain('invariant: nobody says 1')
    expect(stdout).toContain('npx wavetank run bad --level sunny --seed 1')
    expect(code).toBe(1)
  }, 120_000)

  it('passes and fails under vitest', async () => {
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
    const { stdout, stderr, code } = await project.node(
      vitest,
      'run',
      '--root',
      project.folder,
      '--reporter',
      'verbose',
      '--no-color',
    )
    const output = stdout + stderr
    expect(output).toMatch(/✓ .*a campaign that holds/)
    expect(output).toMatch(/× .*a campaign that breaks/)
    expect(output).toMatch(/× .*a campaign with a gap/)
    expect(output).toMatch(/✓ .*a gap that is allowed/)
    expect(output).toMatch(/✓ .*a file/)
    expect(output).toContain('invariant: nobody says 1')
    expect(output).toContain('npx wavetank run bad --level sunny --seed 1')
    expect(code).toBe(1)
  }, 120_000)
})
