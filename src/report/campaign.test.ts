import { describe, expect, it } from 'vitest'
import { summarise, type CampaignFacts } from '../sim/campaign/summary.ts'
import type { Failure } from '../sim/running/failure.ts'
import type { CampaignResult, SeedResult } from '../sim/campaign/result.ts'
import { campaignGithub } from './campaign-github.ts'
import { campaignJson } from './campaign-json.ts'
import { campaignJunit } from './campaign-junit.ts'
import { campaignText } from './campaign-text.ts'

const FACTS: CampaignFacts = {
  name: 'bank',
  file: 'bank.sim.ts',
  level: 'stormy',
  firstSeed: 1,
  stop: 'seeds',
  wallMs: 2000,
  verified: { seeds: 1, differing: [], differences: [] },
  runtime: { node: 'v20.20.2', wavetank: '0.1.0' },
}

const LOST: Failure = {
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

function seed(number: number, failure: Failure | null = null): SeedResult {
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

const VIOLATED = artefacts(summarise([seed(3, LOST), seed(1), seed(2, LOST)], FACTS))
const GAP = summarise([seed(1), seed(2)], FACTS)

describe('a campaign', () => {
  it('does not depend on the order in which seeds came back', () => {
    expect(summarise([seed(2, LOST), seed(3, LOST), seed(1)], FACTS)).toEqual({ ...VIOLATED, artefacts: [] })
  })

  it('is violated by one failing seed, and groups failures into bugs', () => {
    expect(VIOLATED.verdict).toBe('violated')
    expect(VIOLATED.seeds).toEqual({ first: 1, count: 3, failing: [2, 3] })
    expect(VIOLATED.bugs).toMatchObject([{ signature: LOST.signature, count: 2, seeds: [2, 3] }])
  })

  it('has a coverage gap when a hope was never met, and holds otherwise', () => {
    expect(GAP.verdict).toBe('coverage-gap')
    expect(GAP.reasons).toEqual(["sometimes 'overdraft refused' was never true"])
    expect(summarise([{ ...seed(1), assertions: [] }], FACTS).verdict).toBe('held')
  })

  it('is violated by an always that no seed ever reached', () => {
    const never = { ...seed(1).assertions[0], kind: 'always' as const, reached: 0, passed: 0, failed: 0 }
    const result = summarise([{ ...seed(1), assertions: [never] }], FACTS)
    expect([result.verdict, result.reasons]).toEqual([
      'violated',
      ["always 'overdraft refused' was never reached"],
    ])
  })

  it('is unknown when a run could not be judged, or two runs of a seed differ', () => {
    const unsupported = seed(1, { ...LOST, category: 'unsupported', message: 'no native addons' })
    expect(summarise([unsupported], FACTS)).toMatchObject({
      verdict: 'unknown',
      reasons: ['no native addons'],
    })
    expect(
      summarise([seed(1)], { ...FACTS, verified: { seeds: 1, differing: [1], differences: [] } }).verdict,
    ).toBe('unknown')
  })
})

describe('a report', () => {
  it('says as text what broke, how often, where, and how to see it again', () => {
    const text = campaignText(VIOLATED)
    expect(text).toMatchInlineSnapshot(`
      "✗ bank  level stormy  violated

        1 unique bug
        bug                            seeds  which
        invariant: money is conserved      2  2 3

        money is conserved: 95 is not 100 & <that> is bad
          seed 2, step 1,234, 3.500s of virtual time
          again  npx wavetank replay .wavetank/runs/latest/f1.json

        seeds      3 from 1, 2 failing seeds
        wall time  2.000s (1.5 seeds/s)
        simulated  15.000s in 3,000 steps  7.5× real time
        processes  12 boots, 9 restarts, 6 exits by faults, 3 crashes
        verified   1 seed run twice, all identical

        operation  ok  fail  unknown
        transfer   27     3        6

        outcome  operation  times  reason
        unknown  transfer       6  no answer within 500 ms
        fail     transfer       3  not enough money

        crashes  without a fault  how
              3                0  bank1 exited with code 1: Error: EIO

        promise    name                checks
        invariant  money is conserved     150

          assertion          kind       reached  true  note
        ◌ overdraft refused  sometimes        9     0  (never true)

        fault      injected  landed  victims
        partition         6       3       51
        pause             3       0        0  (never landed)

        story of seed 2, shrunk 100 → 3 choices, 1 fault, in 50 runs
             0.000s  bank1  ← 95 is not 100 & <that> is bad

        replay  npx wavetank replay .wavetank/runs/latest/f1.json"
    `)
  })

  it('says of a story that only strict disks allow it', () => {
    const strict = VIOLATED.artefacts.map((artefact) => ({ ...artefact, strictDiskOnly: true as const }))
    const text = campaignText({ ...VIOLATED, artefacts: strict })
    expect(text).toContain('only with strict disks (posix): on disks that journal')
    expect(campaignText(VIOLATED)).not.toContain('strict disks')
  })

  it('says what was never seen', () => {
    const text = campaignText(GAP)
    expect(text).toContain('◌ bank  level stormy  nothing broke, but there is a gap')
    expect(text).toContain('(never true)')
    expect(text).toMatch(/pause +2 +0 +0 +\(never landed\)/)
  })

  it('has a case of JUnit for a gap, and shows no control character of a program', () => {
    const outcomes = [{ f: 'transfer', type: 'info', reason: '\u001b[2Jgone\nat line 1', times: 2 }] as const
    const operations = [{ f: 'transfer', ok: 0, fail: 0, info: 2 }]
    const gap = summarise([{ ...seed(1), operations, outcomes }], FACTS)
    expect(campaignJunit([gap])).toContain(
      '<testcase classname="bank (stormy)" name="gap: no-success"><skipped',
    )
    const text = campaignText(gap)
    expect(text).toContain(String.raw`transfer       2  \u001b[2Jgone`)
    expect(text).not.toContain('\u001b')
  })

  it('has a skipped case of JUnit for a checker that could not decide', () => {
    const checkers = [
      { name: 'set', verdict: 'unknown', checks: 2, reason: 'no final read', operations: 2, ignored: 0 },
    ] as const
    const undecided = summarise([{ ...seed(1), checkers }], FACTS)
    expect(undecided.verdict).toBe('unknown')
    expect(campaignJunit([undecided])).toContain(
      'name="checker: set"><skipped message="unknown: no final read"/>',
    )
  })

  it('is JSON with all the data', () => {
    expect(JSON.parse(campaignJson([VIOLATED]))).toEqual({
      version: 1,
      kind: 'report',
      campaigns: [VIOLATED],
      corpus: [],
    })
  })

  it('is JUnit XML with a case per promise', () => {
    const xml = campaignJunit([VIOLATED])
    expect(xml).toContain('<testsuite name="bank" tests="3" failures="1" skipped="1" time="2.000">')
    expect(xml).toContain('95 is not 100 &#38; &#60;that&#62; is bad')
    expect(xml).toContain('<skipped message="never true"/>')
  })

  it('annotates pull requests on GitHub', () => {
    expect(campaignGithub([VIOLATED])).toBe(
      '::error file=bank.sim.ts,title=bank%3A invariant%3A money is conserved::95 is not 100 & <that> is bad%0Aseeds 2 3%0Anpx wavetank replay .wavetank/runs/latest/f1.json\n',
    )
    expect(campaignGithub([GAP])).toMatch(/^::warning file=bank\.sim\.ts,/)
  })
})
