/**
 * The skills, executed: every command of every skill is run in the order in which the skill has it, in a project with a
 * key-value server, and must exit as its block says (`exit=1`, `exit=any`; 0 otherwise). Commands inside a sentence or a
 * table have names to fill in: those are parsed as the command line would. At normal counts what waits for real processes
 * is left out, a race has few schedules, and a simulation that must hold has four seeds.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { SIMULATION } from '../../evals/cases/projects.ts'
import { parse } from '../../src/cli/arguments.ts'
import { COMMANDS, type CommandName } from '../../src/cli/commands.ts'
import { buildOnce } from './build.ts'
import { CLI, throwAwayProjects, type Outcome, type Project } from './project.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const SKILLS = join(ROOT, 'skills')
const FULL = process.env.WAVETANK_FULL === '1'
/** Half a minute of real time. test/e2e/real.test.ts has the same commands, and fewer seconds. */
const ONLY_FULL = FULL ? [] : ['test-real-clusters']
if (!FULL)
  process.stderr.write(
    `skills: the commands of ${ONLY_FULL.join()} are not run, the others have few seeds and schedules; WAVETANK_FULL=1 runs all as written\n`,
  )
const NAMES = readdirSync(SKILLS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** What is installed, relative to the skills. */
const FILES = readdirSync(SKILLS, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && entry.parentPath !== SKILLS)
  .map((entry) => relative(SKILLS, join(entry.parentPath, entry.name)))
/** The least of what agents' loaders accept: the open format and Codex end a description there. */
const LONGEST_DESCRIPTION = 1024
/** Claude Code lists all skills in a hundredth of the model's window, 8,000 characters at least: half of it is for others. */
const LONGEST_LISTING = 4000

const SERVER = `import { createServer } from 'node:http'
const values = new Map()
createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  if (request.method === 'PUT') values.set(request.url, body)
  else if (!values.has(request.url)) return response.writeHead(404).end()
  response.end(values.get(request.url))
}).listen(process.env.PORT ?? 8080)
`
/** What a skill finds besides; the others begin without it. */
const EXTRA: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'test-real-clusters': { 'shop.sim.js': SIMULATION },
}
const ECHO = `import { createNode } from 'wavetank/maelstrom'
createNode().on('echo', ({ body }) => ({ type: 'echo_ok', echo: body.echo }))
`
const HISTORY = [
  { process: 0, type: 'invoke', f: 'write', value: 1 },
  { process: 0, type: 'ok', f: 'write', value: 1 },
]

const projectOf = throwAwayProjects()

beforeAll(buildOnce, 240_000)

/** What an agent finds: a repository with a server, two simulations, a plan and a history. */
function repository(skill: string): Project {
  const project = projectOf({
    ...EXTRA[skill],
    'server.js': SERVER,
    'echo.mjs': ECHO,
    'history.jsonl': HISTORY.map((line) => JSON.stringify(line)).join('\n'),
    '.gitignore': 'node_modules\n.wavetank\n',
  })
  cpSync(join(ROOT, 'examples/kv'), join(project.folder, 'examples/kv'), { recursive: true })
  cpSync(join(ROOT, 'examples/plans/kv.md'), join(project.folder, 'examples/plans/kv.md'))
  const git = ['-c', 'user.name=t', '-c', 'user.email=t@example.org']
  for (const args of [['init'], ['add', '.'], [...git, 'commit', '-m', 'first']])
    execFileSync('git', args, { cwd: project.folder, stdio: 'ignore' })
  return project
}

/** The pages of a skill: SKILL.md, then its references. */
function pagesOf(name: string): string[] {
  return FILES.filter((file) => file.startsWith(`${name}/`)).toSorted(
    (a, b) => Number(b.endsWith('SKILL.md')) - Number(a.endsWith('SKILL.md')),
  )
}

function textOf(page: string): string {
  return readFileSync(join(SKILLS, page), 'utf8')
}

/** The commands of a skill with the exit codes that they must have. */
function commandsOf(name: string): { command: string; exit: string }[] {
  return [
    ...pagesOf(name)
      .map(textOf)
      .join('\n')
      .matchAll(/^```sh ?(.*)\n([\s\S]*?)^```$/gm),
  ].flatMap(([, info, lines]) =>
    lines
      .trim()
      .split('\n')
      .map((command) => ({ command, exit: /exit=(\w+)/.exec(info)?.[1] ?? '0' })),
  )
}

/** The command at normal counts, if it has another exit code than a violation, which some seed must find. */
function atNormalCounts(command: string, exit: string): string {
  return FULL || exit === '1' ? command : command.replace(/--seeds \d+/, '--seeds 4')
}

/** A race as `wavetank scaffold race` writes it explores for seconds. */
function limitRaces(project: Project): void {
  for (const name of readdirSync(project.folder).filter((each) => each.endsWith('.test.mjs')))
    project.write({
      [name]: project.read(name).replace("kept', async (t)", "kept', { iterations: 50 }, async (t)"),
    })
}

async function execute(project: Project, command: string): Promise<Outcome> {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain)
  if (words[0] === 'npx' && words[1] === 'wavetank') return project.wavetank(...words.slice(2))
  expect(words[0]).toBe('node')
  return project.node(...words.slice(1))
}

describe.each(NAMES)('the skill %s', (name) => {
  it('has the front matter that loaders expect, and a body that is short', () => {
    const text = readFileSync(join(SKILLS, name, 'SKILL.md'), 'utf8')
    const [, front, body] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text)!
    expect(front).toMatch(new RegExp(`^name: ${name}$`, 'm'))
    const description = /^description: (.*)$/m.exec(front)![1]
    expect(description.length).toBeGreaterThan(60)
    expect(description.length).toBeLessThanOrEqual(LONGEST_DESCRIPTION)
    expect(description).not.toMatch(/[<>]|: /) // YAML without quotes, and no markup
    expect(name).toMatch(/^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/)
    expect(body.split('\n').length).toBeLessThan(120)
  })

  it('says where its references are, and names none that is not there', () => {
    const [skill, ...references] = pagesOf(name)
    const linked = [...textOf(skill).matchAll(/\]\((references\/[^)]+)\)/g)].map(
      ([, path]) => `${name}/${path}`,
    )
    expect([...new Set(linked)].toSorted()).toEqual(references.toSorted())
  })

  it('has no command in a sentence or a table that would be refused', async () => {
    const text = pagesOf(name)
      .map(textOf)
      .join('\n')
      .replace(/^```[\s\S]*?^```$/gm, '')
    for (const [, , line] of text.matchAll(/`(npx )?wavetank ([a-z][^`]*)`/g)) {
      const [command, ...args] = line.split(' ')
      const file = await COMMANDS[command as CommandName]?.load()
      expect(() => parse(file.command(), args), `wavetank ${line}`).not.toThrow()
    }
  })

  it.skipIf(ONLY_FULL.includes(name))('works as written', { timeout: 600_000 }, async () => {
    const commands = commandsOf(name)
    expect(commands.length).toBeGreaterThan(0)
    const project = repository(name)
    for (const { command, exit } of commands) {
      if (!FULL) limitRaces(project)
      const outcome = await execute(project, atNormalCounts(command, exit))
      const seen = exit === 'any' && outcome.code! < 254 ? 'any' : String(outcome.code)
      expect(`${command}: ${seen}\n${seen === exit ? '' : outcome.stdout + outcome.stderr}`).toBe(
        `${command}: ${exit}\n`,
      )
    }
  })
})

describe('the skills together', () => {
  it('leave room in the list that an agent reads at the start of every session', () => {
    const listing = NAMES.map((name) => /^description: (.*)$/m.exec(textOf(`${name}/SKILL.md`))![1])
    expect(listing.join('').length).toBeLessThanOrEqual(LONGEST_LISTING)
  })

  it('are in the tables of docs/agents.md', () => {
    const page = readFileSync(join(ROOT, 'docs/agents.md'), 'utf8')
    const rows = [...page.matchAll(/^\| `([a-z-]+)` +\| .* \| "/gm)].map(([, name]) => name)
    expect(rows.toSorted()).toEqual(NAMES.toSorted())
  })
})

describe('the plugin', () => {
  it('has the version of the package, and names folders that are there', () => {
    const read = (path: string) =>
      JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Record<string, unknown>
    const plugin = read('.claude-plugin/plugin.json')
    const marketplace = read('.claude-plugin/marketplace.json') as { plugins: Record<string, unknown>[] }
    const { version, files } = read('package.json') as { version: string; files: string[] }
    expect(plugin.version).toBe(version)
    expect(marketplace.plugins).toMatchObject([{ name: plugin.name, source: './' }])
    expect(existsSync(join(ROOT, String(plugin.skills)))).toBe(true)
    expect(files).toEqual(expect.arrayContaining(['skills', '.claude-plugin']))
  })
})

describe('wavetank skills', () => {
  it('installs, changes nothing twice, keeps what was edited, and removes the rest', async () => {
    const project = projectOf({})
    const file = '.claude/skills/hunt-races/SKILL.md'
    expect((await project.wavetank('skills', 'install')).stdout).toBe(
      `.claude/skills: ${FILES.length} written, 0 unchanged, 0 removed, 0 kept\n`,
    )
    expect(project.read(file)).toBe(readFileSync(join(SKILLS, 'hunt-races/SKILL.md'), 'utf8'))
    expect((await project.wavetank('skills', 'install')).stdout).toMatch(
      `0 written, ${FILES.length} unchanged`,
    )
    project.write({ [file]: 'mine', '.claude/skills/own/SKILL.md': 'own' })
    expect((await project.wavetank('skills', 'install')).stdout).toMatch(
      /kept hunt-races\/SKILL\.md: it was edited/,
    )
    expect((await project.wavetank('skills', 'remove')).code).toBe(0)
    expect(readdirSync(join(project.folder, '.claude/skills')).sort()).toEqual(['hunt-races', 'own'])
    expect(project.read(file)).toBe('mine')
  })

  it('removes nothing outside its folder, whatever the list in a repository says', async () => {
    const digest = createHash('sha256').update('precious').digest('hex')
    const project = projectOf({
      'precious.txt': 'precious',
      '.claude/skills/.wavetank-skills.json': JSON.stringify({ '../../precious.txt': digest }),
    })
    expect((await project.wavetank('skills', 'remove')).code).toBe(0)
    expect(project.read('precious.txt')).toBe('precious')
  })

  it.each([
    ['codex', '.codex/skills'],
    ['gemini', '.gemini/skills'],
    ['opencode', '.config/opencode/skills'],
    ['copilot', '.copilot/skills'],
  ])('leaves nothing behind in a home folder, for %s', async (agent, folder) => {
    const project = projectOf({})
    const home = join(project.folder, 'home')
    const args = ['--agent', agent, '--global'].map((arg) => JSON.stringify(arg)).join()
    const script = `process.env.HOME = ${JSON.stringify(home)}
process.argv.splice(2, 9, 'skills', process.argv[2], ${args})
await import(${JSON.stringify(CLI)})`
    project.write({ 'go.mjs': script })
    for (const action of ['install', 'remove']) {
      expect((await project.node('go.mjs', action)).code).toBe(0)
      expect(existsSync(join(home, folder, 'hunt-races/SKILL.md'))).toBe(action === 'install')
    }
    expect(existsSync(join(home, folder))).toBe(false)
  })
})
