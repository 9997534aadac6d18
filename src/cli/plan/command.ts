/**
 * `wavetank plan`: one command with an action. Each action has a file of its own, loaded when it runs; an option that an
 * action does not have is refused, so that nothing is silently ignored.
 */
import { Argument, InvalidArgumentError, Option, type Command } from 'commander'
import { UsageError } from '../../kernel/errors.ts'
import { describe, json, output, parse, positive, reporter } from '../arguments.ts'

export interface PlanOptions {
  readonly change?: string
  readonly project?: boolean
  readonly scenario?: readonly string[]
  readonly budget?: 'smoke' | 'hardening' | 'release'
  readonly session?: string
  readonly resume?: boolean
  readonly author?: boolean
  readonly existing?: 'skip' | 'sibling' | 'overwrite'
  readonly evidence?: string
  readonly seeds?: number
  readonly iterations?: number
  readonly json?: boolean
  readonly reporter?: 'text' | 'html'
  readonly output?: string
}

interface Action {
  readonly about: string
  /** What follows the action, or null. */
  readonly subject: string | null
  readonly options: readonly (keyof PlanOptions)[]
  load(): Promise<(subject: string, options: PlanOptions) => Promise<number>>
}

const ACTIONS: Readonly<Record<string, Action>> = {
  new: {
    about: 'writes a plan to fill in, with what can be gathered mechanically',
    subject: null,
    options: ['change', 'project', 'output'],
    load: async () => (await import('./new.ts')).newPlan,
  },
  lint: {
    about: 'lists the gaps of a plan, with section and line',
    subject: 'the plan',
    options: ['json', 'output'],
    load: async () => (await import('./documents.ts')).lint,
  },
  coverage: {
    about: 'shows which claims are covered by which hypotheses and scenarios',
    subject: 'the plan',
    options: ['json', 'reporter', 'output'],
    load: async () => (await import('./documents.ts')).coverage,
  },
  run: {
    about: 'executes a plan and writes a session with findings and a report',
    subject: 'the plan',
    options: ['scenario', 'budget', 'session', 'resume', 'author', 'existing'],
    load: async () => (await import('./run.ts')).runPlan,
  },
  blame: {
    about:
      'runs a failing scenario again with generator, checker or host swapped, and argues from what changed',
    subject: 'the plan',
    options: ['scenario', 'session'],
    load: async () => (await import('./blame.ts')).blame,
  },
  verdict: {
    about: 'judges an evidence file without running anything',
    subject: 'the plan',
    options: ['scenario', 'budget', 'evidence', 'json', 'output'],
    load: async () => (await import('./documents.ts')).verdict,
  },
  race: {
    about: 'explores a race and writes its evidence',
    subject: 'FILE › TITLE',
    options: ['seeds', 'iterations', 'output'],
    load: async () => (await import('./race.ts')).race,
  },
  schema: {
    about: 'prints a JSON Schema',
    subject: 'plan, evidence or report',
    options: [],
    load: async () => (await import('./documents.ts')).schema,
  },
}

export function command(): Command {
  const action = new Argument('<action>', 'what to do').choices(Object.keys(ACTIONS))
  return describe('plan')
    .addArgument(action)
    .argument('[subject]', 'what to do it with: mostly a plan, a Markdown file')
    .option('--change <rev>', 'new: plan for what changed since a git revision')
    .option('--project', 'new: plan for the whole project')
    .addOption(
      new Option('--scenario <ids>', 'run, blame, verdict: these, with commas between').argParser(
        scenarioIds,
      ),
    )
    .addOption(
      new Option('--budget <tier>', 'run, verdict: how hard to try; smoke by default').choices([
        'smoke',
        'hardening',
        'release',
      ]),
    )
    .option('--session <folder>', 'run: where sessions are kept; with --resume and blame, the session itself')
    .option('--resume', 'run: go on with the newest session, or with the one of --session')
    .option('--author', 'run: only write the declared skeleton tests, and stage them')
    .addOption(
      new Option('--existing <how>', 'run --author: what to do with a file that is there already').choices([
        'skip',
        'sibling',
        'overwrite',
      ]),
    )
    .option('--evidence <file>', 'verdict: the evidence')
    .addOption(
      new Option('--seeds <n>', 'race: explorations, each with a seed of its own').argParser(positive),
    )
    .addOption(new Option('--iterations <n>', 'race: schedules per seed').argParser(positive))
    .addOption(json())
    .addOption(reporter('text', 'html'))
    .addOption(output('what new, lint, coverage, verdict or race makes'))
    .addHelpText('after', () => `\n${actionsText()}`.trimEnd())
}

function actionsText(): string {
  const rows = Object.entries(ACTIONS).map(([name, { about, subject }]) => [
    `  ${name}${subject === null ? '' : ` <${subject}>`}`,
    about,
  ])
  const width = Math.max(...rows.map(([action]) => action.length)) + 2
  return `Actions:\n${rows.map(([action, about]) => `${action.padEnd(width)}${about}`).join('\n')}\n`
}

function scenarioIds(text: string): string[] {
  const ids = text.split(',').map((id) => id.trim())
  if (!ids.every((id) => /^S\d+$/.test(id)))
    throw new InvalidArgumentError('expected scenarios such as S1,S3')
  return ids
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const [name, subject] = given.args as [string, string | undefined]
  const options = given.opts<PlanOptions>()
  const action = ACTIONS[name]
  const asked = (Object.keys(options) as (keyof PlanOptions)[]).filter(
    (key) => given.getOptionValueSource(key) === 'cli',
  )
  for (const key of asked)
    if (!action.options.includes(key))
      throw wrong(
        `plan ${name} has no option --${key}; it has ${action.options.map((each) => `--${each}`).join(', ') || 'none'}`,
      )
  if (action.subject !== null && subject === undefined) throw wrong(`plan ${name} needs ${action.subject}`)
  if (action.subject === null && subject !== undefined) throw wrong(`plan ${name} takes no "${subject}"`)
  return (await action.load())(subject ?? '', options)
}

function wrong(message: string): UsageError {
  return new UsageError('ERR_WAVETANK_ARGUMENTS', `${message}; see wavetank plan --help`)
}
