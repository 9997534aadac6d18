/**
 * Packages are loaded when they are used: a person who asks for help, or runs a simulation, does not wait for a parser, a
 * Markdown reader or a terminal library that this command has no use for.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildOnce } from './build.ts'
import { CLI, throwAwayProjects } from './project.ts'

const projectOf = throwAwayProjects()

beforeAll(buildOnce, 240_000)

/** Writes down where every module comes from that is resolved in this process and its threads. */
const LOG = `import { register } from 'node:module'
const hooks = \`import { appendFileSync } from 'node:fs'
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  if (found.url.includes('node_modules')) appendFileSync('loaded.txt', found.url + '\\\\n')
  return found
}\`
register('data:text/javascript,' + encodeURIComponent(hooks))
`

const SIMULATION = `import { simulation } from 'wavetank'
export default simulation('quiet', {
  processes: { server: { run: () => {} } },
  workload: { clients: 1, operations: 2, run: ({ operation }) => operation('one', () => 1) },
  invariants: { 'one is one': () => true },
})
`

/** The packages that a command loads: their names, in the order of the alphabet. */
async function loadedBy(...args: string[]): Promise<string[]> {
  const project = projectOf({
    'log.mjs': LOG,
    'quiet.sim.js': SIMULATION,
    'server.js': 'listen(8080)',
    'compose.yaml': 'services: { api: { command: node server.js } }',
  })
  const { code, stderr } = await project.node('--import', './log.mjs', CLI, ...args)
  expect(`${code}${code === 0 ? '' : stderr}`).toBe('0')
  const log = join(project.folder, 'loaded.txt')
  const urls = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []
  const names = new Set(
    urls.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? 'wavetank'),
  )
  names.delete('wavetank')
  return [...names].toSorted((a, b) => (a < b ? -1 : 1))
}

const LATER = /clack|oxc|^yaml$|mdast|micromark|^zod$|modelcontextprotocol|anthropic|vitest/

describe('packages', () => {
  it('are none for the help, and the smallest for that of run', async () => {
    expect(await loadedBy('--help')).toEqual([])
    expect(await loadedBy('run', '--help')).toEqual(['commander', 'esbuild', 'picocolors'])
  })

  it.each([
    ['run', ['run', 'quiet', '--seeds', '1']],
    ['list', ['list']],
    ['faults', ['faults']],
  ])('are only those that it needs for %s', async (_, args) => {
    const names = await loadedBy(...args)
    expect(names).toContain('commander')
    expect(names.filter((name) => LATER.test(name))).toEqual([])
  })

  it.each([
    ['a compose file is read', ['scaffold', 'simulation', '--yes'], 'yaml'],
    ['source is parsed', ['review'], 'oxc-parser'],
  ])('are loaded when %s', async (_, args, name) => {
    expect(await loadedBy(...args)).toContain(name)
  })

  it('are not loaded for questions that are not asked', async () => {
    expect(await loadedBy('init', '--yes')).not.toContain('@clack/prompts')
  })
})
