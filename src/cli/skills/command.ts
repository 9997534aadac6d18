/** `wavetank skills`: lists the skills for coding agents, and installs or removes them where an agent looks. */
import { Argument, Option, type Command } from 'commander'
import { readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installSkills, removeSkills, type ChangedFile } from '../../host/installed-skills.ts'
import { projectRoot } from '../../host/project.ts'
import { describe, parse } from '../arguments.ts'

/**
 * Where agents look: below the project, and below the home folder. All of them but Claude Code also read `.agents/skills`,
 * the folder of the open format.
 */
const FOLDERS = {
  claude: { project: '.claude/skills', home: '.claude/skills' },
  codex: { project: '.codex/skills', home: '.codex/skills' },
  gemini: { project: '.gemini/skills', home: '.gemini/skills' },
  opencode: { project: '.opencode/skills', home: '.config/opencode/skills' },
  cursor: { project: '.cursor/skills', home: '.cursor/skills' },
  copilot: { project: '.github/skills', home: '.copilot/skills' },
  agents: { project: '.agents/skills', home: '.agents/skills' },
}

type Agent = keyof typeof FOLDERS

const SKILLS = fileURLToPath(new URL('../../../skills', import.meta.url))

export function command(): Command {
  return describe('skills')
    .addArgument(new Argument('<action>', 'what to do').choices(['list', 'install', 'remove']))
    .addOption(
      new Option('--agent <name>', 'whose folder; agents is read by several of them')
        .choices(Object.keys(FOLDERS))
        .default('claude'),
    )
    .option('--global', 'in the home folder, not in the project')
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const [action] = given.args
  if (action === 'list') {
    for (const { name, description } of skillList()) process.stdout.write(`${name}\n  ${description}\n`)
    return 0
  }
  const { agent, global } = given.opts<{ agent: Agent; global?: boolean }>()
  const { project, home } = FOLDERS[agent]
  const folder = global === true ? join(homedir(), home) : join(projectRoot(process.cwd()), project)
  const changes = action === 'install' ? installSkills(SKILLS, folder) : removeSkills(folder)
  process.stdout.write(summary(changes, relative(process.cwd(), folder) || '.'))
  return 0
}

function summary(changes: readonly ChangedFile[], folder: string): string {
  const lines = changes
    .filter(({ change }) => change === 'kept')
    .map(({ path }) => `kept ${path}: it was edited here`)
  const count = (wanted: string): number => changes.filter(({ change }) => change === wanted).length
  const counts = ['written', 'unchanged', 'removed', 'kept'].map((name) => `${count(name)} ${name}`)
  return `${[...lines, `${folder}: ${counts.join(', ')}`].join('\n')}\n`
}

/** Name and description of each skill, from its front matter. */
function skillList(): { name: string; description: string }[] {
  const folders = readdirSync(SKILLS, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return folders.map(({ name }) => {
    const text = readFileSync(join(SKILLS, name, 'SKILL.md'), 'utf8')
    return { name, description: /^description: (.*)$/m.exec(text)?.[1] ?? '' }
  })
}
