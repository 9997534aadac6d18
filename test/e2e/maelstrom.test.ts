/**
 * `wavetank maelstrom` as people use it: a scaffolded node, the same files for the same seed, and nodes that misbehave,
 * as real processes. Whatever a node does, the test ends with a report, the documented exit code, and no process left.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { buildOnce } from './build.ts'
import { CLI, throwAwayProjects, type Project } from './project.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 })
beforeAll(buildOnce)

const project = throwAwayProjects()
const FULL = process.env.WAVETANK_FULL === '1'

/** Everything in a folder, links followed, by name. */
function filesOf(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return new Map(
    names.map(({ parentPath, name }) => [
      join(parentPath, name).slice(folder.length),
      readFileSync(join(parentPath, name), 'utf8'),
    ]),
  )
}

/** A node that writes its pid, answers, and does something of its own with each message. */
const NODE = (quirk: string) => `
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
appendFileSync(process.argv[2], process.pid + '\\n')
let id, count = 0
const send = (dest, body) => process.stdout.write(JSON.stringify({ src: id, dest, body }) + '\\n')
createInterface({ input: process.stdin }).on('line', (line) => {
  const { src, body } = JSON.parse(line)
  const reply = (fields) => send(src, { ...fields, type: body.type + '_ok', in_reply_to: body.msg_id })
  count++
  ${quirk}
  if (body.type === 'init') { id = body.node_id; reply({}) }
  if (body.type === 'echo') reply({ echo: body.echo })
})
`

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function leftOver({ folder }: Project): number[] {
  const file = join(folder, 'pids')
  const pids = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
  expect(pids.length).toBeGreaterThan(0)
  return pids.filter(isAlive)
}

const ECHO = ['maelstrom', 'test', '-w', 'echo', '--node-count', '1', '--rate', '20', '--time-limit', '1']

describe('in the tank', () => {
  it('a seed gives the same files, byte for byte, and another seed gives others', async () => {
    const made = project({})
    expect(await made.wavetank('maelstrom', 'new', 'broadcast')).toMatchObject({ code: 0 })
    const args = ['maelstrom', 'test', '-w', 'broadcast', '--bin', 'broadcast.ts', '--node-count', '1']
    const run = async (store: string, seed: number) => {
      const more = ['--time-limit', '3', '--rate', '20', '--nemesis', 'partition', '--nemesis-interval', '1']
      const { code } = await made.wavetank(...args, ...more, '--seed', String(seed), '--store', store)
      expect(code).toBe(0)
      const files = filesOf(join(made.folder, readFolder(made, store)))
      // The report has the command, and the command has the folder.
      const report = files.get('/report.txt')!
      files.set('/report.txt', report.replaceAll(store, 'STORE'))
      return files
    }
    const [first, again, other] = [await run('one', 7), await run('two', 7), await run('three', 8)]
    expect([...first.keys()].sort()).toEqual(
      [
        'faults.jsonl',
        'history.edn',
        'history.jsonl',
        'history.txt',
        'latency-quantiles.svg',
        'latency-raw.svg',
        'messages.svg',
        'node-logs/n0.log',
        'rate.svg',
        'report.txt',
        'results.edn',
        'results.json',
        'test.json',
        'timeline.html',
      ].map((name) => `/${name}`),
    )
    expect(again).toEqual(first)
    expect(other.get('/history.jsonl')).not.toBe(first.get('/history.jsonl'))
  })

  it('a failing test is kept, and replays', async () => {
    const made = project({ 'bad.mjs': NODE(`if (body.type === 'echo') return reply({ echo: 'other' })`) })
    const { code, stdout } = await made.wavetank(...ECHO, '--bin', 'bad.mjs', '--seed', '3', '--', '/pids')
    expect(code).toBe(1)
    expect(stdout).toContain('wrong-echo')
    expect(stdout).toMatch(/MAELSTROM REPORT[^]*result +FAIL[^]*again +npx wavetank maelstrom test --seed 3/)
    const replay = /npx wavetank (replay \S+)/.exec(stdout)![1]
    const replayed = await made.wavetank(...replay.split(' '))
    expect(replayed.stdout + replayed.stderr).toContain('wrong-echo')
    expect(replayed.code).toBe(1)
  })

  it.each([
    ['answers no more', `if (count > 4) return`, 'stopped-answering: n0 left its last request', 1],
    [
      'floods stdout',
      `if (count === 3) setInterval(() => { for (let i = 0; i < 200; i++) console.log('{}') }, 1)`,
      'floods-stdout: n0',
      1,
    ],
    [
      'answers late',
      `if (count === 4) return setTimeout(reply, 7000, { echo: body.echo })`,
      'result        PASS',
      0,
    ],
  ])('a node that %s gives a report', async (_, quirk, text, exit) => {
    const made = project({ 'node.mjs': NODE(quirk) })
    const { code, stdout } = await made.wavetank(...ECHO, '--bin', 'node.mjs', '--seed', '3', '--', '/pids')
    expect(stdout).toContain(text)
    expect(code).toBe(exit)
  })

  // 10 s of computing, twice; minutes on a busy machine.
  it.runIf(FULL)('a node that never returns is ended, and reported', { timeout: 900_000 }, async () => {
    const made = project({ 'node.mjs': NODE(`if (count === 4) for (;;);`) })
    const { code, stdout } = await made.wavetank(...ECHO, '--bin', 'node.mjs', '--seed', '3', '--', '/pids')
    expect(stdout).toMatch(/a callback of [^\n]+ did not return within[^]*there are no results\.\nagain/)
    expect(code).toBe(1)
  })

  it('a campaign of seeds finds, shrinks and tells a failure', async () => {
    const made = project({
      'rare.mjs': NODE(`if (/ 5\\d?$/.test(body.echo)) return reply({ echo: 'other' })`),
    })
    const { code, stdout } = await made.wavetank(
      ...ECHO,
      '--bin',
      'rare.mjs',
      '--time-limit',
      '0.3',
      '--seeds',
      '8',
      '--',
      '/pids',
    )
    expect(code).toBe(1)
    expect(stdout).toMatch(/1 unique bug[^]*story of seed[^]*Please echo 5/)
  })
})

/** Where `latest` of a store leads. */
function readFolder({ folder }: Project, store: string): string {
  const workload = readdirSync(join(folder, store)).find((name) => name !== 'latest')!
  const time = readdirSync(join(folder, store, workload)).find((name) => name !== 'latest')!
  return join(store, workload, time)
}

describe('the command', () => {
  it('takes nodes as Maelstrom does: a count outdoes names, and names are taken together', async () => {
    const made = project({ 'node.mjs': NODE(''), names: 'x\ny\n' })
    const nodesOf = async (store: string, ...options: string[]) => {
      const args = [...ECHO, '--time-limit', '0.1', '--bin', 'node.mjs', '--store', store]
      const { code } = await made.wavetank(...args.toSpliced(4, 2), ...options, '--', '/pids')
      expect(code).not.toBe(254)
      const text = readFileSync(join(made.folder, readFolder(made, store), 'test.json'), 'utf8')
      return (JSON.parse(text) as { nodes: string[] }).nodes
    }
    expect(await nodesOf('one', '--nodes', 'a,b', '--node-count', '2')).toEqual(['n0', 'n1'])
    const names = ['-n', 'q', '--node', 'r', '--nodes', 'a', '--nodes-file', 'names']
    expect(await nodesOf('two', ...names)).toEqual(['x', 'y', 'a', 'q', 'r'])
  })

  it.each([
    [['--nodes', 'a,b,a'], 'two nodes a'],
    [['--nodes', 'a,c7'], 'those of clients'],
    [['--nodes', 'a,seq-kv'], 'name of a service'],
    [['--time-limit', '0'], 'more than 0 s'],
    [['--nemesis-interval', '0'], 'more than 0 s'],
    [['-w', 'txn-list-append', '--consistency-models', 'serializable,tea'], 'no consistency model "tea"'],
    [['--store', 'node.mjs/store'], '(--store)'],
    [['--bin', 'no-such-program'], 'no such program'],
    [['--bin', './plain'], 'chmod +x'],
  ])('refuses %j before it tests anything, with the reason', async (options, reason) => {
    const made = project({ 'node.mjs': NODE(''), plain: 'no program' })
    const base = ['maelstrom', 'test', '-w', 'echo', '--bin', 'node.mjs']
    const { code, stdout, stderr } = await made.wavetank(...base, ...options)
    expect(stderr).toContain(reason)
    expect({ code, stdout }).toEqual({ code: 254, stdout: '' })
  })
})

describe('a scaffolded node', () => {
  it('passes its first test, which `new` names, and is never overwritten', async () => {
    const made = project({})
    const { code, stdout } = await made.wavetank('maelstrom', 'new', 'lin-kv')
    expect(code).toBe(0)
    const [, next] = /next: npx wavetank (.+)/.exec(stdout)!
    expect(await made.wavetank(...next.split(' '))).toMatchObject({ code: 0, stderr: '' })
    const again = await made.wavetank('maelstrom', 'new', 'lin-kv')
    expect(again).toMatchObject({ code: 254 })
    expect(again.stderr).toContain('lin-kv.ts exists')
  })

  it('of an unknown workload is an error that names them all', async () => {
    const { code, stderr } = await project({}).wavetank('maelstrom', 'new', 'tea')
    expect(code).toBe(254)
    expect(stderr).toContain('unique-ids')
  })
})

describe('a real node', () => {
  it('in TypeScript runs on this Node', async () => {
    const made = project({})
    await made.wavetank('maelstrom', 'new', 'echo')
    const { code, stdout } = await made.wavetank(...ECHO, '--bin', 'echo.ts', '--real', '--seed', '1')
    expect(stdout).toContain('PASS')
    expect(code).toBe(0)
    expect(readdirSync(made.folder).filter((name) => name.startsWith('.wavetank-'))).toEqual([])
  })

  it.each([
    ['prints garbage', `if (count === 2) console.log('garbage')`, 'malformed-message', 1],
    ['replies twice', `if (body.type === 'echo') reply({ echo: body.echo })`, 'second-reply', 1],
    ['exits', `if (count === 4) { console.error('last words'); process.exit(3) }`, 'last words', 1],
    ['writes a line of 50 MB', `if (count === 2) console.log('x'.repeat(50e6))`, 'line-too-long', 1],
    [
      'floods stdout',
      `if (count === 2) setInterval(() => { for (let i = 0; i < 1e4; i++) console.log('{}') }, 1)`,
      'malformed-message',
      1,
    ],
    ['floods stderr', `if (count === 2) setInterval(() => console.error('e'.repeat(1e6)), 1)`, 'PASS', 0],
    [
      'leaves a child behind',
      `if (count === 2) import('node:child_process').then(({ spawn }) => appendFileSync(process.argv[2], spawn('sleep', ['600'], { stdio: 'ignore' }).pid + '\\n'))`,
      'PASS',
      0,
    ],
  ])('that %s is reported, and leaves nothing behind', async (_, quirk, text, exit) => {
    const made = project({ 'node.mjs': NODE(quirk) })
    const pids = join(made.folder, 'pids')
    const { code, stdout } = await made.wavetank(
      ...ECHO,
      '--bin',
      'node.mjs',
      '--real',
      '--seed',
      '1',
      '--',
      pids,
    )
    expect(stdout).toContain('MAELSTROM REPORT')
    expect(stdout).toContain(text)
    expect(code).toBe(exit)
    await vi.waitFor(() => expect(leftOver(made)).toEqual([]), { timeout: 5000 })
  })

  it('that hangs is reported, although no answer of its own is wrong', async () => {
    const made = project({ 'node.mjs': NODE(`if (count > 4) return`) })
    const pids = join(made.folder, 'pids')
    const more = ['--concurrency', '5', '--bin', 'node.mjs', '--real', '--seed', '1']
    const { code, stdout } = await made.wavetank(...ECHO, ...more, '--', pids)
    expect(stdout).toContain('stopped-answering: n0')
    expect(code).toBe(1)
    await vi.waitFor(() => expect(leftOver(made)).toEqual([]), { timeout: 5000 })
  })

  it('is gone after Ctrl-C, and what happened so far is reported', async () => {
    const made = project({ 'node.mjs': NODE('') })
    const pids = join(made.folder, 'pids')
    const args = [...ECHO.slice(0, -1), '60', '--bin', 'node.mjs', '--real', '--seed', '1', '--', pids]
    const child = spawn(process.execPath, [CLI, ...args], { cwd: made.folder })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (bytes) => (stdout += String(bytes)))
    child.stderr.on('data', (bytes) => (stderr += String(bytes)))
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    await vi.waitFor(() => expect(stderr).toContain('Running operations'), { timeout: 60_000 })
    await new Promise((resolve) => setTimeout(resolve, 1000))
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(stdout).toMatch(/MAELSTROM REPORT[^]*interrupted/)
    await vi.waitFor(() => expect(leftOver(made)).toEqual([]), { timeout: 5000 })
  })
})
