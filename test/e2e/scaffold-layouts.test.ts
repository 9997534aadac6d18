/**
 * Everything that `wavetank init` and `wavetank scaffold` write, in a clean folder with the packed package as npm and pnpm
 * install it, in ESM and CommonJS projects: green for a program that is right, red where a bug is planted. At normal
 * counts one of the four, and in it what depends most on where packages are: a simulation and a race.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { filledPlan } from './filled-plan.ts'
import { packedPackage, type LayoutName } from './packed-package.ts'
import { runNode, type Outcome } from './project.ts'

vi.setConfig({ testTimeout: 300_000 })

type Modules = 'module' | 'commonjs'

const packed = packedPackage()

const ALL: readonly (readonly [LayoutName, Modules])[] = [
  ['pnpm', 'commonjs'],
  ['npm', 'module'],
  ['npm', 'commonjs'],
  ['pnpm', 'module'],
]
const FULL = process.env.WAVETANK_FULL === '1'
const CASES = FULL ? ALL : ALL.slice(0, 1)
const SEEDS = FULL ? '2' : '1'
/** At normal counts a race that holds ends early. */
const FEWER_SCHEDULES = '{ iterations: 50 }, async (t)'
if (!FULL)
  process.stderr.write(
    `scaffold-layouts: 1 of 4 projects (${CASES[0].join(', ')}), without its Maelstrom node and its plan; WAVETANK_FULL=1 has all\n`,
  )
/** What does not depend on the layout is tried in the one that is there at any count. */
const ANY_LAYOUT = ALL[0][0]

/** A key-value server; the broken one forgets every fourth write that it has answered. */
function server(modules: Modules, isBroken = false): string {
  const load =
    modules === 'module'
      ? "import { createServer } from 'node:http'"
      : "const { createServer } = require('node:http')"
  return `${load}
const values = new Map()
let writes = 0
createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  if (request.method === 'PUT' && ${isBroken ? 'writes++ % 4 !== 3' : 'writes++ >= 0'}) values.set(request.url, body)
  if (request.method === 'GET' && !values.has(request.url)) response.writeHead(404)
  response.end(values.get(request.url))
}).listen(process.env.PORT ?? 3000)
`
}

/** A folder with nothing in it but the package and a program, in one layout. */
class CleanProject {
  private readonly cli: string
  private readonly folder: string

  constructor(layout: LayoutName, modules: Modules) {
    const { cli, project } = packed.laidOut(layout)
    this.cli = cli
    this.folder = project
    for (const name of readdirSync(project))
      if (name !== 'node_modules') rmSync(join(project, name), { recursive: true })
    this.write('package.json', JSON.stringify({ name: 'shop', type: modules, main: 'server.js' }))
    this.write('README.md', '# shop\n\nA read must return the last acknowledged write of its key.\n')
    this.write('server.js', server(modules))
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text)
  }

  edit(name: string, change: (text: string) => string): void {
    const text = readFileSync(join(this.folder, name), 'utf8')
    const changed = change(text)
    if (changed === text) throw new Error(`nothing in ${name} was changed`)
    this.write(name, changed)
  }

  async wavetank(...args: string[]): Promise<Outcome> {
    return runNode(this.folder, [this.cli, ...args])
  }

  async node(...args: string[]): Promise<Outcome> {
    return runNode(this.folder, args)
  }

  has(name: string): boolean {
    return existsSync(join(this.folder, name))
  }
}

/** The exit code, with the output of a run that has another than expected. */
function ending(outcome: Outcome, code: number): string {
  return outcome.code === code ? String(code) : `${outcome.code}\n${outcome.stdout}${outcome.stderr}`
}

describe.each(CASES)('a project as %s installs it, %s', (layout, modules) => {
  it('is simulated after wavetank init, and a server that forgets is found', async () => {
    const project = new CleanProject(layout, modules)
    const { stdout } = await project.wavetank('init', '--model', 'register')
    expect(stdout).toContain('wrote wavetank.config.ts')
    expect(stdout).toContain('wrote shop.sim.mjs: server.js (package.json) on port 3000')
    expect(ending(await project.wavetank('run', '--level', 'sunny', '--seeds', SEEDS), 0)).toBe('0')
    project.write('server.js', server(modules, true))
    const broken = await project.wavetank('run', '--level', 'sunny', '--seeds', '3', '--no-shrink')
    expect(ending(broken, 1)).toBe('1')
    expect(broken.stdout).toContain('linearizable register')
  })

  it('has a race that holds, and is red without its queue', async () => {
    const project = new CleanProject(layout, modules)
    expect(await project.wavetank('scaffold', 'race')).toMatchObject({ code: 0 })
    if (!FULL) project.edit('first-race.test.mjs', (text) => text.replace('async (t)', FEWER_SCHEDULES))
    expect(ending(await project.node('--test', 'first-race.test.mjs'), 0)).toBe('0')
    project.edit('first-race.test.mjs', (text) =>
      text.replace('this.tail.then(async', 'Promise.resolve().then(async'),
    )
    const broken = await project.node('--test', 'first-race.test.mjs')
    expect(ending(broken, 1)).toBe('1')
    expect(broken.stdout).toContain('an addition was lost')
  })

  it.runIf(FULL)(
    'has a Maelstrom node that is valid, and is red when it answers with something else',
    async () => {
      const project = new CleanProject(layout, modules)
      expect(await project.wavetank('scaffold', 'maelstrom', '--workload', 'echo')).toMatchObject({ code: 0 })
      const test = ['maelstrom', 'test', '-w', 'echo', '--bin', './echo.ts', '--node-count', '1']
      const short = ['--time-limit', '2', '--rate', '5']
      expect(ending(await project.wavetank(...test, ...short), 0)).toBe('0')
      project.edit('echo.ts', (text) => text.replace(/echo: body\.echo/, "echo: 'something else'"))
      expect(ending(await project.wavetank(...test, ...short), 1)).toBe('1')
    },
  )

  it.runIf(FULL)(
    'has a plan whose gaps are named, which passes when it is filled in, and fails for a server that forgets',
    async () => {
      const project = new CleanProject(layout, modules)
      await project.wavetank('init', '--model', 'register')
      expect(await project.wavetank('scaffold', 'plan')).toMatchObject({ code: 0 })
      const gaps = await project.wavetank('plan', 'lint', 'plans/shop.md')
      expect(gaps).toMatchObject({ code: 2, stdout: expect.stringContaining('TODO') as string })
      project.edit('plans/shop.md', (text) => filledPlan(text, 'shop'))
      expect(ending(await project.wavetank('plan', 'lint', 'plans/shop.md'), 0)).toBe('0')
      expect(ending(await project.wavetank('plan', 'run', 'plans/shop.md'), 0)).toBe('0')
      project.write('server.js', server(modules, true))
      expect(ending(await project.wavetank('plan', 'run', 'plans/shop.md'), 1)).toBe('1')
    },
  )
})

describe('wavetank init', () => {
  it('finds the services of a compose file, which find each other by name', async () => {
    const project = new CleanProject(ANY_LAYOUT, 'commonjs')
    project.write(
      'compose.yaml',
      `services:
  web:
    image: node:22
    command: node web.js
    ports: ["80:3000"]
    environment: { KV: "http://kv-store:4000" }
  kv-store:
    image: node:22
    command: node server.js
    environment: { PORT: 4000 }
  db:
    image: postgres:16
`,
    )
    project.write(
      'web.js',
      `require('node:http').createServer(async ({ method, url }, response) => {
  const answer = await fetch(process.env.KV + url).catch(() => null)
  response.writeHead(answer?.status ?? 502).end(await answer?.text())
}).listen(3000)
`,
    )
    const { stdout } = await project.wavetank('init')
    expect(stdout).toMatch(/web\.js \(compose\.yaml\) on port 3000.*\nwith it: kv-store \(server\.js\)\n/)
    expect(stdout).toContain('left out, as it is no Node.js program: db (postgres:16)')
    const run = await project.wavetank('run', '--level', 'sunny', '--seeds', SEEDS, '--logs')
    expect(ending(run, 0)).toBe('0')
    expect(run.stdout).toMatch(/get +\d+ +0 +0/)
  })

  it('keeps a simulation that is there, and changes nothing twice', async () => {
    const project = new CleanProject(ANY_LAYOUT, 'module')
    await project.wavetank('init')
    expect(await project.wavetank('init')).toMatchObject({
      code: 0,
      stdout:
        'kept wavetank.config.ts\nkept shop.sim.mjs\nkept .gitignore\nnext: npx wavetank run shop --level stormy\n',
    })
    expect(project.has('first.sim.ts')).toBe(false)
  })

  it('says which file --entry does not name', async () => {
    const project = new CleanProject(ANY_LAYOUT, 'module')
    expect(await project.wavetank('init', '--entry', 'no.js')).toMatchObject({
      code: 254,
      stderr: expect.stringContaining('there is no file no.js') as string,
    })
  })
})
