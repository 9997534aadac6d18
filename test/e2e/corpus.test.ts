/** The corpus on the built command line: a failure is added, stays red until it is fixed, and goes stale with the code. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { buildOnce } from './build.ts'
import { type Outcome, throwAwayProjects } from './project.ts'

/** A counter whose value may be lost when its process is killed: it is written after the answer. */
const COUNTER = (early: boolean): string => `
import { createServer } from 'node:http'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
let count = existsSync('/count') ? Number(readFileSync('/count', 'utf8')) : 0
const save = () => writeFileSync('/count', String(count))
createServer((request, response) => {
  if (request.method === 'POST') count++
  if (${early}) save()
  else setTimeout(save, 400)
  response.end(String(count))
}).listen(80)
`

const SIMULATION = (draws: string): string => `
import { simulation } from 'wavetank'
let most = 0
export default simulation('counter', {
  processes: { counter: { entry: './counter.mjs', onExit: 'restart' } },
  levels: { stormy: { families: { reboot: { everyMs: 500, chance: 0.9, durationMs: [50, 100] } } } },
  workload: {
    clients: 1,
    operations: [10, 20],
    async run({ operation, rng, hosts }) {
      ${draws}
      await operation('add', { timeoutVirtualMs: 500 }, async () =>
        Number(await (await fetch('http://' + hosts.counter[0], { method: 'POST' })).text()))
    },
  },
  invariants: {
    'the count never falls': ({ events }) => {
      for (const { data } of events.fresh('operation')) {
        if (data.type !== 'ok') continue
        if (data.value <= most) return data.value + ' comes after ' + most
        most = data.value
      }
      return true
    },
  },
})
`

const BROKEN = { 'counter.mjs': COUNTER(false), 'counter.sim.js': SIMULATION('') }

vi.setConfig({ testTimeout: 300_000 })
const project = throwAwayProjects()
beforeAll(buildOnce, 120_000)

function parsed({ stdout }: Outcome): any {
  return JSON.parse(stdout)
}

describe('wavetank corpus', () => {
  it('takes a failure from its finding to its fix', async () => {
    const bank = project(BROKEN)
    expect((await bank.wavetank('corpus', 'list')).stdout).toContain('the corpus is empty')
    expect(await bank.wavetank('corpus', 'check')).toMatchObject({ code: 0, stdout: 'corpus  0 entries\n' })

    expect((await bank.wavetank('run', '--level', 'stormy', '--seeds', '10', '--no-shrink')).code).toBe(1)
    const added = await bank.wavetank('corpus', 'add', '.wavetank/runs/latest')
    expect(added.stderr).toBe('')
    expect(added.stdout).toMatch(/^added wavetank-corpus\/counter-the-count-never-falls-[0-9a-f]{8}\.json/)

    // It is shrunk, and says all that it holds.
    const [entry] = parsed(await bank.wavetank('corpus', 'list', '--json'))
    expect(entry).toMatchObject({
      kind: 'simulation',
      scenario: { file: 'counter.sim.js', name: 'counter' },
      level: 'stormy',
      violated: 'invariant: the count never falls',
      faults: ['reboot'],
      shrunk: { minimal: true },
      version: { trace: 2, node: process.version },
    })

    // The same schedule is refused; the same failure unshrunk leads to it.
    const again = await bank.wavetank('corpus', 'add', entry['file'] as string)
    expect(again).toMatchObject({
      code: 254,
      stderr: expect.stringContaining('has this schedule of this bug already'),
    })

    // Still failing: red, also in a campaign of sunny seeds that would hold.
    const red = await bank.wavetank('corpus', 'check')
    expect(red.code).toBe(1)
    expect(red.stdout).toContain('✗ still failing  counter: invariant: the count never falls')
    const campaign = await bank.wavetank('run', '--level', 'sunny', '--seeds', '2', '--json')
    expect(campaign.code).toBe(1)
    const report = parsed(campaign)
    expect(report.campaigns[0].verdict).toBe('held')
    expect(report.corpus.map(({ status }: { status: string }) => status)).toEqual(['failing'])
    expect((await bank.wavetank('run', '--level', 'sunny', '--seeds', '2', '--no-corpus')).code).toBe(0)
    expect((await bank.wavetank('run', '--level', 'sunny', '--seed', '2')).code).toBe(0)
    const junit = await bank.wavetank('run', '--level', 'sunny', '--seeds', '2', '--reporter', 'junit')
    expect(junit.stdout).toContain('<testsuite name="corpus" tests="1" failures="1" skipped="0">')
    const github = await bank.wavetank('run', '--level', 'sunny', '--seeds', '2', '--reporter', 'github')
    expect(github.stdout).toMatch(/^::error file=wavetank-corpus\/.*still failing/)

    // Fixed: green.
    bank.write({ 'counter.mjs': COUNTER(true) })
    expect(await bank.wavetank('corpus', 'check')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('✓ fixed  counter: invariant: the count never falls'),
    })
    const green = await bank.wavetank('run', '--level', 'sunny', '--seeds', '2')
    expect(green.code).toBe(0)
    expect(green.stdout).toMatch(/^corpus {2}1 entry: 1 fixed\n/)
    expect(await bank.wavetank('corpus', 'prune')).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('removed'),
    })

    // The workload draws otherwise: the schedule fits no more, and that is no pass.
    bank.write({
      'counter.sim.js': SIMULATION('return').replace('operations: [10, 20]', 'operations: [2, 3]'),
    })
    const stale = await bank.wavetank('corpus', 'check', '--json')
    expect(stale.code).toBe(2)
    const [{ status, reason }] = parsed(stale)
    expect([status, reason]).toEqual([
      'stale',
      expect.stringContaining('diverges from the recorded schedule'),
    ])
    expect((await bank.wavetank('run', '--level', 'sunny', '--seeds', '2')).code).toBe(2)

    // So is one whose simulation is gone.
    rmSync(join(bank.folder, 'counter.sim.js'))
    expect(await bank.wavetank('corpus', 'check')).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/◌ stale[^]*the trace is of counter\.sim\.js[^]*wavetank corpus prune/),
    })
    expect((await bank.wavetank('corpus', 'prune', '--dry-run')).stdout).toContain(
      'would remove wavetank-corpus/',
    )
    expect((await bank.wavetank('corpus', 'prune')).stdout).toContain('\nremoved wavetank-corpus/')
    expect(parsed(await bank.wavetank('corpus', 'list', '--json'))).toEqual([])
  })

  it('refuses what is no trace, says where and what to do, and goes on past a damaged entry', async () => {
    const bank = project({ ...BROKEN, 'notes.json': '{ "seed": 5 }', 'text.json': 'seed 5' })
    const refused = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await bank.wavetank('corpus', ...args)
      expect([code, stdout]).toEqual([254, ''])
      return stderr
    }
    expect(await refused('add')).toContain(
      'corpus add needs a trace file, such as .wavetank/runs/latest/f1.json',
    )
    expect(await refused('check', 'x.json')).toContain('corpus check takes no "x.json"')
    expect(await refused('list', '--dry-run')).toContain('corpus list has no option --dry-run; it has --json')
    expect(await refused('keep')).toContain('Allowed choices are add, check, prune, list')
    expect(await refused('add', 'nothing.json')).toContain('nothing.json cannot be read')
    expect(await refused('add', 'notes.json')).toMatch(
      /notes\.json: .*"format" should be.*expected a trace that/,
    )
    expect(await refused('add', 'text.json')).toMatch(/text\.json: .*it is not JSON.*expected a trace that/)

    await bank.wavetank('run', '--level', 'stormy', '--seeds', '5', '--no-shrink')
    const whole = bank.read('.wavetank/runs/latest/f1.json')
    bank.write({ 'cut.json': whole.slice(0, -100), 'wavetank-corpus': 'a file' })
    expect(await refused('add', 'cut.json')).toMatch(/cut\.json: cannot be read as a trace/)
    expect(await refused('add', '.wavetank/runs/latest')).toMatch(
      /wavetank-corpus is not a folder; expected a folder/,
    )

    rmSync(join(bank.folder, 'wavetank-corpus'))
    bank.write({ 'wavetank-corpus/a.json': whole.slice(0, -100), 'wavetank-corpus/b.json': whole })
    const { code, stdout } = await bank.wavetank('corpus', 'check')
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /\? unreadable {2}wavetank-corpus\/a\.json\n[^]*restore the file[^]*✗ still failing/,
    )
    rmSync(join(bank.folder, 'wavetank-corpus/b.json'))
    expect((await bank.wavetank('corpus', 'check')).code).toBe(254)
    expect((await bank.wavetank('run', '--level', 'sunny', '--seeds', '1')).code).toBe(254)
  })
})
