/**
 * The skills, executed: every command of every skill is run in the order in which the skill has it, in a project with a
 * key-value server, and must exit as its block says (`exit=1`, `exit=any`; 0 otherwise).
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildOnce } from './build.ts'
import { throwAwayProjects, type Outcome, type Project } from './project.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const SKILLS = join(ROOT, 'skills')
const NAMES = readdirSync(SKILLS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

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
function repository(): Project {
  const project = projectOf({
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

/** The commands of a skill with the exit codes that they must have. */
function commandsOf(name: string): { command: string; exit: string }[] {
  const text = readFileSync(join(SKILLS, name, 'SKILL.md'), 'utf8')
  return [...text.matchAll(/^```sh ?(.*)\n([\s\S]*?)^```$/gm)].flatMap(([, info, lines]) =>
    lines
      .trim()
      .split('\n')
      .map((command) => ({ command, exit: /exit=(\w+)/.exec(info)?.[1] ?? '0' })),
  )
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
    expect(description.length).toBeLessThanOrEqual(1024)
    expect(description).not.toMatch(/[<>]|: /) // YAML without quotes, and no markup
    expect(name).toMatch(/^[a-z0-9-]{1,64}$/)
    expect(body.split('\n').length).toBeLessThan(200)
  })

  it('works as written', { timeout: 600_000 }, async () => {
    const commands = commandsOf(name)
    expect(commands.length).toBeGreaterThan(0)
    const project = repository()
    for (const { command, exit } of commands) {
      const outcome = await execute(project, command)
      const seen = exit === 'any' && outcome.code! < 254 ? 'any' : String(outcome.code)
      expect(`${command}: ${seen}\n${seen === exit ? '' : outcome.stdout + outcome.stderr}`).toBe(
        `${command}: ${exit}\n`,
      )
    }
  })
})

describe('wavetank skills', () => {
  it('installs, changes nothing twice, keeps what was edited, and removes the rest', async () => {
    const project = projectOf({})
    const file = '.claude/skills/hunt-races/SKILL.md'
    expect((await project.wavetank('skills', 'install')).stdout).toBe(
      `.claude/skills: ${NAMES.length} written, 0 unchanged, 0 removed, 0 kept\n`,
    )
    expect(project.read(file)).toBe(readFileSync(join(SKILLS, 'hunt-races/SKILL.md'), 'utf8'))
    expect((await project.wavetank('skills', 'install')).stdout).toMatch(
      `0 written, ${NAMES.length} unchanged`,
    )
    project.write({ [file]: 'mine', '.claude/skills/own/SKILL.md': 'own' })
    expect((await project.wavetank('skills', 'install')).stdout).toMatch(
      /kept hunt-races\/SKILL\.md: it was edited/,
    )
    expect((await project.wavetank('skills', 'remove')).code).toBe(0)
    expect(readdirSync(join(project.folder, '.claude/skills')).sort()).toEqual(['hunt-races', 'own'])
    expect(project.read(file)).toBe('mine')
  })

  it('leaves nothing behind in a home folder', async () => {
    const project = projectOf({})
    const home = join(project.folder, 'home')
    const script = `process.env.HOME = ${JSON.stringify(home)}\nprocess.argv.splice(2, 9, 'skills', process.env.ACTION, '--agent', 'codex', '--global')\nawait import(${JSON.stringify(join(ROOT, 'dist/cli/main.js'))})`
    for (const action of ['install', 'remove']) {
      project.write({ 'go.mjs': `process.env.ACTION = '${action}'\n${script}` })
      expect((await project.node('go.mjs')).code).toBe(0)
      expect(existsSync(join(home, '.codex/skills/hunt-races/SKILL.md'))).toBe(action === 'install')
    }
    expect(existsSync(join(home, '.codex/skills'))).toBe(false)
  })
})
