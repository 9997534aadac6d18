import type * as Fs from 'node:fs'
import type * as Http from 'node:http'
import { describe, expect, it } from 'vitest'
import { conclude, type CheckResult } from '../../checkers/result.ts'
import { buggify } from '../../faults/buggify.ts'
import type { LevelName } from '../../faults/levels.ts'
import type { ProcessContext } from '../../node/index.ts'
import type { CheckContext, SimulationDefinition } from '../authoring/definition.ts'
import { fail } from '../authoring/operations.ts'
import { conserved } from '../invariants/index.ts'
import { runInline } from '../running/run.test-support.ts'
import type { CampaignResult } from './result.ts'
import { summarise } from './summary.ts'

/** A campaign of a few seeds, in this thread. */
async function campaign(
  definition: SimulationDefinition,
  level: LevelName = 'sunny',
  seeds = 2,
): Promise<CampaignResult> {
  const results = []
  for (let seed = 1; seed <= seeds; seed++) results.push((await runInline(definition, seed, level)).result)
  return summarise(results, {
    name: 'toy',
    file: null,
    level,
    firstSeed: 1,
    stop: 'seeds',
    wallMs: 1,
    verified: { seeds: 0, differing: [], differences: [] },
    runtime: { node: process.version, wavetank: '0' },
  })
}

function server(_process: unknown, node: ProcessContext): void {
  const http = node.require('node:http') as typeof Http
  http.createServer((_request, response) => response.end('hello')).listen(8080)
}

function writing(process: unknown, node: ProcessContext): void {
  const fs = node.require('node:fs') as typeof Fs
  fs.writeFileSync('/log', 'up')
  server(process, node)
}

function crashing(_process: unknown, node: ProcessContext): void {
  node.globalThis.setTimeout(() => {
    throw new node.globalThis.Error('no configuration')
  }, 10)
}

function finishing(_process: unknown, node: ProcessContext): void {
  node.globalThis.setTimeout(() => {}, 10)
}

const ASKING: SimulationDefinition['workload'] = {
  clients: 1,
  operations: 3,
  run: ({ operation, hosts }) =>
    operation('get', { timeoutVirtualMs: 1000 }, () =>
      fetch(`http://${hosts.server[0]}:8080/`).then((answer) => answer.text()),
    ),
}

const HONEST: SimulationDefinition = {
  processes: { server: { run: server } },
  workload: ASKING,
  invariants: { 'all is well': () => true },
}

/** What a checker answers that checked this much. */
function register(checks: number, doubt: string | null): CheckResult {
  const scope = { operations: checks, ignored: 0, functions: [] }
  return conclude({ checker: 'register', scope, checks, anomalies: [], doubt })
}

const kinds = ({ gaps }: CampaignResult): string[] => gaps.map(({ kind }) => kind)

describe('a campaign', () => {
  it('holds if it is judged, asks something, and is answered', async () => {
    const result = await campaign(HONEST)
    expect([result.verdict, result.reasons]).toEqual(['held', []])
  })

  it('has a gap if nothing is checked', async () => {
    const result = await campaign({ ...HONEST, invariants: {} })
    expect(result.verdict).toBe('coverage-gap')
    expect(result.reasons).toEqual([
      "nothing is checked: the simulation has no invariant, no check and no assertion (allowGaps: ['no-promise'] accepts this)",
    ])
    const { invariants: _, ...unchecked } = HONEST
    const checked = { ...unchecked, workload: { ...ASKING, check: () => {} } }
    expect((await campaign(checked)).verdict).toBe('held')
  })

  it('is unknown if a checker could not decide one of its seeds', async () => {
    let runs = 0
    const check = (): CheckResult => register(3, ++runs === 2 ? 'the time limit of 10 ms was reached' : null)
    const result = await campaign({ ...HONEST, workload: { ...ASKING, check } }, 'sunny', 3)
    expect([result.verdict, result.reasons]).toEqual([
      'unknown',
      ["checker 'register' could not decide seed 2: the time limit of 10 ms was reached"],
    ])
    expect(result.checkers).toMatchObject([{ name: 'register', verdict: 'unknown', checks: 9 }])
  })

  it('is unknown if a checker had nothing to check in all seeds, and not if it had in one', async () => {
    const check = ({ history }: CheckContext): CheckResult => register(history.length - 3, null)
    const never = await campaign({ ...HONEST, workload: { ...ASKING, check } })
    expect([never.verdict, never.reasons]).toEqual([
      'unknown',
      ["checker 'register' had nothing to check in any seed"],
    ])
    let runs = 0
    const once = (): CheckResult => register(++runs === 1 ? 3 : 0, null)
    expect((await campaign({ ...HONEST, workload: { ...ASKING, check: once } })).verdict).toBe('held')
  })

  it('has a gap if the workload does nothing', async () => {
    const idle = await campaign({ ...HONEST, workload: { run: () => {} } })
    expect([idle.verdict, kinds(idle)]).toEqual(['coverage-gap', ['no-operation']])
  })

  it('has gaps if a server crash-loops in sunny weather, and says why', async () => {
    const result = await campaign({
      ...HONEST,
      processes: { server: { run: crashing, onExit: 'restart' } },
    })
    expect([result.verdict, kinds(result)]).toEqual(['coverage-gap', ['no-success', 'crash']])
    const [unanswered, crashed] = result.reasons
    expect(unanswered).toMatch(
      /^operation 'get' never succeeded \(0 failed, 6 unknown\); most often: .*ECONNREFUSED/,
    )
    expect(crashed).toMatch(
      /^processes crashed without a fault, \d+ times; most often: server exited with code 1: Error: no configuration/,
    )
    const { exits, outcomes } = result
    expect(exits).toMatchObject({ ordered: 0, finished: 0 })
    expect(exits.crashed).toBeGreaterThan(4)
    expect(exits.restarts).toBeGreaterThan(4)
    expect(exits.crashes).toEqual([
      {
        message: 'server exited with code 1: Error: no configuration',
        times: exits.crashed,
        unprovoked: exits.crashed,
      },
    ])
    expect(outcomes.map(({ f, type, times }) => [f, type, times])).toEqual([['get', 'info', 6]])
  })

  it('has a gap for a kind of operation that only ever fails', async () => {
    const refused = await campaign({
      ...HONEST,
      workload: {
        ...ASKING,
        run: async (context) => {
          await ASKING.run(context)
          await context.operation('put', () => fail('read-only'))
        },
      },
    })
    expect(refused.reasons).toEqual([
      "operation 'put' never succeeded (6 failed, 0 unknown); most often: read-only (allowGaps: ['no-success'] accepts this)",
    ])
  })

  it('has a gap if nothing landed in ten seeds of a storm, and says what kept it away', async () => {
    const spared: SimulationDefinition = {
      ...HONEST,
      processes: { server: { run: server, spared: true } },
      budget: { dead: 0, partitions: false },
    }
    const none = await campaign(spared, 'stormy', 10)
    expect([none.verdict, kinds(none)]).toEqual(['coverage-gap', ['no-landing']])
    expect(none.reasons[0]).toMatch(
      /^no fault landed in any of 10 seeds: none struck, and the budget forbids partition, /,
    )
    const allowed = await campaign({ ...spared, allowGaps: ['no-landing'] }, 'stormy', 10)
    expect(allowed.verdict).toBe('held')
    expect((await campaign(spared, 'stormy', 9)).verdict).toBe('held') // a swarm may leave all of it out of a few
    expect((await campaign(HONEST, 'sunny', 10)).verdict).toBe('held')
  })

  it('has a gap for a ready invariant whose event never came in any seed', async () => {
    const reads = (event: string): SimulationDefinition => ({
      ...HONEST,
      invariants: { 'no answer changes': conserved({ event, read: () => ({ total: 1 }) }) },
    })
    const typo = await campaign(reads('opration'))
    expect([typo.verdict, kinds(typo)]).toEqual(['coverage-gap', ['no-fact']])
    expect(typo.reasons[0]).toMatch(
      /^invariant 'no answer changes' never saw a fact: its event was never published/,
    )
    const { verdict, invariants } = await campaign(reads('operation'))
    expect(verdict).toBe('held')
    expect(invariants[0].facts).toBe(12) // two seeds, three operations, begun and ended
  })

  it('has a gap for a tap and for a file of which nothing came in any seed', async () => {
    const watching = (port: number, path: string): SimulationDefinition => ({
      ...HONEST,
      processes: { server: { run: writing } },
      taps: { api: { port } },
      files: { log: { of: 'server', path } },
    })
    const typos = await campaign(watching(8081, '/lgo'))
    expect([typos.verdict, kinds(typos)]).toEqual(['coverage-gap', ['no-fact', 'no-fact']])
    expect(typos.reasons).toEqual([
      expect.stringMatching(/^tap 'api' saw no message in any seed: /),
      expect.stringMatching(/^file 'log' never changed in any seed: /),
    ])
    expect((await campaign(watching(8080, '/log'))).verdict).toBe('held')
  })

  it('has a gap for a fault that it asks for and its budget forbids, and says which part does', async () => {
    const rate = { everyMs: 100, chance: 1, durationMs: [10, 20] } as const
    const none = await campaign({
      ...HONEST,
      budget: { dead: 0, partitions: false, clockSkewMs: 0 },
      levels: { sunny: { families: { partition: rate, pause: rate, 'clock-jump': rate, 'bit-rot': rate } } },
    })
    expect(none.reasons.map((reason) => reason.replace(/ \(allowGaps.*$/, ''))).toEqual([
      "fault 'bit-rot' was asked for and never landed: the budget forbids it: lyingDisks is 0",
      "fault 'clock-jump' was asked for and never landed: the budget forbids it: clockSkewMs is 0",
      "fault 'partition' was asked for and never landed: the budget forbids it: partitions is false",
      "fault 'pause' was asked for and never landed: the budget forbids it: dead is 0",
    ])
  })

  it('accepts the gaps that a simulation allows, and no others', async () => {
    const looping: SimulationDefinition = {
      ...HONEST,
      processes: { server: { run: crashing, onExit: 'restart' } },
    }
    expect(kinds(await campaign({ ...looping, allowGaps: ['crash'] }))).toEqual(['no-success'])
    expect((await campaign({ ...looping, allowGaps: ['crash', 'no-success'] })).verdict).toBe('held')
  })

  it('has no gap for a process that finishes with code 0, or that the simulation can do without', async () => {
    const others = { server: { run: server }, job: { run: finishing } }
    const finished = await campaign({ ...HONEST, processes: others })
    expect([finished.verdict, finished.exits.finished]).toEqual(['held', 2])
    const spare = { server: { run: server }, job: { run: crashing, onExit: 'ignore' as const } }
    const ignored = await campaign({ ...HONEST, processes: spare })
    expect([ignored.verdict, ignored.exits.crashed]).toEqual(['held', 2])
  })

  it('has no gap for exits that faults ordered, or crashes that they may have caused', async () => {
    // A stormy seed has a reboot with probability over 1/3: five have none with less than 0.14.
    const rebooted = await campaign(HONEST, 'stormy', 5)
    expect(rebooted.exits.ordered).toBeGreaterThan(0)
    expect(rebooted.exits.restarts).toBe(rebooted.exits.ordered)
    expect([rebooted.exits.crashed, kinds(rebooted)]).toEqual([0, []])
    const buggified = await campaign(
      {
        ...HONEST,
        processes: { server: { run: server }, fragile: { run: fragile, onExit: 'restart' } },
      },
      'sunny',
      8,
    )
    expect(buggified.exits.crashed).toBeGreaterThan(0)
    expect(kinds(buggified)).toEqual([])
  })

  it('has a gap for a process that crash-loops once the faults are over', async () => {
    const result = await campaign(
      {
        ...HONEST,
        processes: { server: { run: server }, fragile: { run: scarred, onExit: 'restart' } },
        restMs: 5000,
      },
      'sunny',
      8,
    )
    expect(kinds(result)).toEqual(['crash'])
  })
})

/** Crashes where `buggify` says so, in half of all seeds. */
function fragile(_process: unknown, node: ProcessContext): void {
  node.globalThis.setInterval(() => {
    if (buggify('crash')) node.globalThis.process.exit(3)
  }, 50)
}

/** Never recovers from such a crash. */
function scarred(_process: unknown, node: ProcessContext): void {
  const fs = node.require('node:fs') as typeof Fs
  if (fs.existsSync('/scar')) node.globalThis.process.exit(4)
  node.globalThis.setInterval(() => {
    if (!buggify('crash')) return
    fs.writeFileSync('/scar', '')
    node.globalThis.process.exit(3)
  }, 50)
}
