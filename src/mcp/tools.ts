/** The tools, in the order in which one meets a failure: list, run, read, shrink, replay; then histories, plans, sources. */
import { z } from 'zod'
import { CLUSTER_TOOLS } from './cluster-tools.ts'
import { flag, option } from './flags.ts'
import type { Tool } from './tool.ts'
import { word } from './words.ts'

const LEVELS = ['sunny', 'stormy', 'radioactive'] as const

const trace = z.string().describe('path of a trace file, or of the folder of a campaign, inside the project')

export const TOOLS: readonly Tool[] = [
  {
    name: 'list_simulations',
    title: 'List simulations',
    description: 'The simulations of the project: processes, invariants, files. Ask this first.',
    input: {},
    readOnly: true,
    command: () => ['list', '--json'],
  },
  {
    name: 'run_simulations',
    title: 'Run simulations',
    description:
      'Runs simulations over many seeds and gives the verdict: held, violated, or a gap (too little was shown). ' +
      'A violated one has bugs with a shrunk trace to pass to story, replay and shrink. Begin at sunny, go on to stormy and radioactive. ' +
      'Only "held" with exit code 0 may be claimed as a pass.',
    input: {
      names: z.array(z.string()).default([]).describe('names or paths of simulations; empty for all'),
      level: z.enum(LEVELS).default('sunny'),
      seeds: z
        .number()
        .int()
        .min(1)
        .max(100_000)
        .optional()
        .describe('how many seeds; the default of the level if left out'),
      seed: z.number().int().min(0).optional().describe('one seed only'),
      firstSeed: z.number().int().min(0).optional(),
      verify: z.boolean().default(false).describe('run every seed twice and compare every step'),
    },
    readOnly: true,
    command: (input, paths) => [
      'run',
      ...(input.names as string[]).map((name) => paths.nameOrPath(name)),
      ...option('level', input.level),
      ...(input.seeds === undefined && input.seed === undefined ? ['--no-coverage'] : []),
      ...option('seeds', input.seeds),
      ...option('seed', input.seed),
      ...option('first-seed', input.firstSeed),
      ...flag('verify', input.verify),
      '--json',
    ],
  },
  {
    name: 'list_races',
    title: 'List races',
    description:
      'The races that the test files of the project declare, with file, line and title for run_race.',
    input: {},
    readOnly: true,
    command: () => ['list', '--races', '--json'],
  },
  {
    name: 'run_race',
    title: 'Explore a race',
    description:
      'Explores the schedules of one race of a test file and gives its evidence: schedules tried, what was found, the trace of it.',
    input: {
      file: z.string().describe('the test file, inside the project'),
      title: z
        .string()
        .describe('the title of the race, after the titles of the groups around it, joined by " > "'),
      seeds: z.number().int().min(1).max(100).default(3),
      schedules: z.number().int().min(1).max(100_000).default(200).describe('schedules per seed'),
    },
    readOnly: true,
    command: (input, paths) => [
      'plan',
      'race',
      `${paths.inside(String(input.file))} › ${String(input.title)}`,
      ...option('seeds', input.seeds),
      ...option('iterations', input.schedules),
    ],
  },
  {
    name: 'story',
    title: 'Tell a failure',
    description:
      'Runs a recorded failure again and tells it: the few steps that a person needs, with the faults among them.',
    input: { trace, logs: z.boolean().default(false).describe('also what every process printed') },
    readOnly: true,
    command: (input, paths) => ['replay', paths.inside(String(input.trace)), ...flag('logs', input.logs)],
  },
  {
    name: 'replay',
    title: 'Replay a failure',
    description:
      'Runs a recorded failure again, after a change for example. Exit code 0: it holds now. 1: it fails as recorded. 2: it fails in another way, or the schedule does not fit any more, which proves nothing.',
    input: { trace, until: z.number().int().min(1).optional().describe('stop after this step') },
    readOnly: true,
    command: (input, paths) => ['replay', paths.inside(String(input.trace)), ...option('until', input.until)],
  },
  {
    name: 'shrink',
    title: 'Shrink a failure',
    description:
      'Leaves out of a recorded failure everything that it does not need, and writes the smaller trace beside it.',
    input: { trace, runs: z.number().int().min(1).max(100_000).default(2000).describe('tries at most') },
    readOnly: true,
    command: (input, paths) => ['shrink', paths.inside(String(input.trace)), ...option('runs', input.runs)],
  },
  {
    name: 'read_trace',
    title: 'Read a trace step by step, or its slice',
    description:
      'Steps of a recorded failure, a page at a time: its causal slice (those that reach it), or with all every step.',
    input: {
      trace,
      all: z.boolean().default(false).describe('every step, not only the causes of the failure'),
      first: z.number().int().min(0).default(0).describe('how many steps to pass over'),
      count: z.number().int().min(1).max(200).default(50),
    },
    readOnly: true,
    command: (input, paths) => [
      'trace',
      paths.inside(String(input.trace)),
      '--format',
      'events',
      ...flag('all', input.all),
    ],
    select: (answer, { first, count }) => {
      const steps = answer as unknown[]
      const begin = first as number
      return { total: steps.length, first: begin, steps: steps.slice(begin, begin + (count as number)) }
    },
  },
  {
    name: 'check_history',
    title: 'Judge a history',
    description:
      'Judges a recorded history (Jepsen, Knossos, Porcupine, Elle, wavetank …): valid, invalid with the anomaly that proves it, or unknown with the reason. Give a model or a workload.',
    input: {
      file: z.string().describe('the history, inside the project'),
      model: z
        .string()
        .optional()
        .describe('linearizability of this object, such as register, cas-register, map, queue'),
      workload: z.string().optional().describe('a checker, such as list-append, set-full, bank'),
      consistencyModel: z.string().optional(),
      timeoutSeconds: z.number().int().min(1).max(3600).default(60),
    },
    readOnly: true,
    command: (input, paths) => [
      'check',
      paths.inside(String(input.file)),
      // A model may be a file of the project.
      ...option('model', input.model === undefined ? undefined : paths.nameOrPath(String(input.model))),
      ...option('workload', input.workload),
      ...option('consistency-model', input.consistencyModel),
      ...option('timeout', `${input.timeoutSeconds as number}s`),
      '--json',
    ],
  },
  {
    name: 'review_source',
    title: 'Review source code',
    description:
      'Finds in source code what breaks replay, hides bugs or loses data: BLOCK, WARN and INFO with file and line, why, and what to write instead.',
    input: {
      paths: z.array(z.string()).default(['.']),
      since: z
        .string()
        .regex(/^[\w@][\w./~^@-]*$/)
        .optional()
        .describe('only lines changed since this git revision'),
    },
    readOnly: true,
    command: (input, paths) => [
      'review',
      ...(input.paths as string[]).map((path) => paths.inside(path)),
      ...option('since', input.since),
      '--json',
    ],
  },
  {
    name: 'plan_lint',
    title: 'Lint a plan',
    description: 'The gaps of a plan, with section and line.',
    input: { plan: z.string().describe('the plan, inside the project') },
    readOnly: true,
    command: (input, paths) => ['plan', 'lint', paths.inside(String(input.plan)), '--json'],
  },
  {
    name: 'plan_run',
    title: 'Execute a plan',
    description:
      'Executes the scenarios of a plan. The verdict is a function of the evidence: it cannot be argued with. Scenarios run commands that the plan names.',
    input: {
      plan: z.string().describe('the plan, inside the project'),
      scenario: z.string().optional().describe('S1, or S1,S2; all by default'),
      budget: z.enum(['smoke', 'hardening', 'release']).default('smoke'),
    },
    readOnly: false,
    command: (input, paths) => [
      'plan',
      'run',
      paths.inside(String(input.plan)),
      ...option('scenario', input.scenario),
      ...option('budget', input.budget),
    ],
  },
  {
    name: 'catalog',
    title: 'Look up the catalogues',
    description:
      'Techniques, pitfalls, nemeses, oracle patterns, verdicts and more; without a kind, the kinds.',
    input: { kind: z.string().optional(), id: z.string().optional() },
    readOnly: true,
    command: (input) => [
      'catalog',
      ...[input.kind, input.id].filter((each) => each !== undefined).map((each) => word(String(each))),
      '--json',
    ],
  },
  {
    name: 'faults',
    title: 'Look up faults',
    description: 'What faults there are, what each does, and what evidence proves that it landed.',
    input: { name: z.string().optional() },
    readOnly: true,
    command: (input) => ['faults', ...(input.name === undefined ? [] : [word(String(input.name))]), '--json'],
  },
  ...CLUSTER_TOOLS,
]
