/** What the options of `wavetank run` and the configuration promise, on the built command line. */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { CampaignResult } from '../../src/index.ts'
import { buildOnce } from './build.ts'
import { type Project, throwAwayProjects } from './project.ts'

/** Breaks in every seed, so that a report lists them all; or in none. */
const SIMPLE = (name: string, holds: boolean): string => `
import { simulation } from 'wavetank'
export default simulation('${name}', {
  processes: {},
  workload: { clients: 1, operations: 1, spanMs: 0, run: ({ operation }) => operation('say', { input: 'a < b & "c"' }, () => 1) },
  invariants: { 'a <promise> & "more"': ({ events }) => ${holds} || events.last('operation') === null || 'broken < & > "' },
})
`

// Each test starts several processes with threads of their own; how long that takes is the machine's business.
vi.setConfig({ testTimeout: 300_000 })

const project = throwAwayProjects()

async function campaign(where: Project, ...args: string[]): Promise<CampaignResult> {
  const { stdout } = await where.wavetank('run', ...args, '--json')
  return (JSON.parse(stdout) as { campaigns: CampaignResult[] }).campaigns[0]
}

beforeAll(buildOnce, 120_000)

describe('which seeds are run', () => {
  const both = project({ 'good.sim.js': SIMPLE('good', true), 'bad.sim.js': SIMPLE('bad', false) })
  const seedsOf = async (...args: string[]): Promise<readonly number[]> =>
    (await campaign(both, 'bad', '--no-shrink', ...args)).seeds.failing

  it('is each once over all shards, and nothing else', async () => {
    const shards = await Promise.all(
      ['1/3', '2/3', '3/3'].map((shard) => seedsOf('--seeds', '5..11', '--shard', shard)),
    )
    expect(shards).toEqual([
      [5, 8, 11],
      [6, 9],
      [7, 10],
    ])
    expect(await seedsOf('--seeds', '1', '--shard', '2/2')).toEqual([])
    expect((await both.wavetank('run', 'good', '--shard', '3/2')).code).toBe(254)
  })

  it('is one with --seed, and goes on after failures without --bail', async () => {
    expect(await seedsOf('--seed', '42')).toEqual([42])
    expect(await seedsOf('--seeds', '3')).toEqual([1, 2, 3])
    expect(await seedsOf('--first-seed', '7', '--seeds', '2')).toEqual([7, 8])
  })

  it('ends at the first failure with --bail', async () => {
    const { stop, seeds } = await campaign(both, 'bad', '--no-shrink', '--seeds', '50', '--bail')
    expect({ stop, failing: seeds.failing }).toEqual({ stop: 'bail', failing: [1] })
  })

  it('ends when the time is up', async () => {
    const { stop, seeds, wallMs } = await campaign(both, 'good', '--time', '300ms')
    expect(stop).toBe('time')
    expect(seeds.count).toBeGreaterThan(0)
    expect(wallMs).toBeGreaterThanOrEqual(300)
  })

  it('is by default as many as coverage needs to be stable: ten with nothing new', async () => {
    const { stop, seeds } = await campaign(both, 'good')
    expect({ stop, count: seeds.count }).toEqual({ stop: 'stable', count: 10 })
  })

  it('is the number of the level where coverage rules are off, and the environment comes before that', async () => {
    expect((await campaign(both, 'good', '--no-coverage')).seeds.count).toBe(10)
    const own = project({
      'a.sim.js': SIMPLE('own', true).replace(
        'processes: {},',
        'processes: {}, levels: { stormy: { seeds: 4 } },',
      ),
      'wavetank.config.mjs': 'export default { coverage: false }',
    })
    const { level, stop, seeds } = await campaign(own, '--level', 'stormy')
    expect({ level, stop, count: seeds.count }).toEqual({ level: 'stormy', stop: 'seeds', count: 4 })
    vi.stubEnv('WAVETANK_SEEDS', '6..8')
    vi.stubEnv('WAVETANK_LEVEL', 'stormy')
    try {
      const twins = await campaign(both, 'bad', '--no-shrink')
      expect({ level: twins.level, failing: twins.seeds.failing }).toEqual({
        level: 'stormy',
        failing: [6, 7, 8],
      })
      expect((await campaign(both, 'bad', '--no-shrink', '--seed', '2', '--level', 'sunny')).level).toBe(
        'sunny',
      )
      vi.stubEnv('WAVETANK_SEEDS', 'lots')
      const { code, stderr } = await both.wavetank('run', 'good')
      expect(code).toBe(254)
      expect(stderr).toContain('WAVETANK_SEEDS is "lots": expected a positive integer')
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('is flagged when the cap came first: something hoped for never came', async () => {
    const hopeful = project({
      'a.sim.js': SIMPLE('hopeful', true)
        .replace('{ simulation }', '{ simulation, sometimes }')
        .replace("=> operation('say'", "=> sometimes(false, 'never') ?? operation('say'"),
    })
    const { stdout, code } = await hopeful.wavetank('run')
    expect(stdout).toMatch(/seeds +1,000 from 1 {2}the cap came before coverage was stable/)
    expect(stdout).toContain("sometimes 'never' was never true")
    expect(code).toBe(2)
  }, 300_000)
})

describe('contradictions are refused, with both names:', () => {
  const one = project({ 'good.sim.js': SIMPLE('good', true) })
  it.each([
    [['--seed', '1', '--seeds', '2'], "'--seed <n>' cannot be used with option '--seeds <n>'"],
    [['--seed', '1', '--first-seed', '2'], "'--seed <n>' cannot be used with option '--first-seed <n>'"],
    [['--seed', '1', '--time', '1s'], "'--seed <n>' cannot be used with option '--time <duration>'"],
    [['--time', '1s', '--seeds', '2'], "'--time <duration>' cannot be used with option '--seeds <n>'"],
    [['--json', '--reporter', 'junit'], "'--json' cannot be used with option '--reporter <name>'"],
    [['--first-seed', '3', '--seeds', '1..2'], '--first-seed and a range of --seeds contradict each other'],
    [['--reporter', 'json'], 'JSON is asked for by --json'],
    [['--seeds', '0'], 'expected a positive integer'],
    [['--seeds', '-5'], 'expected a positive integer'],
    [['--seeds', 'many'], 'expected a positive integer'],
    [['--jobs', '0'], 'expected a positive integer'],
    [['--jobs', '1.5'], 'expected a positive integer'],
    [['--jobs', '1000000'], 'jobs: expected at most 1024 worker threads, and got 1000000'],
    [['--level', 'rainy'], 'expected sunny, stormy, radioactive'],
  ])('%s', async (args, message) => {
    const { code, stdout, stderr } = await one.wavetank('run', 'good', ...args)
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/^\s+at /m)
    expect([code, stdout]).toEqual([254, ''])
  })
})

describe('a path', () => {
  it('names a simulation file, and no other file of the project is looked at', async () => {
    const mixed = project({ 'good.sim.js': SIMPLE('good', true), 'broken.sim.js': 'export default {' })
    const named = await mixed.wavetank('run', './good.sim.js', '--seeds', '1')
    expect([named.code, named.stderr]).toEqual([0, ''])
    expect(named.stdout).toMatch(/✓ good {2}level sunny {2}held/)
    const all = await mixed.wavetank('run', '--seeds', '1')
    expect(all.stderr).toMatch(/broken\.sim\.js cannot be loaded/)
    expect([all.code, all.stdout]).toEqual([254, expect.stringContaining('✓ good')])
  })
})

describe('reports', () => {
  const both = project({ 'good.sim.js': SIMPLE('good', true), 'bad.sim.js': SIMPLE('bad', false) })
  const args = ['run', '--seeds', '2']

  it('are one JSON document with every campaign', async () => {
    const { stdout, code } = await both.wavetank(...args, '--json')
    const report = JSON.parse(stdout) as { version: number; campaigns: CampaignResult[] }
    expect(code).toBe(1)
    expect(report.campaigns.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['bad', 'violated'],
      ['good', 'held'],
    ])
    const [bad] = report.campaigns
    expect(bad.artefacts.map(({ replay }) => replay)).toEqual([
      expect.stringMatching(/^npx wavetank replay \.wavetank\/runs\/\S+-bad\/f1\.json$/),
    ])
  })

  it('are well-formed JUnit', async () => {
    const { stdout } = await both.wavetank(...args, '--reporter', 'junit')
    const elements = parseXml(stdout)
    expect(elements.filter(({ tag }) => tag === 'testsuite').map(({ attributes }) => attributes)).toEqual([
      expect.objectContaining({ name: 'bad', tests: '2', failures: '1', skipped: '0' }),
      expect.objectContaining({ name: 'good', tests: '2', failures: '0', skipped: '0' }),
    ])
    expect(elements.find(({ tag }) => tag === 'failure')!.attributes).toEqual({
      message: 'broken < & > "',
      type: 'invariant',
    })
    expect(elements.find(({ tag }) => tag === 'testcase')!.attributes.name).toBe(
      'invariant: a <promise> & "more"',
    )
  })

  it('are annotations of GitHub, one line each', async () => {
    const { stdout } = await both.wavetank(...args, '--reporter', 'github')
    const lines = stdout.trim().split('\n')
    expect(lines).toHaveLength(1)
    const [, properties, message] = /^::error (.*?)::(.*)$/.exec(lines[0])!
    expect(Object.fromEntries(properties.split(',').map((each) => each.split('=')))).toEqual({
      file: expect.stringMatching(/bad\.sim\.js$/),
      title: 'bad%3A invariant%3A a <promise> & "more"',
    })
    expect(message).toMatch(/^broken < & > "%0Aseeds 1 2%0Anpx wavetank replay /)
  })

  it('are in a file with --output, and people still read the text', async () => {
    const { stdout } = await both.wavetank('run', 'good', '--seeds', '1', '--json', '-o', 'r.json')
    expect((JSON.parse(both.read('r.json')) as { kind: string }).kind).toBe('report')
    expect(stdout).toMatch(/✓ good/)
  })
})

describe('the configuration', () => {
  const configured = project({
    'wavetank.config.ts': `import { defineConfig } from 'wavetank'
      export default defineConfig({ folders: ['sims'], level: 'stormy', seeds: 2, output: 'kept' })`,
    'sims/deep/in.sim.js': SIMPLE('in', false),
    'elsewhere/out.sim.js': SIMPLE('out', true),
  })

  it('says where simulations are, and how they are run', async () => {
    const { stdout } = await configured.wavetank('list', '--json')
    expect((JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)).toEqual(['in'])
    const { level, seeds, artefacts } = await campaign(configured)
    expect({ level, count: seeds.count }).toEqual({ level: 'stormy', count: 2 })
    expect(artefacts[0].replay).toMatch(/^npx wavetank replay kept\/\S+-in\/f1\.json$/)
  })

  it('gives way to options', async () => {
    const { level, seeds } = await campaign(configured, '--level', 'sunny', '--seed', '7', '--no-shrink')
    expect({ level, failing: seeds.failing }).toEqual({ level: 'sunny', failing: [7] })
  })

  it.each([
    ['seeds: 0', 'seeds: expected a whole number from 1, and got 0'],
    ['seeds: -5', 'seeds: expected a whole number from 1, and got -5'],
    ["seeds: 'many'", "seeds: expected a whole number from 1, and got 'many'"],
    ['jobs: 0', 'jobs: expected a whole number from 1, and got 0'],
    ['jobs: 1.5', 'jobs: expected a whole number from 1, and got 1.5'],
    ["level: 'rainy'", "level: expected 'sunny', 'stormy' or 'radioactive', and got 'rainy'"],
    ['sedes: 3', 'there is no option "sedes"; did you mean "seeds"?'],
    ['explain: { modle: "x" }', 'there is no option "explain.modle"; did you mean "model"?'],
  ])('is refused with %s', async (field, message) => {
    const wrong = project({
      'wavetank.config.js': `export default { ${field} }`,
      'a.sim.js': SIMPLE('a', true),
    })
    const { stderr, code, stdout } = await wrong.wavetank('run')
    expect(stderr).toContain(`wavetank.config.js: ${message}`)
    expect(stderr).not.toMatch(/^\s+at /m)
    expect([code, stdout]).toEqual([254, ''])
  })

  it('that names a folder which is not there is wrong usage', async () => {
    const lost = project({ 'wavetank.config.js': "export default { folders: ['nowhere'] }" })
    const { stderr, code } = await lost.wavetank('list')
    expect(stderr).toMatch(/there is no folder .*nowhere to search for simulations/)
    expect(code).toBe(254)
  })
})

interface Element {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** A strict reader of the XML that reports need: throws where tags do not match or characters are not escaped. */
function parseXml(text: string): Element[] {
  const open: string[] = []
  const elements: Element[] = []
  const unescape = (value: string): string =>
    value.replace(/&(#(\d+)|\w+);/g, (_, name: string, code?: string) =>
      code === undefined ? ENTITIES[name] : String.fromCodePoint(Number(code)),
    )
  const body = text.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '')
  expect(body).not.toBe(text)
  let rest = body
  while (rest.length > 0) {
    const token = /^(?:<\/(\w+)>|<(\w+)((?: \w+="[^"<]*")*)(\/?)>|((?:[^<&]|&(?:#\d+|\w+);)+))/.exec(rest)
    if (token === null) throw new Error(`not XML at: ${rest.slice(0, 80)}`)
    rest = rest.slice(token[0].length)
    const [, closing, tag, list = '', empty] = token
    if (closing !== undefined && open.pop() !== closing) throw new Error(`</${closing}> does not match`)
    if (tag === undefined) continue
    const pairs = [...list.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, unescape(value)])
    elements.push({ tag, attributes: Object.fromEntries(pairs) as Record<string, string> })
    if (empty === '') open.push(tag)
  }
  expect(open).toEqual([])
  return elements
}
