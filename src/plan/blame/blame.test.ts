import { afterAll, describe, expect, it } from 'vitest'
import { fileURLToPath } from 'node:url'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { goodEvidence, violation } from '../evidence/evidence.test-support.ts'
import { readPlan } from '../markdown/read-plan.ts'
import { runCommandBinding } from '../run/command-runner.ts'
import { PlanProject } from '../run/session.test-support.ts'
import { blameFor, type Blamed, type Observation } from './blame.ts'
import { classify } from './classification.ts'
import { observeSwaps } from './swap-runs.ts'

const ACCOUNT = fileURLToPath(new URL('fixtures/account.mjs', import.meta.url))

const project = new PlanProject({ s1: 'good', s2: 'good' })
afterAll(() => project.remove())

const WHOLE = { sut: 'good', generator: 'plain', checker: 'sum', host: 'fast' }

/** The account with one part wrong, and a declared replacement for each part. */
async function blame(planted: Partial<typeof WHOLE>): Promise<ReturnType<typeof blameFor>> {
  const parts = { ...WHOLE, ...planted }
  const command = (changes: Partial<typeof WHOLE>): { kind: 'command'; target: string } => {
    const text = Object.entries({ ...parts, ...changes }).map(([part, how]) => `${part}=${how}`)
    return { kind: 'command', target: `node '${ACCOUNT}' ${text.join(' ')}` }
  }
  const plan = readPlan(readFileSync(join(project.folder, 'plan.md'), 'utf8'), 'plan.md').plan!
  const scenario = {
    ...plan.scenarios[0],
    arms: [{ id: 'run', binding: command({}), about: '' }],
    swaps: {
      generator: command({ generator: 'fixed' }),
      checker: command({ checker: 'replay' }),
      host: command({ host: 'other' }),
      'known-good': command({ sut: 'good' }),
    },
  }
  const session = project.newSession()
  return blameFor(
    await observeSwaps({
      scenario,
      session,
      runners: { command: runCommandBinding },
      root: project.folder,
      onProgress: () => {},
    }),
  )
}

describe('a planted fault is blamed right', () => {
  it.each<[string, Partial<typeof WHOLE>, Blamed]>([
    ['in the system', { sut: 'broken' }, 'SUT'],
    ['in the harness: it sends what the contract forbids', { generator: 'invalid' }, 'harness'],
    ['in the checker: it counts unknown outcomes as done', { checker: 'eager' }, 'checker'],
    ['in the environment: the host forgets writes', { host: 'forgetful' }, 'environment'],
  ])('%s', async (_, planted, blamed) => {
    const result = await blame(planted)
    expect(result).toMatchObject({ blamed, pending: [] })
    expect(result.argument.length).toBeGreaterThan(4)
  })

  it('and nothing is blamed if nothing fails', async () => {
    expect((await blame({})).blamed).toBe('unknown')
  })
})

describe('the argument', () => {
  const seen = (swap: Observation['swap'], violated: boolean, counts = true): Observation => ({
    swap,
    what: 'x',
    counts,
    violated,
    note: '',
  })
  const original = seen('none', true)

  it.each<[string, readonly Observation[], Blamed]>([
    ['the original was not run', [], 'unknown'],
    ['the original does not fail again', [seen('none', false), seen('generator', false)], 'unknown'],
    ['nothing was swapped', [original], 'unknown'],
    ['only the generator was swapped, and it survives', [original, seen('generator', true)], 'unknown'],
    [
      'it survives all',
      [original, seen('generator', true), seen('checker', true), seen('host', true)],
      'SUT',
    ],
    [
      'it goes away with two of them',
      [original, seen('generator', false), seen('checker', false)],
      'unknown',
    ],
    [
      'the other generator did too little',
      [original, seen('generator', false, false), seen('checker', true), seen('host', true)],
      'unknown',
    ],
    [
      'what is known to be right fails, whatever is sent',
      [original, seen('generator', true), seen('known-good', true)],
      'checker',
    ],
    [
      'what is known to be right fails, and nothing else is known',
      [original, seen('known-good', true)],
      'unknown',
    ],
  ])('%s: %s', (_, observations, blamed) => {
    const result = blameFor(observations)
    expect(result.blamed).toBe(blamed)
    expect(result.pending.length > 0).toBe(blamed === 'unknown')
  })
})

describe('the type of a bug', () => {
  const claims = [{ id: 'C1', claim: 'x', category: 'durability', source: 'x', inferred: false }]
  const shrunk = (faults: string[]) => ({
    ...violation(1, 1),
    shrunk: { before: 9, after: 1, runs: 5, faults },
  })

  it.each([
    [['reboot'], 'crash-recovery'],
    [['partition'], 'partition'],
    [['clock-jump'], 'timing'],
    [['reorder'], 'ordering'],
    [['disk-error'], 'fault-handling'],
    [[], 'ordering'],
  ])('follows from the faults that shrinking left: %j', (faults, type) => {
    expect(classify(shrunk(faults), goodEvidence(), claims)).toMatchObject({
      type,
      severity: 'P0',
      tags: ['durability'],
    })
  })

  it('is less severe if it is not reproducible, or harms nothing', () => {
    expect(classify(violation(1, 0), goodEvidence(), claims).severity).toBe('P1')
    expect(
      classify(violation(1, 1), goodEvidence(), [{ ...claims[0], category: 'performance-slo' }]).severity,
    ).toBe('P2')
  })
})
