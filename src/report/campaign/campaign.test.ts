import { describe, expect, it } from 'vitest'
import { summarise } from '../../sim/campaign/summary.ts'
import { campaignGithub } from './campaign-github.ts'
import { campaignJson } from './campaign-json.ts'
import { campaignJunit } from './campaign-junit.ts'
import { campaignText } from './campaign-text.ts'
import { FACTS, GAP, HELD, LOST, NOT_LANDED, seed, VIOLATED } from './campaigns.test-support.ts'

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
          also   npx wavetank run bank --level stormy --seed 3

        seeds      3 from 1, 2 failing seeds
        wall time  2.000s (1.5 seeds/s)
        simulated  15.000s in 3,000 steps  7.5× real time
        processes  12 boots, 9 restarts, 6 exits by faults, 3 crashes
        budget     a minority out at once, clocks within 500 ms, no lying disk, honest links, partitions; it forbids lying-sync
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

  it('shows which kinds of a fault landed, the commonest first', () => {
    const kinds = { bridge: 1, isolate: 3, halves: 1 }
    const faults = [{ family: 'partition', injected: 6, landed: 5, victims: 51, kinds }]
    expect(campaignText({ ...HELD, faults })).toContain(
      'partition         6       5       51  isolate 3, bridge 1, halves 1',
    )
  })

  it('marks an invariant that saw no fact', () => {
    const invariants = [
      { name: 'a', checks: 9, facts: 3 },
      { name: 'b', checks: 9, facts: 0 },
    ]
    const text = campaignText({ ...HELD, invariants })
    expect(text).toMatch(/invariant  a          9\n  invariant  b          9  \(never saw a fact\)/)
  })

  it('says of a process that ended by itself what a supervisor would do', () => {
    const died = { ...LOST, category: 'process-exit', title: 'bank1' } as const
    expect(campaignText(summarise([seed(1, died)], FACTS))).toContain(
      "hint   if a supervisor starts this process again, declare it with onExit: 'restart'",
    )
    expect(campaignText(VIOLATED)).not.toContain('hint')
  })

  it('says of a story that only strict disks allow it', () => {
    const strict = VIOLATED.artefacts.map((artefact) => ({ ...artefact, strictDiskOnly: true as const }))
    const text = campaignText({ ...VIOLATED, artefacts: strict })
    expect(text).toContain('only with strict disks (posix): on disks that journal')
    expect(campaignText(VIOLATED)).not.toContain('strict disks')
  })

  it('says as text what held, with situations, budget and landed faults', () => {
    expect(campaignText(HELD)).toMatchInlineSnapshot(`
      "✓ bank  level stormy  held

        seeds      2 from 1
        wall time  2.000s (1.0 seeds/s)
        simulated  10.000s in 2,000 steps  5.0× real time
        processes  8 boots, 6 restarts, 4 exits by faults, 2 crashes
        budget     a minority out at once, clocks within 500 ms, no lying disk, honest links, partitions; it forbids lying-sync
        verified   1 seed run twice, all identical

        operation  ok  fail  unknown
        transfer   18     2        4

        outcome  operation  times  reason
        unknown  transfer       4  no answer within 500 ms
        fail     transfer       2  not enough money

        crashes  without a fault  how
              2                0  bank1 exited with code 1: Error: EIO

        promise    name                checks
        invariant  money is conserved     100

          situation                    times  seeds  note
        ✓ transfer during a partition      6      2

        fault      injected  landed  victims
        partition         4       2       34
        pause             2       0        0  (never landed)"
    `)
  })

  it('says as text which fault was asked for and never landed', () => {
    expect(campaignText(NOT_LANDED)).toMatchInlineSnapshot(`
      "◌ bank  level stormy  nothing broke, but there is a gap
        fault 'disk-full' was asked for and never landed: it never struck: the budget allows no victim, there is none, or the chaos windows were too short (allowGaps: ['no-landing'] accepts this)
        fault 'pause' was asked for and never landed: it struck once and hit nothing (allowGaps: ['no-landing'] accepts this)
        situation 'transfer during a partition' never occurred; its place was reached 3 times, and the condition was never true: run more than 1 seed, or aim a fault with \`script\` (allowGaps: ['no-situation'] accepts this)

        seeds      1 from 1
        wall time  2.000s (0.5 seeds/s)
        simulated  5.000s in 1,000 steps  2.5× real time
        processes  4 boots, 3 restarts, 2 exits by faults, 1 crash
        budget     a minority out at once, clocks within 500 ms, no lying disk, honest links, partitions; it forbids lying-sync
        verified   1 seed run twice, all identical

        operation  ok  fail  unknown
        transfer    9     1        2

        outcome  operation  times  reason
        unknown  transfer       2  no answer within 500 ms
        fail     transfer       1  not enough money

        crashes  without a fault  how
              1                0  bank1 exited with code 1: Error: EIO

        promise    name                checks
        invariant  money is conserved      50

          situation                    times  seeds  note
        ◌ transfer during a partition      0      0  not exercised
            its place was reached 3 times, and the condition was never true: run more than 1 seed, or aim a fault with \`script\`

        fault      injected  landed  victims
        partition         2       1       17
        pause             1       0        0  (never landed)"
    `)
    expect(campaignJunit([NOT_LANDED])).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="wavetank">
        <testsuite name="bank" tests="6" failures="0" errors="0" skipped="4" time="2.000">
          <testcase classname="bank (stormy)" name="invariant: money is conserved"/>
          <testcase classname="bank (stormy)" name="situation: transfer during a partition"><skipped message="never occurred"/></testcase>
          <testcase classname="bank (stormy)" name="gap: no-landing"><skipped message="fault &#39;disk-full&#39; was asked for and never landed: it never struck: the budget allows no victim, there is none, or the chaos windows were too short (allowGaps: [&#39;no-landing&#39;] accepts this)"/></testcase>
          <testcase classname="bank (stormy)" name="gap: no-landing"><skipped message="fault &#39;pause&#39; was asked for and never landed: it struck once and hit nothing (allowGaps: [&#39;no-landing&#39;] accepts this)"/></testcase>
          <testcase classname="bank (stormy)" name="gap: no-situation"><skipped message="situation &#39;transfer during a partition&#39; never occurred; its place was reached 3 times, and the condition was never true: run more than 1 seed, or aim a fault with \`script\` (allowGaps: [&#39;no-situation&#39;] accepts this)"/></testcase>
          <testcase classname="bank (stormy)" name="1 seed run to its end"/>
        </testsuite>
      </testsuites>
      "
    `)
    expect(campaignGithub([NOT_LANDED])).toMatchInlineSnapshot(`
      "::warning file=bank.sim.ts,title=bank%3A coverage-gap::fault 'disk-full' was asked for and never landed: it never struck: the budget allows no victim, there is none, or the chaos windows were too short (allowGaps: ['no-landing'] accepts this)%0Afault 'pause' was asked for and never landed: it struck once and hit nothing (allowGaps: ['no-landing'] accepts this)%0Asituation 'transfer during a partition' never occurred; its place was reached 3 times, and the condition was never true: run more than 1 seed, or aim a fault with \`script\` (allowGaps: ['no-situation'] accepts this)
      "
    `)
  })

  it('says as text what the runs do not show', () => {
    expect(campaignText(GAP)).toMatchInlineSnapshot(`
      "◌ bank  level stormy  nothing broke, but there is a gap
        sometimes 'overdraft refused' was never true

        seeds      2 from 1
        wall time  2.000s (1.0 seeds/s)
        simulated  10.000s in 2,000 steps  5.0× real time
        processes  8 boots, 6 restarts, 4 exits by faults, 2 crashes
        budget     a minority out at once, clocks within 500 ms, no lying disk, honest links, partitions; it forbids lying-sync
        verified   1 seed run twice, all identical

        operation  ok  fail  unknown
        transfer   18     2        4

        outcome  operation  times  reason
        unknown  transfer       4  no answer within 500 ms
        fail     transfer       2  not enough money

        crashes  without a fault  how
              2                0  bank1 exited with code 1: Error: EIO

        promise    name                checks
        invariant  money is conserved     100

          assertion          kind       reached  true  note
        ◌ overdraft refused  sometimes        6     0  (never true)

        fault      injected  landed  victims
        partition         4       2       34
        pause             2       0        0  (never landed)"
    `)
  })

  it('has for machines what held', () => {
    expect(campaignJunit([HELD])).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="wavetank">
        <testsuite name="bank" tests="3" failures="0" errors="0" skipped="0" time="2.000">
          <testcase classname="bank (stormy)" name="invariant: money is conserved"/>
          <testcase classname="bank (stormy)" name="situation: transfer during a partition"/>
          <testcase classname="bank (stormy)" name="2 seeds run to their end"/>
        </testsuite>
      </testsuites>
      "
    `)
    expect(campaignGithub([HELD])).toBe('')
  })

  it('tells a mistake in the simulation from a bug of the system', () => {
    const message = 'a mistake in the simulation: TypeError: x is not a function, at bank.sim.ts:7:3'
    const mistake = {
      ...LOST,
      category: 'mistake',
      message,
      signature: `mistake: money is conserved`,
    } as const
    const result = summarise([seed(1, mistake), seed(2, mistake)], FACTS)
    expect(result.verdict).toBe('unknown')
    const text = campaignText(result)
    expect(text).toContain("  1 mistake in the simulation's own code\n  mistake ")
    expect(text).toContain('at bank.sim.ts:7:3')
    expect(text).not.toContain('bug')
    const xml = campaignJunit([result])
    expect(xml).toContain('failures="0" errors="1"')
    expect(xml).toContain('<error message="a mistake in the simulation')
    expect(campaignText(summarise([seed(1, mistake), seed(2, LOST)], FACTS))).toMatch(
      /1 unique bug[^]*1 mistake in the simulation's own code/,
    )
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
    expect(xml).toContain(
      '<testsuite name="bank" tests="3" failures="1" errors="0" skipped="1" time="2.000">',
    )
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
