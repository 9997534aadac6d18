import { describe, expect, it } from 'vitest'
import type { CampaignResult } from '../../sim/campaign/result.ts'
import { question } from './evidence.test-support.ts'
import { evidenceFromCampaign } from './from-campaign.ts'
import { evidenceFromExplorations, type Exploration } from './from-exploration.ts'
import { evidenceSchema } from './evidence.ts'
import { parseEvidence } from './read-evidence.ts'
import { verdictOf } from '../verdict/verdict.ts'
import { landingOf } from '../verdict/landing.ts'

const CAMPAIGN: CampaignResult = {
  version: 1,
  kind: 'campaign',
  name: 'kv',
  file: 'kv.sim.ts',
  level: 'stormy',
  verdict: 'held',
  reasons: [],
  stop: 'seeds',
  seeds: { first: 1, count: 4, failing: [] },
  verified: { seeds: 1, differing: [], differences: [] },
  wallMs: 100,
  simulatedUs: 5_000_000,
  steps: 100,
  boots: 4,
  exits: { ordered: 0, finished: 0, crashed: 0, restarts: 0, crashes: [] },
  outcomes: [],
  gaps: [],
  operations: [{ f: 'read', ok: 400, fail: 1, info: 9 }],
  invariants: [{ name: 'reads see writes', checks: 500 }],
  checkers: [
    { name: 'linearizable', verdict: 'valid', checks: 4, reason: null, operations: 410, ignored: 0 },
  ],
  situations: [],
  budget: {
    dead: 1,
    clockSkewMs: 0,
    lyingDisks: 0,
    byzantineLinks: false,
    partitions: true,
    unhealed: 0,
    forbids: [],
  },
  assertions: [
    {
      kind: 'sometimes',
      message: 'nemesis: leader-isolation',
      reached: 9,
      passed: 3,
      failed: 6,
      bound: null,
      frontier: null,
      buckets: [],
    },
    {
      kind: 'always',
      message: 'terms grow',
      reached: 0,
      passed: 0,
      failed: 0,
      bound: null,
      frontier: null,
      buckets: [],
    },
  ],
  faults: [
    { family: 'partition', injected: 5, landed: 4, victims: 30 },
    { family: 'reboot', injected: 5, landed: 5, victims: 5, kinds: { kill: 3, 'power-loss': 2 } },
    { family: 'pause', injected: 2, landed: 0, victims: 0 },
  ],
  bugs: [],
  failures: [],
  artefacts: [],
  shrinkMs: 0,
  notes: [],
  runtime: { node: 'v20', wavetank: '0' },
}

const FAILURE = {
  category: 'invariant',
  signature: 'invariant: reads see writes',
  title: 'reads see writes',
  message: 'a is 1',
  step: 1,
  timeUs: 1,
  process: null,
  stack: null,
  details: null,
} as const
const BUG = {
  signature: 'invariant: reads see writes',
  category: 'invariant',
  title: 'reads see writes',
  message: 'a is 1',
  count: 1,
  seeds: [2],
} as const

describe('evidence of a campaign', () => {
  const evidence = evidenceFromCampaign(CAMPAIGN)

  it('is evidence', () => {
    expect(evidenceSchema.parse(evidence)).toEqual(evidence)
  })

  it('has an oracle for every promise, and none for what was never reached', () => {
    expect(evidence.oracles.map(({ name, verdict, operations }) => [name, verdict, operations])).toEqual([
      ['invariant: reads see writes', 'valid', 410],
      ['checker: linearizable', 'valid', 410],
      ['assertion: terms grow', 'unknown', null],
    ])
  })

  it.each([
    ['full-partition', true],
    ['hard-kill', true],
    ['power-loss', true],
    ['graceful-stop', false],
    ['gc-pause', false],
    ['leader-isolation', true],
    ['split-brain', false],
  ])('proves a nemesis by what landed: %s is %s', (nemesis, proven) => {
    expect(landingOf(nemesis, evidence).proven).toBe(proven)
  })

  it('tells seeds that hold, are violated, or cannot be judged', () => {
    const failing = evidenceFromCampaign({
      ...CAMPAIGN,
      seeds: { first: 1, count: 4, failing: [2, 3] },
      verified: { seeds: 1, differing: [3], differences: [] },
      failures: [{ seed: 2, failure: FAILURE }],
      bugs: [BUG],
    })
    expect(failing.seeds.map(({ outcome }) => outcome)).toEqual(['held', 'violated', 'unjudged', 'held'])
    expect(failing.oracles[0].verdict).toBe('invalid')
    expect(failing.violations[0].story).toEqual([])
    expect(failing.violations).toMatchObject([
      { signature: BUG.signature, origin: 'oracle', reruns: { tried: 0 } },
    ])
  })

  it('calls a workload that throws the harness, and a run without support unjudged', () => {
    const workload = evidenceFromCampaign({ ...CAMPAIGN, bugs: [{ ...BUG, category: 'workload' }] })
    expect(workload.violations[0].origin).toBe('harness')
    const mistake = evidenceFromCampaign({ ...CAMPAIGN, bugs: [{ ...BUG, category: 'mistake' }] })
    expect(mistake.violations[0].origin).toBe('harness')
    const unsupported = evidenceFromCampaign({
      ...CAMPAIGN,
      seeds: { first: 1, count: 4, failing: [2] },
      failures: [{ seed: 2, failure: { ...FAILURE, category: 'unsupported' } }],
      bugs: [{ ...BUG, category: 'unsupported' }],
    })
    expect(unsupported.violations).toEqual([])
    expect(unsupported.seeds[1].outcome).toBe('unjudged')
  })

  it('tells the story of a kept failure', () => {
    const story = {
      steps: [
        { timeUs: 2_000_000, who: 'nemesis', text: 'power loss at kv', kind: 'fault', violation: false },
        { timeUs: 2_500_000, who: 'kv', text: 'a is 1', kind: 'violation', violation: true },
      ],
      omitted: 3,
      head: 1,
    } as const
    const artefact = {
      seed: 2,
      signature: BUG.signature,
      file: 'f1.json',
      replay: 'npx …',
      shrunk: null,
      story,
    }
    const told = evidenceFromCampaign({ ...CAMPAIGN, bugs: [BUG], artefacts: [artefact] })
    expect(told.violations[0]).toMatchObject({
      artefact: 'f1.json',
      story: ['   2.000s  nemesis  power loss at kv', '… 3 steps …', '   2.500s  kv       ← a is 1'],
    })
  })

  it('lacks the node that answered, and says so', () => {
    expect(evidence.history!.fields.node_seen).toBe('absent')
  })
})

describe('evidence of explorations', () => {
  const held: Exploration = {
    seed: 1,
    result: {
      iterations: 50,
      steps: 500,
      strategy: 'portfolio',
      schedulesBy: {},
      wallMs: 5,
      exhausted: false,
      outOfTime: false,
      summary: '50 schedules hold',
      coverage: { contested: 40, sometimes: {}, tasks: {} },
      neverEnded: [],
      gaps: [],
    },
    finding: null,
    gaps: [],
    schedules: 50,
    preempted: 40,
    failedAgain: null,
  }
  const facts = { target: 'a.race.ts › x', versions: {}, wallMs: 5, iterations: 50, reproducer: null }

  it('is evidence, with the scheduler as nemesis', () => {
    const evidence = evidenceFromExplorations([held, { ...held, seed: 2 }, { ...held, seed: 3 }], facts)
    expect(evidenceSchema.parse(evidence)).toEqual(evidence)
    expect(landingOf('schedule', evidence)).toMatchObject({ proven: true, landed: 120 })
  })

  it('carries no serious claim: there is no history', () => {
    const evidence = evidenceFromExplorations([held, { ...held, seed: 2 }, { ...held, seed: 3 }], facts)
    const asked = question({ nemeses: ['schedule'], checkers: ['linearizable'] })
    expect(verdictOf(asked, evidence).state).toBe('PARTIAL-surface')
  })

  it('judges nothing where the exploration has gaps', () => {
    const evidence = evidenceFromExplorations([{ ...held, gaps: ['a task never ended'] }], facts)
    expect(evidence.seeds).toEqual([{ seed: 1, outcome: 'unjudged' }])
    expect(evidence.notes).toContain('seed 1: a task never ended')
  })

  it('has no landing if every schedule is the plain one', () => {
    const plain = evidenceFromExplorations([{ ...held, preempted: 0 }], facts)
    expect(verdictOf(question({ nemeses: ['schedule'] }), plain).state).toBe('INCONCLUSIVE-fault-not-proven')
  })
})

describe('an evidence file', () => {
  it.each([
    ['', /it is empty/],
    ['{"version":1,"kind":"evid', /it is cut off/],
    ['{oops}', /it is not JSON/],
    ['[]', /its `kind` is not "evidence"/],
    ['{"kind":"evidence","version":2}', /of version 2, and this wavetank reads version 1/],
    ['{"kind":"evidence","version":1}', /source: .* and \d+ more; `wavetank plan schema evidence`/],
  ])('is refused with the reason: %j', (text, message) => {
    expect(() => parseEvidence(text, 'e.json')).toThrow(message)
    expect(() => parseEvidence(text, 'e.json')).toThrow(/^plan: e\.json is no evidence/)
  })
})
