import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { emptyEvidence, type Evidence } from '../evidence/evidence.ts'
import { mergedViolations } from '../evidence/merge.ts'
import type { RunRequest } from './binding-runner.ts'
import { runSeeds, type SeededBinding } from './seed-runs.ts'
import { testArguments } from './test-arguments.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'wavetank-seeds-'))
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

interface Run {
  readonly seed: number
  readonly outcome: 'held' | 'violated'
}

/** A word per seed says what it does. */
function binding(behaviour: readonly string[], again = behaviour): SeededBinding<Run> {
  const script = (how: string, file: string): string =>
    how === 'hang'
      ? 'setInterval(() => {}, 1000)'
      : how === 'crash'
        ? 'console.error("no such node"); process.exit(3)'
        : `fs.writeFileSync(${JSON.stringify(file)}, ${JSON.stringify(how)})`
  return {
    command: (seed, folder) => {
      const how = (folder.includes('rerun') ? again : behaviour)[seed - 1]
      return [process.execPath, '-e', script(how, join(folder, 'outcome'))]
    },
    read(folder, seed) {
      const file = join(folder, 'outcome')
      if (!existsSync(file)) return 'there are no results'
      return { seed, outcome: readFileSync(file, 'utf8') as Run['outcome'] }
    },
    evidence: (runs): Evidence => ({
      ...emptyEvidence({ kind: 'real', what: 'test', versions: {} }, 'completed', []),
      seeds: [...runs],
      violations: mergedViolations(
        runs
          .filter(({ outcome }) => outcome === 'violated')
          .map(({ seed }) => ({
            seed,
            signature: 'x',
            message: 'x',
            origin: 'oracle',
            reproducer: '',
            artefact: '',
          })),
      ),
    }),
  }
}

let requests = 0

function request(changes: Partial<RunRequest> = {}): RunRequest {
  const artefacts = join(FOLDER, String(++requests))
  return {
    binding: { kind: 'real', target: 'kv' },
    scenario: 'S1',
    arm: 'run',
    tier: 'smoke',
    budget: {
      seeds: 3,
      operations: 0,
      level: null,
      iterations: null,
      faults: 'on',
      durationMs: 0,
      timeoutMs: null,
    },
    timeoutMs: 30_000,
    purpose: 'scenario',
    oracles: [],
    root: FOLDER,
    artefacts,
    logFile: join(FOLDER, `${requests}.log`),
    ...changes,
  }
}

describe('one run per seed', () => {
  it('makes one piece of evidence of all, and runs a violation again', async () => {
    const found = await runSeeds(request(), binding(['held', 'violated', 'held']))
    expect(found.seeds.map(({ outcome }) => outcome)).toEqual(['held', 'violated', 'held'])
    expect(found.violations).toMatchObject([{ seed: 2, reruns: { tried: 1, failedAgain: 1 } }])
    expect(found.ended).toBe('completed')
  })

  it('says that a violation did not come again', async () => {
    const found = await runSeeds(request(), binding(['violated', 'held', 'held'], ['held', 'held', 'held']))
    expect(found.violations).toMatchObject([{ reruns: { tried: 1, failedAgain: 0 } }])
  })

  it('ends a seed that hangs, and keeps those before it', async () => {
    const found = await runSeeds(request({ timeoutMs: 3000 }), binding(['held', 'hang', 'held']))
    expect(found).toMatchObject({ ended: 'timeout', seeds: [{ seed: 1 }] })
    expect(found.notes.join()).toMatch(/seed 2 did not end in the time that was left/)
  })

  it('says which seed left nothing, and what the command wrote last', async () => {
    const found = await runSeeds(request(), binding(['held', 'crash', 'held']))
    expect(found).toMatchObject({ ended: 'crashed', seeds: [{ seed: 1 }] })
    expect(found.notes.join()).toMatch(/seed 2: there are no results.*code 3.*no such node/)
  })

  it('stops a control at the first rejection', async () => {
    const found = await runSeeds(request({ purpose: 'control' }), binding(['held', 'violated', 'hang']))
    expect(found.seeds).toHaveLength(2)
    expect(found.ended).toBe('completed')
  })

  it('goes on with a control that something else has rejected than the scenario asks', async () => {
    const seeds = ['violated', 'held', 'violated']
    const other = await runSeeds(request({ purpose: 'control', oracles: ['y'] }), binding(seeds))
    expect(other.seeds).toHaveLength(3)
    const asked = await runSeeds(request({ purpose: 'control', oracles: ['y', 'x'] }), binding(seeds))
    expect(asked.seeds).toHaveLength(1)
  })
})

describe('the arguments of a test', () => {
  const words = (target: string, budget: Partial<RunRequest['budget']> = {}): string[] => {
    const asked = request()
    return testArguments(
      { ...asked, binding: { kind: 'real', target }, budget: { ...asked.budget, ...budget } },
      ['--seed', '7'],
    )
  }

  it('are those of the binding, and options of the program stay last', () => {
    expect(words("kv --workload 'a b' -- --port 1")).toEqual([
      'kv',
      '--workload',
      'a b',
      '--seed',
      '7',
      '--',
      '--port',
      '1',
    ])
  })

  it('have no nemesis where the budget plans no faults', () => {
    expect(words('kv --nemesis kill,pause --nodes 3', { faults: 'off' })).toEqual([
      'kv',
      '--nodes',
      '3',
      '--seed',
      '7',
    ])
    expect(words('kv --nemesis=kill', { level: 'sunny' })).toEqual(['kv', '--seed', '7'])
  })

  it('spread the duration over the seeds, unless the binding has a limit', () => {
    expect(words('kv', { durationMs: 10_000 })).toEqual(['kv', '--time-limit', '4', '--seed', '7'])
    expect(words('kv --time-limit 9', { durationMs: 10_000 })).toEqual([
      'kv',
      '--time-limit',
      '9',
      '--seed',
      '7',
    ])
  })
})
