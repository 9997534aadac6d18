import { beforeAll, describe, expect, it, vi } from 'vitest'
import { buildOnce } from './build.ts'
import { throwAwayProjects } from './project.ts'

/** A counter that is killed and forgets, and one that does not forget. */
const COUNTER = `
import { simulation } from 'wavetank'

function counter(name, keeps) {
  return simulation(name, {
    processes: { counter: { entry: './counter.js', args: [keeps ? 'sync' : 'lazy'] } },
    workload: {
      clients: 2,
      operations: 10,
      async run({ operation, hosts }) {
        await operation('add', async () => {
          const response = await fetch('http://counter:80/', { method: 'POST', signal: AbortSignal.timeout(500) })
          return Number(await response.text())
        })
      },
    },
    invariants: {
      'the count never falls': ({ events }) => {
        let last = 0
        for (const { data } of events.all('operation')) {
          if (data.type !== 'ok') continue
          if (data.value <= last) return data.value + ' after ' + last
          last = data.value
        }
        return true
      },
    },
  })
}

export const good = counter('good', true)
export const bad = counter('bad', false)
`

const SERVER = `
import { createServer } from 'node:http'
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'

let count = 0
mkdirSync('/data', { recursive: true })
try { count = Number(readFileSync('/data/count', 'utf8')) } catch {}
const keeps = process.argv[2] === 'sync'
const syncFolder = (path) => { const fd = openSync(path, 'r'); fsyncSync(fd); closeSync(fd) }
const fd = openSync('/data/count', 'a+')
if (keeps) { syncFolder('/data'); syncFolder('/') }
createServer((request, response) => {
  count++
  if (keeps) {
    const file = openSync('/data/count', 'r+')
    writeSync(file, String(count), 0)
    fsyncSync(file)
    closeSync(file)
  }
  response.end(String(count))
}).listen(80, () => console.log('counting from ' + count))
`

const simple = (processes: string, run = '() => {}', more = ''): string => `
import { simulation } from 'wavetank'
export default simulation('simple', { processes: { ${processes} }, workload: { clients: 1, operations: 1, run: ${run} }, ${more} })
`

// Each test starts several processes with threads of their own; how long that takes is the machine's business.
vi.setConfig({ testTimeout: 300_000 })

const project = throwAwayProjects()

beforeAll(buildOnce, 120_000)

describe('wavetank run', () => {
  const counters = project({ 'counter.sim.js': COUNTER, 'counter.js': SERVER })

  it('exits with 0 when every promise held', async () => {
    const { code, stdout } = await counters.wavetank('run', 'good', '--level', 'stormy', '--seeds', '5')
    expect(stdout).toMatch(/✓ good {2}level stormy {2}held/)
    expect(stdout).toMatch(/the count never falls +\d+/)
    expect(code).toBe(0)
  })

  it('exits with 1 when one is broken, shrinks it, tells its story, and writes a trace that replays', async () => {
    const { code, stdout } = await counters.wavetank(
      'run',
      'bad',
      '--level',
      'stormy',
      '--seeds',
      '50',
      '--bail',
    )
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ bad {2}level stormy {2}violated/)
    expect(stdout).toMatch(/story of seed \d+, shrunk \d+ → \d+ choices, 1 fault, in \d+ runs/)
    expect(stdout).toMatch(/⚡ (kill|power loss at|stop \(SIGTERM\)) counter/)
    expect(stdout).toMatch(/← \d+ after \d+/)
    const file = /npx wavetank replay (\S+)/.exec(stdout)![1]
    const replayed = await counters.wavetank('replay', file)
    expect(replayed.stdout).toContain('the same run, to the last step')
    expect(replayed.code).toBe(1)
    const latest = await counters.wavetank('replay', '.wavetank/runs/latest/f1.json', '--logs')
    expect(latest.stdout).toContain('counting from 0')
    const sliced = await counters.wavetank('trace', file)
    const all = await counters.wavetank('trace', file, '--all')
    expect(sliced.stdout).toMatch(/← \d+ after \d+/)
    expect(sliced.stdout.split('\n').length).toBeLessThanOrEqual(all.stdout.split('\n').length)
    const shrunk = await counters.wavetank('shrink', file)
    expect(shrunk.code).toBe(0)
    expect(shrunk.stdout).toMatch(/^(\d+) → \1 choices, 1 fault, in \d+ runs\n/) // shrunk already
  })

  it('replays an edited program with a warning, and says where it diverges when its choices changed', async () => {
    const edited = project({ 'counter.sim.js': COUNTER, 'counter.js': SERVER })
    await edited.wavetank('run', 'bad', '--level', 'stormy', '--seeds', '50', '--bail')
    edited.write({ 'counter.js': SERVER.replace('count++', "count++; console.log('another line')") })
    const harmless = await edited.wavetank('replay', '.wavetank/runs/latest/f1.json')
    expect(harmless.stderr).toContain('changed since the recording: counter.js')
    expect(harmless.stdout).toMatch(/differs from the recorded one from step \d+ on/) // what it prints is hashed, too
    expect(harmless.code).toBe(1)
    edited.write({ 'counter.sim.js': COUNTER.replace('clients: 2', 'clients: 0') })
    const diverged = await edited.wavetank('replay', '.wavetank/runs/latest/f1.json')
    expect(diverged.stdout).toMatch(/divergence: replay/)
    expect(diverged.stdout).toMatch(/differs from the recorded one from step \d+ on/)
    expect(diverged.code).toBe(2)
    // A program that asks for the same choices and does something else: the step is the one at which it does.
    edited.write({
      'counter.sim.js': COUNTER,
      'counter.js': SERVER.replace('response.end(String(count))', "response.end(String(count) + ' ')"),
    })
    const differing = await edited.wavetank('replay', '.wavetank/runs/latest')
    const [, step] = /differs from the recorded one from step (\d+) on/.exec(differing.stdout)!
    expect(Number(step)).toBeGreaterThan(5)
    const { steps } = JSON.parse(edited.read('.wavetank/runs/latest/f1.json')) as { steps: number }
    expect(Number(step)).toBeLessThan(steps)
  })

  it('runs every seed twice with --verify, in other threads, and finds them identical', async () => {
    const { code, stdout } = await counters.wavetank(
      'run',
      'good',
      '--level',
      'radioactive',
      '--seeds',
      '6',
      '--jobs',
      '2',
      '--verify',
    )
    expect(stdout).toContain('6 seeds run twice, all identical')
    expect(code).toBe(0)
  })

  it('reports as JUnit and for GitHub, to a file if asked', async () => {
    const junit = await counters.wavetank(
      'run',
      'good',
      '--seeds',
      '1',
      '--reporter',
      'junit',
      '--output',
      'report.xml',
    )
    expect(junit.code).toBe(0)
    expect(counters.read('report.xml')).toContain('<testsuite name="good"')
    const github = await counters.wavetank(
      'run',
      'bad',
      '--level',
      'stormy',
      '--seeds',
      '50',
      '--bail',
      '--no-shrink',
      '--reporter',
      'github',
    )
    expect(github.stdout).toMatch(/^::error file=.*counter\.sim\.js,title=bad%3A invariant/)
    expect(github.code).toBe(1)
  })

  it('exits with 2 for a coverage gap', async () => {
    const gap = project({
      'gap.sim.js': simple('', "() => sometimes(false, 'never seen')").replace(
        '{ simulation }',
        '{ simulation, sometimes }',
      ),
    })
    const { code, stdout } = await gap.wavetank('run', '--seeds', '2')
    expect(stdout).toContain("sometimes 'never seen' was never true")
    expect(code).toBe(2)
  })

  it('exits with 2 for a server that only crashes, shows its last words with --logs, and with 0 if gaps are allowed', async () => {
    const crashing = project({
      'crash.sim.js': simple(
        'p: { entry: "./p.js", onExit: "restart" }',
        "({ operation }) => operation('ask', () => fetch('http://p/'))",
        "invariants: { 'all is well': () => true }",
      ),
      'p.js': "console.log('begins'); throw new Error('no configuration')",
    })
    const { code, stdout } = await crashing.wavetank('run', '--seeds', '2', '--logs')
    expect(stdout).toMatch(
      /operation 'ask' never succeeded \(0 failed, 2 unknown\); most often: .*ECONNREFUSED/,
    )
    expect(stdout).toContain('most often: p exited with code 1: Error: no configuration')
    expect(stdout).toMatch(/processes {2}\d+ boots, \d+ restarts, \d+ crashes/)
    expect(stdout).toMatch(/logs of seed 1\n +\S+ {2}p {2}begins\n/)
    expect(code).toBe(2)
    expect((await crashing.wavetank('run', '--seeds', '2', '--allow-gaps')).code).toBe(0)
  })

  it('stops a callback that never returns from outside, and names seed and process', async () => {
    const stuck = project({
      'stuck.sim.js': simple('looper: { run: () => { setTimeout(() => { for (;;); }, 10) } }'),
      'wavetank.config.js': 'export default { stuckWallMs: 2000 }',
    })
    const { code, stdout } = await stuck.wavetank('run', '--seeds', '1')
    expect(stdout).toMatch(/stuck: looper/)
    expect(stdout).toMatch(/seed 1, step \d+/)
    expect(code).toBe(1)
  }, 120_000)
})

describe('bad input', () => {
  const cases: [string, Record<string, string>, string[], number, RegExp][] = [
    ['an unknown command', {}, ['sail'], 254, /there is no command sail/],
    ['an unknown option', {}, ['run', '--fast'], 254, /unknown option '--fast'/],
    ['an unknown level', {}, ['run', '--level', 'breezy'], 254, /expected sunny, stormy, radioactive/],
    ['a wrong number of seeds', {}, ['run', '--seeds', 'many'], 254, /--seeds/],
    ['no simulation at all', {}, ['run'], 254, /there is no simulation here/],
    [
      'an unknown simulation',
      { 'a.sim.js': simple('') },
      ['run', 'other'],
      254,
      /no simulation matches 'other'; there are simple/,
    ],
    [
      'a syntax error in the simulation',
      { 'a.sim.js': 'export default simulation(' },
      ['run'],
      254,
      /a\.sim\.js cannot be loaded: SyntaxError/,
    ],
    [
      'a simulation that throws',
      { 'a.sim.js': 'throw new Error("not today")' },
      ['run'],
      254,
      /cannot be loaded: Error: not today/,
    ],
    [
      'a wrong definition',
      { 'a.sim.js': simple('p: { count: -1, entry: "x.js" }') },
      ['run'],
      254,
      /processes\.p\.count: expected a whole number from 0/,
    ],
    [
      'two simulations of one name',
      { 'a.sim.js': simple(''), 'b.sim.js': simple('') },
      ['run'],
      254,
      /two simulations are named 'simple'/,
    ],
    [
      'a broken configuration',
      { 'wavetank.config.js': 'export default 3' },
      ['run'],
      254,
      /wavetank\.config\.js: expected a default export/,
    ],
    ['a missing trace', {}, ['replay', 'nowhere.json'], 254, /nowhere\.json cannot be read/],
    [
      'a corrupt trace',
      { 'f.json': '{ "format": "wavetank-trace", "version": 2 }' },
      ['replay', 'f.json'],
      254,
      /f\.json: cannot be read as a trace/,
    ],
    [
      'an old trace',
      { 'f.json': '{ "format": "wavetank-trace", "version": 1 }' },
      ['trace', 'f.json'],
      254,
      /f\.json: this is a trace of version 1, and this wavetank reads version 2; run the simulation/,
    ],
    ['no trace at all', {}, ['shrink'], 254, /missing required argument 'file'/],
    [
      'a missing entry',
      { 'a.sim.js': simple('p: { entry: "./gone.js" }') },
      ['run', '--seeds', '1'],
      254,
      /a\.sim\.js: simulation\('simple'\): processes\.p\.entry: there is no file .*gone\.js; the path is relative/,
    ],
    [
      'a missing entry of a variant',
      { 'a.sim.js': simple('p: { entry: "./p.js", variants: { next: { entry: "./v2.js" } } }'), 'p.js': '' },
      ['run', '--seeds', '1'],
      254,
      /processes\.p\.variants\.next\.entry: there is no file .*v2\.js/,
    ],
    ['no time at all', {}, ['run', '--time', '0'], 254, /--time .*expected a duration of more than 0/],
    [
      'an unknown fault',
      { 'a.sim.js': simple('', undefined, 'script: [{ fault: "partitoin", atMs: 1 }]') },
      ['run'],
      254,
      /script\[0\]\.fault: expected .*partition/,
    ],
    [
      'an unknown family',
      {
        'a.sim.js': simple(
          '',
          undefined,
          'levels: { stormy: { families: { paus: { everyMs: 1, chance: 1, durationMs: [0, 0] } } } }',
        ),
      },
      ['run'],
      254,
      /there is no option "levels\.stormy\.families\.paus"; did you mean "pause"/,
    ],
    [
      'a negative rate',
      {
        'a.sim.js': simple(
          '',
          undefined,
          'levels: { stormy: { families: { pause: { everyMs: 1, chance: -1, durationMs: [0, 0] } } } }',
        ),
      },
      ['run'],
      254,
      /levels\.stormy\.families\.pause\.chance: expected a fraction from 0 to 1, and got -1/,
    ],
    [
      'a fault that is aimed at a process that does not exist',
      {
        'a.sim.js': simple(
          'p: { run: () => {} }',
          undefined,
          'script: [{ fault: "pause", target: "q", atMs: 1 }]',
        ),
      },
      ['run'],
      254,
      /script\[0\]\.target: there is no process "q"; .*groups are p/,
    ],
    [
      'a budget that forbids everything, with a fault that is asked for',
      {
        'a.sim.js': simple(
          'p: { run: () => {} }',
          undefined,
          'budget: { dead: 0, clockSkewMs: 0, partitions: false }, levels: { sunny: { families: { pause: { everyMs: 100, chance: 1, durationMs: [1, 1] } } } }',
        ),
      },
      ['run', '--seeds', '1'],
      2,
      /fault 'pause' was asked for and never landed: the budget forbids it: dead is 0/,
    ],
    [
      'more processes that stay broken than may be out',
      { 'a.sim.js': simple('p: { run: () => {} }', undefined, 'budget: { dead: 1, unhealed: 2 }') },
      ['run'],
      254,
      /budget\.unhealed must not be more than budget\.dead \(1\), and is 2/,
    ],
    [
      'a simulation without a workload',
      {
        'a.sim.js':
          'import { simulation } from "wavetank"; export default simulation("bare", { processes: {} })',
      },
      ['run'],
      254,
      /simulation\('bare'\): .*workload/,
    ],
    [
      'a mistake in an invariant',
      { 'a.sim.js': simple('', undefined, 'invariants: { "all is well": () => missing.well }') },
      ['run', '--seeds', '1'],
      2,
      /1 mistake in the simulation's own code[\s\S]*ReferenceError: missing is not defined, at .*a\.sim\.js:\d+/,
    ],
    [
      'a syntax error in the program',
      { 'a.sim.js': simple('p: { entry: "./p.js" }'), 'p.js': 'const = 1' },
      ['run', '--seeds', '1'],
      1,
      /process-exit: p[\s\S]*SyntaxError/,
    ],
    [
      'an unsupported builtin',
      { 'a.sim.js': simple('p: { entry: "./p.js" }'), 'p.js': 'import "node:wasi"' },
      ['run', '--seeds', '1'],
      2,
      /unsupported: p[\s\S]*node:wasi[\s\S]*p\.js[\s\S]*externals: \{ 'wasi': '\.\/stub\.ts' \}/,
    ],
    [
      'a workload that never ends',
      { 'a.sim.js': simple('', '() => new Promise(() => {})') },
      ['run', '--seeds', '1'],
      1,
      /deadlock: deadlock[\s\S]*nothing can happen any more, but the workload waits for 0 operations in phase heal/,
    ],
    [
      'a workload that only waits for time to pass',
      {
        'a.sim.js': simple(
          '',
          '() => new Promise(() => setInterval(() => {}, 1000))',
          'limits: { virtualMs: 60000 }',
        ),
      },
      ['run', '--seeds', '1'],
      1,
      /time-budget: workload/,
    ],
    [
      'a workload that goes round and round',
      {
        'a.sim.js': simple(
          '',
          '() => new Promise(() => { const again = () => setImmediate(again); again() })',
          'limits: { steps: 20000 }',
        ),
      },
      ['run', '--seeds', '1'],
      1,
      /step-budget: step budget/,
    ],
    [
      'a tap that says nothing',
      { 'a.sim.js': simple('', '() => {}', 'taps: { t: {} }') },
      ['run'],
      254,
      /taps\.t needs either port \(a number\) or path \(of a unix socket\)/,
    ],
    [
      'a watched file of nobody',
      { 'a.sim.js': simple('', '() => {}', 'files: { f: { of: "p", path: "/x" } }') },
      ['run'],
      254,
      /files\.f\.of must be a group of processes or one of them, not "p"/,
    ],
  ]

  it.each(cases)('%s gives its error and exit code', async (_name, files, args, code, pattern) => {
    const outcome = await project(files).wavetank(...args)
    expect(outcome.stdout + outcome.stderr).toMatch(pattern)
    expect(outcome.code).toBe(code)
    expect(outcome.stderr).not.toMatch(/\n {4}at .*dist/)
  })
})

describe('an external', () => {
  it('takes the place of what the tank does not have, and of what a simulation would rather not load', async () => {
    const { code, stdout } = await project({
      'a.sim.js': simple(
        'p: { entry: "./p.js" }',
        '() => {}',
        `externals: { inspector: './stub.js', 'no-such-package': './stub.js' },
         invariants: { 'the stub prints': ({ events }) => (events.last('stdout')?.data ?? 'a stub') === 'a stub' },
         allowGaps: ['no-operation']`,
      ),
      'stub.js': 'export const url = () => "a stub"',
      'p.js': `import { url } from 'node:inspector'
        import * as other from 'no-such-package'
        if (url() !== 'a stub' || other.url !== url) throw new Error('not the stub')
        console.log(url())`,
    }).wavetank('run', '--seeds', '1')
    expect(stdout).toMatch(/✓ simple/)
    expect(code).toBe(0)
  })
})

describe('wavetank list and init', () => {
  it('lists what there is', async () => {
    const { stdout, code } = await project({ 'counter.sim.js': COUNTER, 'counter.js': SERVER }).wavetank(
      'list',
    )
    expect(stdout).toMatch(/good +counter +1 +counter\.sim\.js/)
    expect(code).toBe(0)
  })

  it('writes a first simulation that holds, and overwrites nothing', async () => {
    const fresh = project({})
    expect((await fresh.wavetank('init')).stdout).toContain('wrote first.sim.ts')
    const ran = await fresh.wavetank('run', 'first', '--seeds', '3')
    expect(ran.stdout).toMatch(/✓ first {2}level stormy {2}held/)
    expect(ran.code).toBe(0)
    expect((await fresh.wavetank('init')).stdout).toContain('kept first.sim.ts')
  })
})
