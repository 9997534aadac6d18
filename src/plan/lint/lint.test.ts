import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readPlan } from '../markdown/read-plan.ts'
import { lintPlan, problemsOf, RULES } from './lint.ts'

const FOLDER = new URL('../../../examples/plans/', import.meta.url)
const PLANS = readdirSync(FOLDER).filter((name) => name.endsWith('.md') && name !== 'README.md')
const KV = readFileSync(new URL('kv.md', FOLDER), 'utf8')

const PROJECT = {
  linesOf(file: string): number | null {
    try {
      return readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8').split('\n').length
    } catch {
      return null
    }
  },
}

describe.each(PLANS)('the example %s', (name) => {
  it('has no problem, and cites places that exist', () => {
    const text = readFileSync(new URL(name, FOLDER), 'utf8')
    expect(lintPlan(readPlan(text, name), PROJECT)).toEqual([])
  })
})

type Broken = readonly [
  what: string,
  rule: string,
  section: string,
  from: string | RegExp,
  to: string,
  at: string | RegExp,
]

/** One change to a good plan each; `at` is what stands on the line that must be named. */
const BROKEN: readonly Broken[] = [
  ['a section is missing', 'missing-section', '§7c', /## §7c[^]*?(?=## §7d)/, '', '# Plan:'],
  ['a section is there twice', 'duplicate-section', '§8', '## §9 Open', '## §8 Again', '## §8 Again'],
  [
    'a section does not exist',
    'unknown-section',
    '§7e',
    '## §7d Confidence',
    '## §7e Extra\n\nx\n\n## §7d Confidence',
    '## §7e',
  ],
  ['a table lacks a column', 'missing-column', '§1b', '| Category ', '| Kind     ', /\| ID +\| Claim/],
  ['a claim has an unknown category', 'schema', '§1b', '| durability  |', '| speed       |', '| speed'],
  [
    'a claim cites a file that does not exist',
    'claim-source',
    '§1b',
    'examples/kv/store.js:3',
    'examples/kv/gone.js:3',
    'gone.js',
  ],
  [
    'a claim cites a line that does not exist',
    'claim-source',
    '§1b',
    'examples/kv/store.js:3',
    'examples/kv/store.js:9999',
    ':9999',
  ],
  [
    'a claim without a place is not marked as inferred',
    'claim-source',
    '§1b',
    'examples/kv/store.js:3',
    'common sense',
    'common sense',
  ],
  [
    'a hypothesis falsifies no claim',
    'hypothesis-falsifies-a-claim',
    '§4',
    /\| H3 {2}\| C3 {8}\|/,
    '| H3  | –         |',
    '| H3  | –',
  ],
  [
    'a hypothesis falsifies a claim that is not there',
    'hypothesis-falsifies-a-claim',
    '§4',
    /\| H3 {2}\| C3 {8}\|/,
    '| H3  | C9        |',
    '| H3  | C9',
  ],
  [
    'a claim has no hypothesis',
    'claim-without-hypothesis',
    '§1b',
    /\| H3 {2}\| C3 {8}\|/,
    '| H3  | C2        |',
    /\| C3 {2}\| A request/,
  ],
  [
    'a hypothesis has no scenario',
    'hypothesis-without-scenario',
    '§4',
    '**Falsifies**: H2, H3',
    '**Falsifies**: H2',
    /\| H3 {2}\|/,
  ],
  ['a pitfall is not answered', 'pitfalls', '§4', /\| `watch-loss`.*\n/, '', '### Pitfalls'],
  [
    'a pitfall is answered with yes and no hypothesis',
    'pitfalls',
    '§4',
    /(\| `lost-ack` +\| yes +\|) H3/,
    '$1 ok',
    '`lost-ack`',
  ],
  [
    'the matrix says not, and no gap',
    'coverage',
    '§5',
    /\| C3 {4}\| H3 {9}\| covered \|/,
    '| C3    | H3         | not     |',
    /\| C3 {4}\| H3 {9}\| not/,
  ],
  [
    'a technique is unknown',
    'techniques',
    '§6',
    '| `crash-and-upgrade` ',
    '| `crystal-ball`      ',
    '`crystal-ball` ',
  ],
  [
    'a requirement is used by no scenario of the plan',
    'environment',
    '§6b',
    '| S1, S2 ',
    '| S1, S9 ',
    'S1, S9',
  ],
  [
    'a scenario is not named after its claim',
    'scenario-name',
    '§7 S1',
    '### S1 An acknowledged change survives a power loss',
    '### S1 Chaos monkey',
    '### S1',
  ],
  [
    'the oracle is that logs look fine',
    'oracle',
    '§7 S1',
    /\*\*Oracle\*\*: `property-assertion`.*/,
    '**Oracle**: `property-assertion`: the logs look fine',
    'the logs look fine',
  ],
  [
    'the oracle is no pattern',
    'oracle',
    '§7 S1',
    /\*\*Oracle\*\*: `property-assertion`.*\n.*\n/,
    '**Oracle**: something\n',
    '**Oracle**: something',
  ],
  [
    'the exit criterion decides nothing',
    'exit-criteria',
    '§7 S1',
    /\*\*Exit criteria\*\*: .*/,
    '**Exit criteria**: the service stays healthy',
    'stays healthy',
  ],
  [
    'a nemesis is unknown',
    'nemeses',
    '§7 S1',
    '**Faults**: `power-loss`',
    '**Faults**: `gremlins`',
    '`gremlins`',
  ],
  [
    'the negative control is missing',
    'negative-control',
    '§7 S1',
    /- \*\*Negative control\*\*: a server that answers.*\n.*\n/,
    '',
    '### S1',
  ],
  [
    'a section is left open',
    'to-do',
    '§2',
    'One server, one to three clients.',
    'TODO: what may fail.',
    'TODO: what may fail.',
  ],
  [
    'a field of a scenario is left open',
    'to-do',
    '§7.M S2',
    '**Ambiguous outcomes**: a request whose connection broke is unknown; either value may be read later',
    '**Ambiguous outcomes**: TBD',
    '**Ambiguous outcomes**: TBD',
  ],
  [
    'a Maelstrom test has no program',
    'bindings',
    '§7 S1',
    '**Run**: `simulation kv`',
    '**Run**: `maelstrom -w lin-kv`',
    '`maelstrom -w lin-kv`',
  ],
  [
    'a real test has a seed of its own',
    'bindings',
    '§7 S1',
    '**Run**: `simulation kv`',
    '**Run**: `real kv --seed 7 --nemesis partition`',
    '`real kv --seed 7',
  ],
  [
    'nothing in a real test injects a planned nemesis',
    'binding-nemeses',
    '§7 S1',
    '**Run**: `simulation kv`',
    '**Run**: `real kv --nemesis kill,loss`',
    '`real kv --nemesis kill,loss`',
  ],
  [
    'a budget is missing',
    'missing-budget',
    '§7 S2',
    /- \*\*Release budget\*\*: not provided.*\n/,
    '',
    '### S2',
  ],
  [
    'a budget is left out without a condition',
    'budget',
    '§7 S2',
    /\*\*Release budget\*\*: not provided.*/,
    '**Release budget**: not provided: no time.',
    'no time.',
  ],
  [
    'the smoke budget is one seed',
    'budgets',
    '§7 S1',
    '**Smoke budget**: seeds 3, level sunny, operations 50, timeout 60s',
    '**Smoke budget**: seeds 1, level sunny',
    'seeds 1, level',
  ],
  [
    'the hardening budget is no harder',
    'budgets',
    '§7 S1',
    '**Hardening budget**: seeds 100, level stormy, operations 3000',
    '**Hardening budget**: seeds 3, level sunny, operations 50',
    'seeds 3, level sunny, operations 50, timeout 10m',
  ],
  ['the binding is missing', 'binding', '§7 S1', '**Run**: `simulation kv`', '**Run**: kv', '**Run**: kv'],
  [
    'a field is unknown',
    'unknown-field',
    '§7 S1',
    '- **Observability**: the wire',
    '- **Colour**: blue\n- **Observability**: the wire',
    '**Colour**',
  ],
  [
    'a serious scenario has no §7.M',
    'discipline',
    '§7 S2',
    /#### §7\.M Model, history and checker\n\n(?=- \*\*Model\*\*: map\n- \*\*Operation history\*\*: all 12 columns but `node_seen`; )[^]*?(?=## §7b)/,
    '',
    '### S2',
  ],
  [
    '§7.M lacks a field',
    'missing-field',
    '§7.M S1',
    /- \*\*Ambiguous outcomes\*\*: a change without[^]*?(?=- \*\*Reduction)/,
    '',
    '#### §7.M',
  ],
  [
    'the history lacks what the model needs',
    'discipline',
    '§7.M S2',
    'all 12 columns but `node_seen`; recorded',
    '`op_id`, `process_id`; recorded',
    '`op_id`, `process_id`',
  ],
  ['the model is unknown', 'schema', '§7.M S1', '**Model**: map', '**Model**: cloud', '**Model**: cloud'],
  [
    'the landing evidence is the injector’s word',
    'landing-evidence',
    '§7.M S2',
    /\*\*Landing evidence\*\*: packets.*/,
    '**Landing evidence**: the injector reported success',
    'the injector reported',
  ],
  [
    'an audit question is left open',
    'audit',
    '§7 S2',
    /- `hidden-retries`: yes, the client never[^\n]*\n {2}- `one-topology`: yes, one to three clients\n/,
    '- `one-topology`: yes, one to three clients\n',
    /^- \*\*Audit\*\*/m,
  ],
  [
    'a simulation runs, whose evidence does not say how topologies vary',
    'audit',
    '§7 S2',
    /\n {2}- `one-topology`: yes, one to three clients\n/,
    '\n',
    /^- \*\*Audit\*\*/m,
  ],
  [
    'a race is to carry a serious claim',
    'binding-history',
    '§7 S1',
    '**Run**: `simulation kv`',
    '**Run**: `race kv.test.ts › a race`',
    '**Run**: `race',
  ],
  [
    'the history has a column that a simulation does not record',
    'binding-history',
    '§7 S1',
    'all 12 columns but `node_seen`, which has no meaning with one server',
    'all 12 columns',
    '**Run**',
  ],
  ['adequacy forgets a claim', 'adequacy', '§7b', /\| C3 {4}\| answers that are lost.*\n/, '', '## §7b'],
  [
    'confidence claims a proof',
    'confidence',
    '§7d',
    'no violation of C1, C2 or C3 was observed',
    'C1, C2 and C3 are proven',
    'are proven',
  ],
]

describe('a broken plan is rejected with section and line', () => {
  it('in more than twenty ways', () => {
    expect(BROKEN.length).toBeGreaterThan(20)
  })

  it.each(BROKEN)('%s: %s in %s', (_, rule, section, from, to, at) => {
    const text = KV.replace(from, to)
    expect(text, 'the change applies').not.toBe(KV)
    const problems = lintPlan(readPlan(text, 'kv.md'), PROJECT)
    const found = problems.filter((problem) => problem.rule === rule && problem.section === section)
    expect(problems.map((problem) => [problem.rule, problem.section])).toContainEqual([rule, section])
    const lines = text.split('\n')
    const isAt = (line: string): boolean => (typeof at === 'string' ? line.includes(at) : at.test(line))
    const expected = lines.flatMap((line, index) => (isAt(line) ? [index + 1] : []))
    expect(expected).toContain(found[0].line)
  })
})

describe('the audits', () => {
  const open = (binding: string, faults: string): string => {
    const text = KV.replace('`simulation kv`', `\`${binding}\``)
      .replace(/\*\*Faults\*\*: .*/, `**Faults**: \`${faults}\``)
      .replace(/ {2}- `one-topology`.*\n/, '')
    const problems = lintPlan(readPlan(text, 'kv.md'), PROJECT)
    const found = problems.find(({ rule, section }) => rule === 'audit' && section === '§7 S1')
    return /can answer (.*?):/.exec(found?.message ?? '')?.[1] ?? ''
  }

  it.each([
    ['command node drive.mjs', 'hard-kill', ''],
    ['simulation kv', 'full-partition', 'one-topology'],
    ['real kv --nemesis partition', 'full-partition', 'one-topology, symmetric-partitions-only'],
    ['real kv --nemesis partition,partition:one-way', 'full-partition', 'one-topology'],
    ['race a.test.ts › b', 'schedule', 'clocks-did-not-mask, recovery-completed, wall-clock, one-topology'],
  ])('`%s` with %s leaves open: %s', (binding, faults, questions) => {
    expect(open(binding, faults)).toBe(questions)
  })
})

describe('a scenario about a boundary', () => {
  const boundary = KV.replace(
    '| idempotency | examples/kv/client.js:4',
    '| boundary    | examples/kv/client.js:4',
  )

  it('needs the matrix', () => {
    const problems = lintPlan(readPlan(boundary, 'kv.md'))
    expect(problems.map(({ rule, section }) => [rule, section])).toContainEqual(['boundary-matrix', '§7 S2'])
  })

  it('needs arms when there are many surfaces, controls, and a stronger hardening budget', () => {
    const matrix = [
      '#### §7.M.S Boundary matrix',
      '',
      ...Object.entries({
        'Boundary claim': 'clients of one tenant',
        Keys: 'tenant',
        Surfaces: 'tcp, http, admin, metrics',
        Operations: 'get',
        'Positive controls': 'own key',
        'Negative controls': 'none',
        'Confusable identifiers': 'several',
        'Delayed and async paths': 'no',
        'Background paths': 'no',
        'Observability paths': 'no',
        Oracle: 'refused',
        'Minimum smoke budget': '10 operations',
        'Minimum hardening budget': '10 operations',
      }).map(([label, text]) => `- **${label}**: ${text}`),
      '',
    ].join('\n')
    const text = boundary.replace('## §7b Adequacy', `${matrix}\n## §7b Adequacy`)
    const problems = lintPlan(readPlan(text, 'kv.md'))
    expect(problems.map(({ rule }) => rule)).toEqual([
      'boundary-matrix',
      'boundary-controls',
      'boundary-controls',
      'boundary-controls',
    ])
    expect(problems[0].message).toContain('4 surfaces, 2 oracles and one arm')
    expect(text.split('\n')[problems[1].line - 1]).toContain('**Negative controls**')
  })
})

describe('the linter', () => {
  it('keeps the problems of one scenario from the others', () => {
    const text = KV.replace('**Faults**: `power-loss`', '**Faults**: `gremlins`')
    const problems = lintPlan(readPlan(text, 'kv.md'), PROJECT)
    expect(problemsOf(problems, 'S1')).toHaveLength(1)
    expect(problemsOf(problems, 'S2')).toEqual([])
  })

  it('has rules with names of their own', () => {
    expect(Object.keys(RULES).length).toBeGreaterThan(20)
  })
})
