/** `--verify`, given something to find: a module of the host that gives another number in every run. */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { hostClock } from '../../src/host/host-clock.ts'
import { HOST_MODULES } from '../../src/host/host-modules.ts'
import { campaignText } from '../../src/report/campaign/campaign-text.ts'
import { runDifferenceText } from '../../src/report/failure/run-difference.ts'
import { runCampaign } from '../../src/sim/campaign/campaign.ts'
import { compareRuns, type RunDifference } from '../../src/sim/campaign/verification.ts'
import type { CampaignResult } from '../../src/sim/campaign/result.ts'
import { ThreadExecutor, threadHost } from '../../src/sim/campaign/thread-host.ts'

const FILE = fileURLToPath(new URL('fixtures/leak/leaky.mjs', import.meta.url))

let numbers = 0
/** How `shown.mjs` shows its number. */
let way = 'nothing'
const executor = new ThreadExecutor(
  threadHost({
    root: dirname(FILE),
    hostModules: { ...HOST_MODULES, leak: { next: () => ++numbers, way: () => way } },
  }),
)

function compare(name: string): Promise<RunDifference> {
  return compareRuns(executor, { simulation: { file: FILE, name }, level: 'sunny', seed: 1 }, ['digest'])
}

function campaign(name: string): Promise<CampaignResult> {
  return runCampaign({
    simulation: { file: FILE, name },
    level: 'sunny',
    firstSeed: 1,
    rule: { type: 'seeds', count: 2 },
    bail: false,
    verifyEvery: 1,
    shard: { index: 0, of: 1 },
    executor,
    clock: hostClock,
    runtime: { node: 'v0', wavetank: '0' },
  })
}

describe('two runs that differ', () => {
  it('are caught at the step that sent something else, with both stacks', async () => {
    const { step, parting } = await compare('answers')
    expect(step).toBeGreaterThan(10)
    expect(parting?.kind).toBe('feed')
    const [first, second] = parting!.runs
    expect([first.what, second.what]).toEqual([
      expect.stringMatching(/^sends "leaked \d+"$/),
      expect.stringMatching(/^sends "leaked \d+"$/),
    ])
    expect(first.what).not.toBe(second.what)
    for (const { stack } of parting!.runs) expect(stack[0]).toMatch(/^at answer \(.*answers\.mjs:8:\d+\)$/)
  })

  it('are caught at the event that came at another time, with the stacks that scheduled it', async () => {
    const { parting } = await compare('delays')
    expect(parting?.kind).toBe('event')
    for (const { what, stack } of parting!.runs) {
      expect(what).toMatch(/^timers? of server at \d\.\d{6}s$/)
      expect(stack[0]).toMatch(/^at answerLater \(.*delays\.mjs:5:\d+\)$/)
    }
  })

  it('are told with what to look for, in the campaign’s report', async () => {
    const result = await campaign('answers')
    expect(result.verdict).toBe('unknown')
    expect(result.verified).toMatchObject({ seeds: 2, differing: [1, 2] })
    expect(result.verified.differences.map(({ seed }) => seed)).toEqual([1, 2])
    const text = campaignText(result)
    expect(text).toMatch(/two runs of seed 1 part at step \d+ \(of \d+ and \d+\)/)
    expect(text).toMatch(/one run {2}sends "leaked \d+"\n {6}at answer \(/)
    expect(text).toMatch(/look for {2}what the differing value comes from/)
  })
})

describe('two runs of the same steps', () => {
  it('differ if what was found in them does', async () => {
    const result = await campaign('judges')
    expect(result.verified).toMatchObject({ seeds: 2, differing: [1, 2] })
    const text = campaignText(result)
    expect(text).toMatch(/two runs of seed 1 took the same steps, and their results differ: failure\n/)
    expect(text).toMatch(/look for {2}a value in a check, an invariant or an assertion/)
  })
})

describe('two runs that agree', () => {
  it('have no difference to tell, although the program draws random numbers', async () => {
    const difference = await compare('tight')
    expect(difference).toMatchObject({ step: null, parting: null })
    expect(runDifferenceText(difference).join('\n')).toContain('agreed when they were repeated')
    const { verdict, verified } = await campaign('tight')
    expect({ verdict, verified }).toEqual({
      verdict: 'held',
      verified: { seeds: 2, differing: [], differences: [] },
    })
  })
})

describe('the hash of a run covers', () => {
  async function digests(chosen: string): Promise<string[]> {
    way = chosen
    const runs = await executor.runTwice({
      simulation: { file: FILE, name: 'shown' },
      level: 'sunny',
      seed: 1,
      keepHashes: true,
    })
    return runs.map(({ result }) => result.digest)
  }

  const ways = [
    ['stdout', 'stderr', 'an exit code', 'a published event'],
    ['a file’s name', 'a file’s content', 'a folder’s name', 'a new name', 'a link'],
    ['where a symbolic link leads', 'a file’s mode', 'a file’s time'],
    ['an argument of a child', 'a variable of a child', 'a message to a child'],
    ['a message to a worker', 'data of a worker', 'a message to a port', 'a broadcast message'],
  ]
  it.each(ways.flat())('%s', async (chosen) => {
    const [first, second] = await digests(chosen)
    expect(first).not.toBe(second)
  })

  it('nothing else: a number that a program keeps to itself changes nothing', async () => {
    const [first, second] = await digests('nothing')
    expect(first).toBe(second)
  })
})
