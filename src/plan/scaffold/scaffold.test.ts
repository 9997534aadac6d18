import { describe, expect, it } from 'vitest'
import { lintPlan } from '../lint/lint.ts'
import { readPlan } from '../markdown/read-plan.ts'
import { reasonForNoPlan } from './change.ts'
import { claimsIn, titlesIn } from './claims.ts'
import { importersOf } from './importers.ts'
import { scaffoldText, type Gathered } from './scaffold-text.ts'
import { PROVENANCE, skeletonsOf } from './skeletons.ts'

describe('claims are quoted, never made up', () => {
  it('from prose, with the line on which the sentence begins', () => {
    const text =
      '# Queue\n\nA nice library. Jobs are delivered\nat least once. Enjoy.\n\n```js\nnever()\n```\n'
    expect(claimsIn('README.md', text)).toEqual([
      {
        text: 'Jobs are delivered at least once.',
        file: 'README.md',
        line: 3,
        inferred: false,
        category: 'idempotency',
      },
    ])
  })

  it('from doc comments, and from no other code', () => {
    const text =
      'const never = 1\n/**\n * Appends to the log.\n * A record is durable when this resolves.\n */\nfunction always() {}\n'
    expect(claimsIn('src/log.ts', text)).toMatchObject([
      { text: 'A record is durable when this resolves.', line: 4, category: 'durability' },
    ])
  })

  it('the name of a simulation is none, but counts as a test', () => {
    const text = "export default simulation('jobs', {})\nrace('no job is lost', () => {})\n"
    expect(claimsIn('jobs.sim.ts', text).map((claim) => claim.text)).toEqual(['test: no job is lost'])
    expect(titlesIn(text)).toEqual([
      { declares: 'simulation', text: 'jobs', line: 1 },
      { declares: 'test', text: 'no job is lost', line: 2 },
    ])
  })

  it('names of tests and errors are marked as inferred', () => {
    expect(claimsIn('a.test.ts', "it('keeps the order', () => {})\n")).toMatchObject([
      { text: 'test: keeps the order', line: 1, inferred: true, category: 'ordering' },
    ])
    expect(
      claimsIn('a.ts', "class LeaseExpiredError extends Error {}\nthrow new E('ERR_STALE')\n"),
    ).toMatchObject([
      { text: 'error: LeaseExpiredError is raised', inferred: true },
      { text: 'error: ERR_STALE is raised', line: 2, inferred: true },
    ])
  })

  it.each([
    'Atomic queue\n============\n',
    'Atomic queue\n---\n',
    '<b>always green</b>, here\n',
    '[![never red](a.svg)](b)\n',
  ])('no headings, tags and badges: %j', (text) => {
    expect(claimsIn('README.md', text)).toEqual([])
  })

  it('no licences, logs of changes, purposes and things to do', () => {
    expect(claimsIn('LICENSE.md', 'You must not do that.\n')).toEqual([])
    expect(claimsIn('CHANGELOG.md', 'It never fails now.\n')).toEqual([])
    expect(claimsIn('README.md', 'Call it in order to lock.\n\nTODO: this must be atomic.\n')).toEqual([])
    expect(claimsIn('README.md', '> [!NOTE]\n> It never blocks.\n')).toMatchObject([
      { text: 'It never blocks.', line: 2 },
    ])
  })

  it('finds nothing where nothing is promised', () => {
    expect(claimsIn('README.md', 'Install it with npm. Then import it.')).toEqual([])
  })
})

describe('a change', () => {
  it.each([
    ['nothing', [], /nothing changed/],
    ['documents', [{ file: 'README.md', before: 'a', after: 'b' }], /only documents changed: README\.md/],
    [
      'a comment',
      [{ file: 'a.ts', before: 'let a = 1 // one', after: 'let a = 1 // two\n' }],
      /only comments and layout changed in a\.ts/,
    ],
  ])('needs no plan if it is %s', (_, files, reason) => {
    expect(reasonForNoPlan(files)).toMatch(reason)
  })

  it.each([
    ['code', [{ file: 'a.ts', before: 'let a = 1', after: 'let a = 2' }]],
    ['a new file', [{ file: 'a.ts', before: null, after: 'let a = 2' }]],
    ['code that cannot be read', [{ file: 'a.ts', before: 'let = =', after: 'let == =' }]],
    ['configuration', [{ file: 'package.json', before: '{}', after: '{"a":1}' }]],
  ])('needs a plan if it is %s', (_, files) => {
    expect(reasonForNoPlan(files)).toBeNull()
  })

  it('reaches those who import it, the nearest first', () => {
    const sources = new Map([
      ['src/log.ts', ''],
      ['src/store.ts', "import { log } from './log.ts'"],
      ['src/server.js', "const store = require('./store.js')"],
      ['src/other.ts', "export * from './unrelated.ts'"],
    ])
    expect(importersOf(['src/log.ts'], sources)).toEqual(['src/store.ts', 'src/server.js'])
  })
})

const GATHERED: Gathered = {
  system: 'queue',
  date: '2026-01-01',
  author: 'a | b',
  change: null,
  claims: [
    { text: 'Jobs a | b are kept.', file: 'README.md', line: 3, inferred: false, category: 'durability' },
  ],
  claimsLeftOut: 2,
  tests: [{ file: 'a.test.ts', titles: 3 }],
  environment: [
    { requirement: 'Node.js', floor: '>=20.0.0', probe: 'node --version', hint: 'https://nodejs.org' },
  ],
  simulations: [],
}

describe('a scaffold', () => {
  it('is a plan that can be read, and that the linter refuses until it is filled in', () => {
    const document = readPlan(scaffoldText(GATHERED), 'new.md')
    expect(document.problems).toEqual([])
    expect(document.plan!.claims[0]).toEqual({
      id: 'C1',
      claim: 'Jobs a | b are kept.',
      category: 'durability',
      source: 'README.md:3',
      inferred: false,
    })
    expect(document.plan!.header).toMatchObject({ mode: 'project', status: 'draft', author: 'a | b' })
    const rules = lintPlan(document).map(({ rule }) => rule)
    expect(rules).toEqual(
      expect.arrayContaining(['oracle', 'to-do', 'pitfalls', 'scenario-name', 'confidence']),
    )
    const open = lintPlan(document).filter(({ rule }) => rule === 'to-do')
    expect(open.map(({ section }) => section)).toEqual(
      expect.arrayContaining(['§0', '§1', '§1c', '§2', '§4', '§7 S1', '§7.M S1', '§7b', '§7c', '§8', '§9']),
    )
  })

  it('asks for everything that the linter asks for, and answers no audit by itself', () => {
    const { plan } = readPlan(scaffoldText(GATHERED), 'new.md')
    const [{ audit, discipline }] = plan!.scenarios
    expect(audit.map(({ question, answer }) => [question, answer])).toEqual([
      ['fair-baseline', 'no'],
      ['hidden-retries', 'no'],
      ['one-topology', 'no'],
    ])
    expect(discipline!.historyFields).toHaveLength(11)
    expect(plan!.environment[0].floor).toBe('>=20.0.0')
    expect(scaffoldText(GATHERED)).not.toMatch(/\n\n\n/)
  })

  it('says what changed and what imports it', () => {
    const text = scaffoldText({
      ...GATHERED,
      change: { revision: 'HEAD~1', files: ['src/a.ts'], importers: ['src/b.ts'] },
    })
    const { plan } = readPlan(text, 'new.md')
    expect(plan!.header).toMatchObject({ mode: 'change', change: 'HEAD~1' })
    expect(plan!.scope).toMatch(/Changed:\n\n- src\/a\.ts\n\nImports what changed:\n\n- src\/b\.ts/)
  })

  it.each([
    ['none', [], '`simulation NAME`, TODO: `wavetank scaffold simulation` writes one', []],
    [
      'one',
      [{ name: 'queue', invariants: ['a job is done once'] }],
      '`simulation queue`',
      ['a job is done once'],
    ],
    [
      'several',
      [
        { name: 'queue', invariants: ['a job is done once'] },
        { name: 'slow queue', invariants: [] },
      ],
      '`simulation queue`, TODO: or another one: `simulation slow queue`',
      [],
    ],
  ])('runs the simulation of the project, if it has %s', (_, simulations, run, invariants) => {
    const text = scaffoldText({ ...GATHERED, simulations })
    expect(/^- \*\*Run\*\*: (.*)$/m.exec(text)![1]).toBe(run)
    const checkers = [.../^- \*\*Checker\*\*: (.*)$/m.exec(text)![1].matchAll(/`invariant: ([^`…]+)`/g)]
    expect(checkers.map(([, name]) => name)).toEqual(invariants)
    const [{ arms }] = readPlan(text, 'new.md').plan!.scenarios
    expect(arms[0].binding).toEqual({ kind: 'simulation', target: simulations[0]?.name ?? 'NAME' })
  })

  it('invents no claim where none was found', () => {
    const { problems } = readPlan(scaffoldText({ ...GATHERED, claims: [] }), 'new.md')
    expect(problems).toMatchObject([
      { rule: 'schema', section: '§1b', message: 'claims: a plan needs a claim' },
    ])
  })
})

describe('a skeleton', () => {
  it('says where it comes from and what it is about', () => {
    const { plan } = readPlan(scaffoldText(GATHERED), 'new.md')
    plan!.scenarios[0].skeleton = { file: 'test/auto/s1.test.ts', language: 'ts', code: '// workload\n' }
    const [{ file, text }] = skeletonsOf(plan!, ['S1'], 'plans/new.md', 'abc')
    expect(file).toBe('test/auto/s1.test.ts')
    expect(text).toContain(`// ${PROVENANCE}\n// Plan: plans/new.md (abc)\n// Scenario: S1`)
    expect(text).toContain('// Claim: C1 Jobs a | b are kept.')
    expect(text.endsWith('\n\n// workload\n')).toBe(true)
    expect(skeletonsOf(plan!, ['S2'], 'plans/new.md', 'abc')).toEqual([])
  })
})
