/**
 * The tools beside simulations: Maelstrom's tests, real processes, and the first files of a project. They write below
 * `.wavetank`, and `scaffold_simulation` writes one new file.
 */
import { z } from 'zod'
import { option } from './flags.ts'
import type { Tool } from './tool.ts'

/** A run on real processes takes this long at most; a longer one is for a person to start. */
const LONGEST_S = 600

export const CLUSTER_TOOLS: readonly Tool[] = [
  {
    name: 'run_maelstrom',
    title: 'Test a Maelstrom node',
    description:
      "Runs one of Maelstrom's workloads against a node: in the tank, repeatable by seed, if it is JavaScript or TypeScript; as real processes otherwise. Only exit code 0 is a pass.",
    input: {
      workload: z
        .string()
        .describe('such as echo, broadcast, unique-ids, g-counter, kafka, txn-list-append, lin-kv'),
      bin: z.string().describe('the node, inside the project'),
      nodeCount: z.number().int().min(1).max(100).default(1),
      timeLimitSeconds: z.number().int().min(1).max(LONGEST_S).default(10),
      rate: z.number().min(0).max(10_000).default(5).describe('operations per second in all'),
      nemesis: z.string().optional().describe('partition, kill, pause; with commas between'),
      latencyMs: z.number().min(0).max(60_000).optional(),
      seeds: z.number().int().min(1).max(10_000).optional().describe('in the tank: how many seeds'),
    },
    readOnly: true,
    command: (input, paths) => [
      'maelstrom',
      'test',
      ...option('workload', input.workload),
      ...option('bin', `./${paths.inside(String(input.bin)).replace(/^\.\//, '')}`),
      ...option('node-count', input.nodeCount),
      ...option('time-limit', input.timeLimitSeconds),
      ...option('rate', input.rate),
      ...option('nemesis', input.nemesis),
      ...option('latency', input.latencyMs),
      ...option('seeds', input.seeds),
    ],
  },
  {
    name: 'doctor',
    title: 'Examine the machine',
    description:
      'What this machine can do for tests on real processes, and the line that installs what is missing.',
    input: {},
    readOnly: true,
    command: () => ['doctor', '--json'],
  },
  {
    name: 'test_real',
    title: 'Test on real processes',
    description:
      'Runs a simulation on real processes with real faults, each with evidence from its victim. Ask doctor first. Exit code 2 is no pass: a fault did not land, or nothing was checked.',
    input: {
      name: z.string().describe('a simulation, by name or by the path of its file'),
      nodes: z
        .string()
        .regex(/^[\w,-]+$/)
        .optional()
        .describe('how many, or their names: 5, or n1,n2,n3'),
      nemesis: z.string().default('none').describe('such as kill,partition:ring; none; combined'),
      timeLimitSeconds: z.number().int().min(1).max(LONGEST_S).default(10),
      rate: z.number().int().min(0).max(100_000).default(50),
      seed: z.number().int().min(0).optional(),
    },
    readOnly: true,
    command: (input, paths) => [
      'real',
      'test',
      paths.nameOrPath(String(input.name)),
      ...option('nodes', input.nodes),
      ...option('nemesis', input.nemesis),
      ...option('time-limit', input.timeLimitSeconds),
      ...option('rate', input.rate),
      ...option('seed', input.seed),
      '--json',
    ],
  },
  {
    name: 'scaffold_simulation',
    title: 'Write a first simulation',
    description:
      'Writes a simulation of the programs that compose file, Dockerfile or package.json start, with a workload and a checker for what the program is. Overwrites nothing. Its client assumes an interface, which the answer names.',
    input: {
      entry: z
        .string()
        .optional()
        .describe('the program that clients talk to; by default the one that is found'),
      port: z.number().int().min(1).max(65_535).optional(),
      model: z
        .string()
        .optional()
        .describe(
          'health, register, set, counter, queue or uniqueIds; by default register if the program shows GET and PUT of one path, else health',
        ),
      count: z.number().int().min(1).max(100).optional(),
      name: z
        .string()
        .regex(/^[A-Za-z][\w.-]*$/)
        .optional(),
    },
    readOnly: false,
    command: (input, paths) => [
      'scaffold',
      'simulation',
      '--yes',
      ...option('entry', input.entry === undefined ? undefined : paths.inside(String(input.entry))),
      ...option('port', input.port),
      ...option('model', input.model),
      ...option('count', input.count),
      ...option('name', input.name),
    ],
  },
]
