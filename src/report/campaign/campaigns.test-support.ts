/** Results of campaigns of a bank that never was, for tests of reports. */
import { DEFAULT_BUDGET } from '../../faults/budget.ts'
import { summarise, type CampaignFacts } from '../../sim/campaign/summary.ts'
import type { Failure } from '../../sim/running/failure.ts'
import type { CampaignResult, SeedResult } from '../../sim/campaign/result.ts'

export const FACTS: CampaignFacts = {
  name: 'bank',
  file: 'bank.sim.ts',
  level: 'stormy',
  firstSeed: 1,
  stop: 'seeds',
  wallMs: 2000,
  verified: { seeds: 1, differing: [], differences: [] },
  runtime: { node: 'v20.20.2', wavetank: '0.1.0' },
}

export const LOST: Failure = {
  category: 'invariant',
  title: 'money is conserved',
  message: '95 is not 100 & <that> is bad',
  signature: 'invariant: money is conserved (# is not # & <that> is bad)',
  step: 1234,
  timeUs: 3_500_000,
  process: 'bank1',
  stack: null,
  details: null,
}

export function seed(number: number, failure: Failure | null = null): SeedResult {
  return {
    seed: number,
    failure,
    others: [],
    steps: 1000,
    timeUs: 5_000_000,
    digest: 'aa',
    choices: 10,
    processes: 3,
    boots: 4,
    exits: {
      ordered: 2,
      finished: 0,
      crashed: 1,
      restarts: 3,
      crashes: [{ message: 'bank1 exited with code 1: Error: EIO', times: 1, unprovoked: 0 }],
    },
    operations: [{ f: 'transfer', ok: 9, fail: 1, info: 2 }],
    outcomes: [
      { f: 'transfer', type: 'info', reason: 'no answer within 500 ms', times: 2 },
      { f: 'transfer', type: 'fail', reason: 'not enough money', times: 1 },
    ],
    isJudged: true,
    allowGaps: [],
    invariants: [{ name: 'money is conserved', checks: 50 }],
    checkers: [],
    assertions: [
      {
        kind: 'sometimes',
        message: 'overdraft refused',
        reached: 3,
        passed: 0,
        failed: 3,
        bound: null,
        frontier: null,
        buckets: [],
      },
    ],
    situations: {},
    asked: [],
    budget: { ...DEFAULT_BUDGET, forbids: ['lying-sync'] },
    faults: [
      { family: 'partition', injected: 2, landed: 1, victims: 17 },
      { family: 'pause', injected: 1, landed: 0, victims: 0 },
    ],
  }
}

function artefacts(result: CampaignResult): CampaignResult {
  const replay = 'npx wavetank replay .wavetank/runs/latest/f1.json'
  const { signature } = result.bugs[0]
  const shrunk = { before: 100, after: 3, faults: 1, runs: 50, minimal: true }
  const violation = {
    timeUs: 7,
    who: 'bank1',
    text: LOST.message,
    kind: 'violation',
    violation: true,
  } as const
  const story = { steps: [violation], omitted: 0, head: 0 }
  return { ...result, artefacts: [{ seed: 2, signature, file: 'f1.json', replay, shrunk, story }] }
}

export const VIOLATED = artefacts(summarise([seed(3, LOST), seed(1), seed(2, LOST)], FACTS))
export const GAP = summarise([seed(1), seed(2)], FACTS)

/** Everything held, and every fault that was asked for landed. */
export const HELD = summarise(
  [1, 2].map((number) => ({ ...seed(number), assertions: [occurrence(3)], asked: ['partition'] })),
  FACTS,
)

/** The simulation asked for pauses, and none of them held anything back. */
export const NOT_LANDED = summarise(
  [{ ...seed(1), assertions: [occurrence(0)], asked: ['pause', 'disk-full'] }],
  FACTS,
)

function occurrence(times: number): SeedResult['assertions'][number] {
  return {
    kind: 'situation',
    message: 'transfer during a partition',
    reached: 3,
    passed: times,
    failed: 3 - times,
    bound: null,
    frontier: null,
    buckets: [],
  }
}
