/** The MCP server, driven by the SDK's own client over standard input and output, in a project of its own. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { buildOnce } from './build.ts'
import { CLI, throwAwayProjects, type Project } from './project.ts'

const FORGETFUL = `import { simulation } from 'wavetank'
export default simulation('forgetful', {
  processes: {
    server: {
      async run() {
        const { createServer } = await import('node:http')
        let answers = 0
        createServer((request, response) => response.end(++answers > 3 ? 'bye' : 'hello')).listen(8080)
      },
    },
  },
  workload: {
    clients: 1,
    operations: 10,
    async run({ operation, hosts }) {
      await operation('get', async () => (await fetch('http://' + hosts.server[0] + ':8080/')).text())
    },
  },
  invariants: {
    'the answer is hello': ({ events }) => {
      for (const { data } of events.fresh('operation'))
        if (data.type === 'ok' && data.value !== 'hello') return 'it was ' + data.value
    },
  },
})
`

const RACE = `import { race } from 'wavetank/node-test'
import { readFile, writeFile } from 'node:fs/promises'
race('two visits are both counted', async (t) => {
  await writeFile('/tmp/count', '0')
  const visit = async () => writeFile('/tmp/count', String(Number(await readFile('/tmp/count', 'utf8')) + 1))
  await Promise.all([visit(), visit()])
  t.assert((await readFile('/tmp/count', 'utf8')) === '2', 'a visit was lost')
})
`

const ECHO = `import { createNode } from 'wavetank/maelstrom'
createNode().on('echo', ({ body }) => ({ type: 'echo_ok', echo: body.echo }))
`

const SERVER = `import { createServer } from 'node:http'
createServer((request, response) => response.end('1')).listen(80)
`

const REAL = `import { simulation } from 'wavetank'
export default simulation('real', {
  processes: { server: { entry: './server.mjs' } },
  workload: { clients: 1, run: ({ operation }) => operation('get', async () => (await fetch('http://server')).text()) },
  invariants: { 'it is 1': ({ events }) => (events.last('operation')?.data.value ?? '1') === '1' },
})
`

const EXAMPLES = new URL('../../examples', import.meta.url).pathname

interface Answered {
  readonly isError?: boolean
  readonly text: string
  readonly answer: {
    readonly exitCode: number | null
    readonly meaning: string
    readonly result?: unknown
    readonly text?: string
    readonly truncated?: { readonly file: string }
  }
}

const projectOf = throwAwayProjects()
let project: Project
let client: Client

beforeAll(async () => {
  buildOnce()
  project = projectOf({
    'forgetful.sim.js': FORGETFUL,
    'visits.test.js': RACE,
    'many.js': 'Atomics.wait(a, 0, 0)\n'.repeat(500),
  })
  client = new Client({ name: 'test', version: '1' })
  const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env as Record<string, string>
  const server = {
    command: process.execPath,
    args: [CLI, 'mcp'],
    cwd: project.folder,
    env,
    stderr: 'pipe' as const,
  }
  await client.connect(new StdioClientTransport(server))
}, 240_000)

afterAll(() => client.close())

async function call(name: string, args: object = {}, options: object = {}): Promise<Answered> {
  const params = { name, arguments: args as Record<string, unknown> }
  const { isError, content, structuredContent } = await client.callTool(params, undefined, {
    timeout: 120_000,
    ...options,
  })
  const [{ text }] = content as { text: string }[]
  return { isError: isError as boolean, text, answer: structuredContent as Answered['answer'] }
}

/** The campaigns that the server has started and that still run. */
function commandsRunning(): string[] {
  const all = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n')
  return all.filter((line) => line.includes('run forgetful --level sunny --seeds 100000'))
}

describe('the MCP server', () => {
  it('offers its tools, each with a description and a schema', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['run_simulations', 'replay', 'plan_run']),
    )
    for (const { description, inputSchema, outputSchema } of tools) {
      expect(description!.length).toBeGreaterThan(20)
      expect(inputSchema.type).toBe('object')
      expect(outputSchema!.required).toEqual(['exitCode', 'meaning', 'command'])
    }
  })

  it('lists, runs, tells, shrinks, reads and replays a failure', async () => {
    const { answer: list } = await call('list_simulations')
    expect(list).toMatchObject({ exitCode: 0, result: [{ name: 'forgetful' }] })

    const { answer: ran, isError } = await call('run_simulations', { names: ['forgetful'], seeds: 3 })
    expect(isError).toBe(false)
    expect(ran).toMatchObject({ exitCode: 1, meaning: 'violated' })
    const file = /"([^"]*f1\.json)"/.exec(JSON.stringify(ran.result))![1]

    const { answer: story } = await call('story', { trace: file })
    expect(story).toMatchObject({ exitCode: 1, text: expect.stringMatching(/it was bye/) as string })

    const { answer: shrunk } = await call('shrink', { trace: file, runs: 50 })
    expect(shrunk.exitCode).toBe(0)

    const { answer: page } = await call('read_trace', { trace: file, all: true, first: 2, count: 3 })
    const { total, steps } = page.result as { total: number; steps: { step: number }[] }
    expect(steps).toHaveLength(3)
    expect(total).toBeGreaterThan(5)
    expect(steps[0].step).toBe(3)

    expect((await call('replay', { trace: file })).answer.exitCode).toBe(1)
    project.write({ 'forgetful.sim.js': FORGETFUL.replace("'bye'", "'hello'") })
    const { answer: replayed } = await call('replay', { trace: file })
    expect(replayed.exitCode).toBe(0)
    project.write({ 'forgetful.sim.js': FORGETFUL })
  })

  it('lists the races and explores one', async () => {
    const { answer: list } = await call('list_races')
    expect(list.result).toEqual([
      { file: 'visits.test.js', line: 3, title: 'two visits are both counted', each: false },
    ])
    const [{ file, title }] = list.result as { file: string; title: string }[]
    const { answer } = await call('run_race', { file, title, seeds: 1 })
    expect(answer.exitCode).toBe(1)
    expect(JSON.stringify(answer.result)).toMatch(/a visit was lost/)
  })

  it('judges a history, lints a plan, examines the machine, tests a node and looks things up', async () => {
    const lines = ['invoke', 'ok'].map((type) => JSON.stringify({ process: 0, type, f: 'write', value: 1 }))
    project.write({
      'history.jsonl': lines.join('\n'),
      'echo.mjs': ECHO,
    })
    expect((await call('check_history', { file: 'history.jsonl', model: 'register' })).answer.exitCode).toBe(
      0,
    )
    await project.wavetank('plan', 'new', '--project', '-o', 'plan.md')
    const { answer: linted } = await call('plan_lint', { plan: 'plan.md' })
    expect(linted).toMatchObject({ exitCode: 2 })
    expect(JSON.stringify(linted.result)).toMatch(/§7 S1/)
    expect([0, 2]).toContain((await call('doctor')).answer.exitCode)
    const node = { workload: 'echo', bin: 'echo.mjs', timeLimitSeconds: 2 }
    expect((await call('run_maelstrom', node)).answer.exitCode).toBe(0)
    expect((await call('catalog', { kind: 'verdicts' })).answer.exitCode).toBe(0)
  })

  it('runs a scenario of a plan, whose verdict is in the answer', async () => {
    cpSync(join(EXAMPLES, 'kv'), join(project.folder, 'examples/kv'), { recursive: true })
    cpSync(join(EXAMPLES, 'plans/kv.md'), join(project.folder, 'kv.md'))
    const { answer } = await call('plan_run', { plan: 'kv.md', scenario: 'S1' })
    expect(answer).toMatchObject({ exitCode: 0, text: expect.stringContaining('PASS-smoke') as string })
    rmSync(join(project.folder, 'examples'), { recursive: true })
  })

  it('tests a simulation on real processes', async () => {
    project.write({ 'server.mjs': SERVER, 'real.sim.js': REAL })
    const { answer } = await call('test_real', { name: 'real', timeLimitSeconds: 2, rate: 20 })
    expect(answer.exitCode).toBe(0)
    expect(answer.result).toMatchObject({ verdict: 'held' })
  })

  it('writes a first simulation', async () => {
    project.write({ 'server.mjs': SERVER })
    const input = { entry: 'server.mjs', port: 80, name: 'written' }
    expect((await call('scaffold_simulation', input)).answer.exitCode).toBe(0)
    expect(project.read('written.sim.mjs')).toContain("entry: './server.mjs'")
    expect((await call('scaffold_simulation', input)).isError).toBe(true)
  })

  it('sends progress, and a cancelled run ends soon', async () => {
    const cancel = new AbortController()
    const messages: string[] = []
    const running = call(
      'run_simulations',
      { names: ['forgetful'], seeds: 100_000 },
      {
        signal: cancel.signal,
        onprogress: ({ message }: { message?: string }) => messages.push(message ?? ''),
      },
    )
    await vi.waitUntil(() => messages.length > 0, { timeout: 60_000 })
    expect(commandsRunning()).toHaveLength(1)
    cancel.abort('enough')
    await expect(running).rejects.toThrow(/enough/)
    await vi.waitUntil(() => commandsRunning().length === 0, { timeout: 60_000 })
    expect((await call('faults', { name: 'reboot' })).answer.exitCode).toBe(0)
  })

  it('cuts an answer that is too long, and keeps all of it in a file', async () => {
    const { answer } = await call('review_source', { paths: ['many.js'] })
    expect(answer.exitCode).toBe(1)
    expect(answer.text!.length).toBeLessThan(50_000)
    const whole = readFileSync(join(project.folder, answer.truncated!.file), 'utf8')
    expect((JSON.parse(whole) as { findings: unknown[] }).findings).toHaveLength(500)
  })

  it('refuses paths outside the project, also behind a link', async () => {
    symlinkSync('/', join(project.folder, 'outside'))
    for (const trace of ['../other/f1.json', '/etc/hosts', 'outside/etc/hosts']) {
      const { isError, text } = await call('replay', { trace })
      expect(isError).toBe(true)
      expect(text).toMatch(/outside the project/)
    }
    for (const [tool, input] of [
      ['run_simulations', { names: ['../x.sim.js'] }],
      ['run_maelstrom', { workload: 'echo', bin: '/bin/cat' }],
      ['test_real', { name: '/etc/x.sim.js' }],
      ['scaffold_simulation', { entry: '../server.js' }],
      ['check_history', { file: 'history.jsonl', model: '../../model.js' }],
      ['review_source', { paths: ['..'] }],
    ] as const)
      expect((await call(tool, input)).text).toMatch(/outside the project/)
  })

  it('takes no option of the command line for a name', async () => {
    for (const [tool, input] of [
      ['run_simulations', { names: ['-obad'] }],
      ['catalog', { kind: '-obad' }],
      ['faults', { name: '--output=bad' }],
    ] as const)
      expect((await call(tool, input)).text).toMatch(/begins with "-"/)
    expect((await call('review_source', { since: '--output=bad' })).isError).toBe(true)
    expect((await call('replay', { trace: '-obad' })).isError).toBe(true)
    expect(existsSync(join(project.folder, 'bad'))).toBe(false)
  })

  it('says what is wrong with a call', async () => {
    expect((await call('replay', { trace: 'nothing.json' })).text).toMatch(/wrong usage.*nothing\.json/s)
    expect((await call('faults', { name: 'rebot' })).text).toMatch(/reboot/)
    expect((await call('run_simulations', { level: 'windy' })).text).toMatch(/level/)
  })
})
