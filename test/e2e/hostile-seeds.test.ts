/** A campaign in which seeds do their worst: each bad seed has its own result, and the others are as they are alone. */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { buildOnce } from './build.ts'
import { throwAwayProjects, type Project } from './project.ts'

vi.setConfig({ testTimeout: 600_000 })

const project = throwAwayProjects()

/** A campaign of 60 seeds, of which five do each deed, with WAVETANK_FULL=1; otherwise of 13, with one of each. */
const FULL = process.env.WAVETANK_FULL === '1'
const SEEDS = FULL ? 60 : 13
const EACH = FULL ? 5 : 1

/** Every eleventh seed from the first, as often as a deed is to be done. */
const from = (first: number): number[] => Array.from({ length: EACH }, (_, i) => first + 11 * i)

/** Which seeds do what; the others are good. */
const BAD = {
  /** The program breaks a function that the tank uses too. */
  break: from(3),
  abort: from(5),
  memory: from(7),
  loop: from(9),
  /** What cannot be put back: a property that cannot be configured. */
  stain: from(11),
}

const simulation = (bad: Readonly<Record<string, readonly number[]>>): string => `
import { simulation } from 'wavetank'

const BAD = ${JSON.stringify(bad)}

const DEEDS = {
  break() { Array.prototype.push = () => { throw new Error('no more') } },
  abort() {},
  memory() { for (const kept = []; ; ) kept.push(new Array(1000).fill(kept.length + 0.5)) },
  loop() { for (;;); },
  stain() { Object.defineProperty(BigInt.prototype, 'toJSON', { value() { return 'stained' } }) },
}

export default simulation('hostile', {
  processes: {
    server: {
      run(process, node) {
        const { createServer } = node.require('node:http')
        createServer((request, response) => {
          if (request.url === '/abort') node.process.abort()
          response.end(String(Math.random()))
        }).listen(80)
      },
    },
  },
  workload: {
    clients: 1,
    operations: 2,
    async run({ operation, seed, index }) {
      const deed = Object.keys(BAD).find((name) => BAD[name].includes(seed))
      await operation('go', async () => {
        const url = 'http://server/' + (deed === 'abort' ? 'abort' : '')
        const answer = await (await fetch(url, { signal: AbortSignal.timeout(500) })).text()
        if (deed !== 'stain' && typeof BigInt.prototype.toJSON !== 'undefined') throw new Error('a stain of another seed')
        if (deed !== undefined && index === 1) DEEDS[deed]()
        return answer
      })
    },
  },
  invariants: { 'no stain': ({ events }) => !events.all('operation').some(({ data }) => String(data.error).includes('stain')) },
})
`

const CAMPAIGN = `
import { simulate } from 'wavetank'
import hostile from './hostile.sim.js'
const seeds = []
const result = await simulate(hostile, {
  ...JSON.parse(process.argv[2]), level: 'sunny', jobs: 2, stuckWallMs: 3000, memoryMb: 96, shrink: false,
  onSeed: ({ seed, failure, digest }) => seeds.push({ seed, digest, category: failure?.category ?? null, step: failure?.step ?? 0 }),
})
seeds.sort((a, b) => a.seed - b.seed)
console.log(JSON.stringify({ seeds, verdict: result.verdict, bugs: result.bugs, artefacts: result.artefacts.length, notes: result.notes }))
`

interface SeedLine {
  readonly seed: number
  readonly digest: string
  readonly category: string | null
  readonly step: number
}

interface Campaign {
  readonly seeds: readonly SeedLine[]
  readonly verdict: string
  readonly bugs: readonly unknown[]
  readonly artefacts: number
  readonly notes: readonly string[]
}

function categories({ seeds }: Campaign, numbers: readonly number[]): (string | null)[] {
  return seeds.filter(({ seed }) => numbers.includes(seed)).map(({ category }) => category)
}

const hostile = project({ 'hostile.sim.js': simulation(BAD), 'campaign.mjs': CAMPAIGN })
/** The same without a bad seed. */
const tame = project({
  'hostile.sim.js': simulation(Object.fromEntries(Object.keys(BAD).map((deed) => [deed, []]))),
  'campaign.mjs': CAMPAIGN,
})

async function campaign(where: Project, options: { seed: number } | { seeds: number }): Promise<Campaign> {
  const { stdout, stderr } = await where.node('campaign.mjs', JSON.stringify(options))
  if (stdout === '') throw new Error(`the campaign ended without a result: ${stderr}`)
  return JSON.parse(stdout) as Campaign
}

describe('a campaign with hostile seeds', () => {
  beforeAll(buildOnce, 120_000)

  it('gives every seed its own verdict, and the good ones the result that they have alone', async () => {
    const result = await campaign(hostile, { seeds: SEEDS })
    expect(categories(result, BAD.break)).not.toContain(null)
    expect(categories(result, BAD.abort)).toEqual(BAD.abort.map(() => 'process-exit'))
    expect(categories(result, BAD.memory)).toEqual(BAD.memory.map(() => 'out-of-memory'))
    expect(categories(result, BAD.loop)).toEqual(BAD.loop.map(() => 'stuck'))
    expect(categories(result, BAD.stain)).toEqual(BAD.stain.map(() => null))
    expect(result.verdict).toBe('violated')
    const steps = result.seeds.filter(({ category }) => category !== null).map(({ step }) => step)
    expect(Math.min(...steps)).toBeGreaterThan(1)
    expect(result.artefacts).toBe(result.bugs.length)

    const numbers = new Set(Object.values(BAD).flat())
    const good = result.seeds.filter(({ seed }) => !numbers.has(seed))
    expect(good).toHaveLength(SEEDS - numbers.size)
    expect(good.filter(({ category }) => category !== null)).toEqual([])
    const digests = (lines: readonly SeedLine[]): Record<string, string> =>
      Object.fromEntries(lines.map(({ seed, digest }) => [seed, digest]))
    const calm = await campaign(tame, { seeds: SEEDS })
    expect(digests(good)).toEqual(digests(calm.seeds.filter(({ seed }) => !numbers.has(seed))))
    const { seed, digest } = good.at(-1)!
    expect((await campaign(hostile, { seed })).seeds).toMatchObject([{ seed, digest }])
  })
})
