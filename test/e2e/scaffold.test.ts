/** Scaffolded projects: what is written runs, green for a program that is right and red for one with a planted bug. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { MODEL_NAMES } from '../../src/scaffold/simulation-text.ts'
import { buildOnce } from './build.ts'
import { throwAwayProjects } from './project.ts'

const projectOf = throwAwayProjects()
const TSC = new URL('../../node_modules/typescript/bin/tsc', import.meta.url).pathname

beforeAll(buildOnce, 240_000)

/** One server for every model; `remember` is how it keeps what it was sent. */
function server(kind: 'esm' | 'commonjs', remember = 'true'): string {
  const load =
    kind === 'esm' ? "import { createServer } from 'node:http'" : "const { createServer } = require('http')"
  return `${load}
const values = new Map()
const list = []
let ids = 0
createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const key = request.url.slice(1)
  const remembered = ${remember}
  if (request.method === 'PUT') {
    if (remembered) values.set(key, body)
    response.end()
  } else if (request.method === 'POST') {
    if (remembered) list.push(Number(body))
    response.end(String(ids++))
  } else if (key !== '') {
    if (values.has(key)) response.end(values.get(key))
    else response.writeHead(404).end()
  } else if (request.method === 'DELETE') {
    if (list.length === 0) response.writeHead(204).end()
    else response.end(String(list.shift()))
  } else response.end(JSON.stringify(request.headers.accept === 'sum' ? 0 : list))
}).listen(process.env.PORT ?? 3000)
`
}

/** A program with routes, as frameworks have them. */
const ROUTED = `const { createServer } = require('http')
const routes = {}
const app = { get: (path, answer) => (routes.GET = answer), put: (path, answer) => (routes.PUT = answer) }
const todos = new Map()
app.get('/todos/:id', (id) => todos.get(id))
app.put('/todos/:id', (id, body) => todos.set(id, body).get(id))
createServer(async (req, res) => {
  const text = await new Response(req).text() // instead of express.json()
  const answer = routes[req.method](req.url.split('/')[2], text && JSON.parse(text))
  if (answer === undefined) res.writeHead(404).end()
  else res.end(JSON.stringify(answer))
}).listen(3000)
`

const FULL = process.env.WAVETANK_FULL === '1'
if (!FULL) process.stderr.write('scaffold: 3 of 9 models; WAVETANK_FULL=1 has all\n')

/** At normal counts, the first of them: test/e2e/scaffold-layouts.test.ts has a register, right and broken, and the race. */
function sample<T>(all: readonly T[], count: number): readonly T[] {
  return FULL ? all : all.slice(0, count)
}

const FORGETS = 'ids++ % 4 !== 3'

describe('wavetank scaffold simulation', () => {
  it.each(
    sample(
      [
        ['commonjs', 'uniqueIds'],
        ['esm', 'set'],
        ['esm', 'register'],
        ['commonjs', 'register'],
        ['esm', 'queue'],
        ['commonjs', 'health'],
      ] as const,
      2,
    ),
  )('%s, %s: a simulation that holds', async (kind, model) => {
    const project = projectOf({
      'package.json': JSON.stringify({
        name: 'shop',
        type: kind === 'esm' ? 'module' : 'commonjs',
        scripts: { start: 'node server.js' },
      }),
      'server.js': server(kind),
    })
    const wrote = await project.wavetank('scaffold', 'simulation', '--model', model)
    expect(wrote).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/server\.js .*on port 3000/) as string,
    })
    const run = await project.wavetank('run', 'shop', '--seeds', '3')
    expect(`${run.code}\n${run.code === 0 ? '' : run.stdout + run.stderr}`).toBe('0\n')
  })

  it('takes a program that serves keyed values for a register, at their path', async () => {
    const project = projectOf({
      'server.js': ROUTED,
      'package.json': '{ "name": "shop", "main": "server.js" }',
    })
    const { stdout } = await project.wavetank('scaffold', 'simulation')
    expect(stdout).toContain('checked as register')
    expect(stdout).toContain('GET /todos/KEY answers { "value": … }, or 404; PUT /todos/KEY sets it')
    expect(await project.wavetank('run', 'shop', '--seeds', '2')).toMatchObject({ code: 0 })
  })

  it.each(sample(['queue', 'set', 'register'], 1))('%s: a planted bug is found', async (model) => {
    const project = projectOf({
      'server.js': server('esm', FORGETS),
      'package.json': '{ "name": "shop", "type": "module" }',
    })
    await project.wavetank('scaffold', 'simulation', '--model', model)
    const run = await project.wavetank('run', 'shop', '--seeds', '5', '--no-shrink')
    expect(run.code).toBe(1)
  })

  it('writes TypeScript that compiles, for every model', async () => {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      module: 'nodenext',
      target: 'es2022',
      types: ['node'],
      typeRoots: [join(TSC, '../../../@types')],
    }
    const project = projectOf({
      'server.ts': "console.log('listen(8080)')",
      'tsconfig.json': JSON.stringify({ compilerOptions }),
    })
    project.write({ 'routed.ts': `// ${ROUTED.replaceAll('\n', '\n// ')}` })
    await project.wavetank('scaffold', 'simulation', '--entry', 'routed.ts', '--name', 'routed')
    expect(project.read('routed.sim.ts')).toContain('/todos/${key}')
    for (const model of MODEL_NAMES)
      await project.wavetank('scaffold', 'simulation', '--model', model, '--name', model, '--count', '3')
    const { status, stdout } = spawnSync('node', [TSC, '-p', '.'], { cwd: project.folder, encoding: 'utf8' })
    expect(`${stdout}${status}`).toBe('0')
    expect(project.read('register.sim.ts')).toMatch(/count: 3/)
  })

  it('overwrites nothing, and says what to do when it finds nothing', async () => {
    const empty = projectOf({})
    expect(await empty.wavetank('scaffold', 'simulation')).toMatchObject({
      code: 254,
      stderr: expect.stringMatching(/--entry/) as string,
    })
    const full = projectOf({ 'server.js': '', 'system.sim.mjs': 'mine' })
    expect(await full.wavetank('scaffold', 'simulation')).toMatchObject({
      code: 254,
      stderr: expect.stringMatching(/there already/) as string,
    })
    expect(full.read('system.sim.mjs')).toBe('mine')
    expect(await full.wavetank('scaffold', 'simulation', '--entry', 'no.js')).toMatchObject({ code: 254 })
  })
})
