/**
 * The code of the pages: every block with a file name is written into a project. TypeScript compiles its own as strictly as
 * it can, and every simulation among them is run for one seed. The tutorial, docs/exploration.md and docs/methodology.md
 * have tests of their own.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildOnce } from '../e2e/build.ts'
import { Project } from '../e2e/project.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: 'es2022',
  module: 'nodenext',
  allowImportingTsExtensions: true,
  types: ['node'],
}

/** What the blocks import besides wavetank: the reader's own program. */
const PROGRAMS = {
  'server.ts': `import { createServer } from 'node:http'
    let balance = 100
    createServer((_, response) => {
      if (balance < 5) response.writeHead(409).end()
      else response.end(String((balance -= 5)))
    }).listen(8080)`,
  // The service of docs/workloads.md: a register by path, and questions as JSON.
  'server.js': `import { createServer } from 'node:http'
    const registers = new Map()
    const lists = new Map()
    const messages = []
    const balances = { a: 10, b: 10, c: 10 }
    let holder = null
    let fence = 0
    const answers = {
      lock: ({ who }) => (holder === null ? ((holder = who), { value: ++fence }) : { refused: 'held' }),
      unlock: ({ who }) => (holder === who ? ((holder = null), {}) : { refused: 'not yours' }),
      transfer: ({ from, to, amount }) => {
        if (balances[from] < amount) return { refused: 'not enough money' }
        balances[from] -= amount
        balances[to] += amount
        return {}
      },
      balances: () => ({ value: balances }),
      broadcast: ({ message }) => ({ value: messages.push(message) }),
      messages: () => ({ value: messages }),
      txn: ({ operations }) => ({
        value: operations.map(([f, key, value]) => {
          if (f === 'append') lists.set(key, [...(lists.get(key) ?? []), value])
          return [f, key, f === 'append' ? value : (lists.get(key) ?? null)]
        }),
      }),
    }
    createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      if (request.method === 'GET') response.end(JSON.stringify(registers.get(request.url) ?? null))
      else if (request.method === 'PUT') response.end(String(registers.set(request.url, Number(body)).size))
      else {
        const question = JSON.parse(body)
        response.end(JSON.stringify(answers[question.f](question)))
      }
    }).listen(80)`,
  'queue.js': `import { createServer } from 'node:http'
    let length = 0
    createServer(({ method }, response) => response.end(String(method === 'POST' ? ++length : length))).listen(8080)`,
  'account-file.ts': `import { readFile, writeFile, mkdir } from 'node:fs/promises'
    import { dirname } from 'node:path'
    export class AccountFile {
      readonly path: string
      constructor(path: string) { this.path = path }
      async create(balance: number): Promise<void> {
        await mkdir(dirname(this.path), { recursive: true })
        await writeFile(this.path, String(balance))
      }
      async balance(): Promise<number> { return Number(await readFile(this.path, 'utf8')) }
      async deposit(amount: number): Promise<void> { await writeFile(this.path, String((await this.balance()) + amount)) }
    }`,
}

/** Pages whose code is written into one project, so that it is compiled and run at once. */
const PAGES = [
  'README.md',
  'docs/checkers.md',
  'docs/maelstrom.md',
  'docs/real-clusters.md',
  'docs/simulation.md',
  'docs/workloads.md',
]

function filesIn(page: string): Record<string, string> {
  const text = readFileSync(join(ROOT, page), 'utf8')
  const blocks = [...text.matchAll(/^```[jt]s (\S+)\n([\s\S]*?)^```$/gm)]
  return Object.fromEntries(blocks.map(([, name, code]) => [name, code]))
}

beforeAll(buildOnce, 240_000)

describe('the code of the pages', () => {
  const byPage = PAGES.map((page) => [page, filesIn(page)] as const)
  const files = Object.assign({}, ...byPage.map(([, code]) => code)) as Record<string, string>
  const project = new Project({ ...PROGRAMS, ...files })
  afterAll(() => project.remove())

  it.each(byPage)('is there, and none of it is without a file name: %s', (page, code) => {
    expect(Object.keys(code).length).toBeGreaterThan(0)
    expect(readFileSync(join(ROOT, page), 'utf8')).not.toMatch(/^```[jt]s$/m)
  })

  it('has another file name for each block', () => {
    expect(Object.keys(files)).toHaveLength(byPage.flatMap(([, code]) => Object.keys(code)).length)
  })

  it('compiles', () => {
    symlinkSync(join(ROOT, 'node_modules/@types'), join(project.folder, 'node_modules/@types'))
    symlinkSync(join(ROOT, 'node_modules/vitest'), join(project.folder, 'node_modules/vitest'))
    const typed = Object.keys(files).filter((name) => name.endsWith('.ts'))
    project.write({
      'tsconfig.json': JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: typed }),
    })
    const { stdout } = spawnSync(process.execPath, [TSC, '-p', project.folder], { encoding: 'utf8' })
    expect(stdout).toBe('')
    // Plain JavaScript may import packages that are not installed here: its syntax is checked.
    for (const name of Object.keys(files).filter((each) => !each.endsWith('.ts'))) {
      const checked = spawnSync(process.execPath, ['--check', join(project.folder, name)], {
        encoding: 'utf8',
      })
      expect(checked.stderr).toBe('')
    }
  }, 120_000)

  it('runs', async () => {
    const { stdout, stderr, code } = await project.wavetank('run', '--seeds', '1', '--no-shrink')
    for (const name of ['bank', 'queue', 'kv', 'locks', 'accounts', 'messages', 'transactions'])
      expect(`${stdout}${stderr}`).toMatch(new RegExp(`^✓ ${name} `, 'm'))
    expect(code).toBe(0)
  }, 120_000)
})
