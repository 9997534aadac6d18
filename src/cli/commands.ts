/**
 * The commands, as data: what each is for, examples of it, what its exit codes mean, and the file that does it. The help
 * is made from this alone, and a test parses every example. A command's file exports `command()`, its options, and
 * `run(args)`, which resolves to an exit code.
 */
import type { Command } from 'commander'

export interface Example {
  /** As it is typed. */
  readonly command: string
  readonly what: string
}

export interface CommandManual {
  readonly summary: string
  readonly examples: readonly Example[]
  /** What its exit codes mean, where {@link SHARED_EXIT_CODES} do not say it. */
  readonly exitCodes: ExitCodes
}

type ExitCodes = Readonly<Record<number, string>>

export interface CommandFile {
  command(): Command
  run(args: readonly string[]): Promise<number>
}

interface CommandEntry extends CommandManual {
  load(): Promise<CommandFile>
}

export type CommandName =
  | 'run'
  | 'list'
  | 'replay'
  | 'shrink'
  | 'trace'
  | 'curve'
  | 'explain'
  | 'init'
  | 'check'
  | 'maelstrom'
  | 'plan'
  | 'catalog'
  | 'faults'
  | 'corpus'
  | 'review'
  | 'mcp'
  | 'scaffold'
  | 'real'
  | 'doctor'
  | 'skills'

const SHARED_EXIT_CODES: ExitCodes = { 254: 'wrong usage', 255: 'a failure of wavetank itself' }

const RUN_TRACE = '.wavetank/runs/latest/f1.json'
const RACE_TRACE = '.wavetank/races/bank.test.ts/two-deposits-are-both-kept.trace.json'

export const COMMANDS: Readonly<Record<CommandName, CommandEntry>> = {
  run: {
    summary: 'run simulations: all of the project, or those named',
    examples: [
      {
        command: 'npx wavetank run bank --seed 42 --verify',
        what: 'one seed, twice: every step must be the same',
      },
      {
        command: 'npx wavetank run bank --level stormy --first-seed 1000 --seeds 50 --json -o bank.json',
        what: 'one of them in bad weather, other seeds, for scripts',
      },
      { command: 'npx wavetank run --advise main', what: 'which level a branch asks for, and why' },
      {
        command: 'npx wavetank run --time 5m --shard 1/4 --reporter junit -o wavetank.xml',
        what: 'in CI',
      },
    ],
    exitCodes: {
      0: 'held',
      1: 'violated',
      2: 'unknown, a gap, or interrupted before anything broke',
      130: 'interrupted twice: ended at once; 143 for SIGTERM',
      254: 'wrong usage, a simulation file cannot be loaded, or --output cannot be written',
    },
    load: () => import('./run/command.ts'),
  },
  list: {
    summary: 'list the simulations of the project, or its races',
    examples: [
      { command: 'npx wavetank list', what: 'their processes, invariants and files' },
      { command: 'npx wavetank list bank --json', what: 'those that match, for scripts' },
      { command: 'npx wavetank list --races', what: 'the races of test files, with their titles' },
    ],
    exitCodes: { 0: 'listed', 254: 'wrong usage, or a simulation file cannot be loaded' },
    load: () => import('./project/list.ts'),
  },
  replay: {
    summary: 'run a recorded failure again',
    examples: [
      { command: `npx wavetank replay ${RUN_TRACE}`, what: 'of a simulation: its story' },
      { command: `npx wavetank replay ${RUN_TRACE} --logs`, what: 'and what every process wrote' },
      { command: `npx wavetank replay ${RACE_TRACE} --until 14`, what: 'the first 14 steps' },
      {
        command: `node --inspect-brk node_modules/.bin/wavetank replay ${RACE_TRACE}`,
        what: 'in a debugger, before the failing step',
      },
    ],
    exitCodes: {
      0: 'it does not fail, or not before --until',
      1: 'it fails as recorded',
      2: 'it fails otherwise, or diverges',
    },
    load: () => import('./failure/replay.ts'),
  },
  shrink: {
    summary: 'leave out of a recorded failure whatever it does not need',
    examples: [
      { command: `npx wavetank shrink ${RUN_TRACE}`, what: 'writes f1.shrunk.json beside it' },
      {
        command: `npx wavetank shrink ${RACE_TRACE} --runs 20000 -o small.json`,
        what: 'with more patience',
      },
    ],
    exitCodes: {
      0: 'written, even if nothing could be left out',
      254: 'wrong usage, or it does not fail as recorded any more',
    },
    load: () => import('./failure/shrink.ts'),
  },
  trace: {
    summary: 'show the steps of a recorded failure: those that causally reach it',
    examples: [
      { command: `npx wavetank trace ${RACE_TRACE}`, what: 'the steps that matter' },
      { command: `npx wavetank trace ${RUN_TRACE} --all`, what: 'every step' },
      {
        command: `npx wavetank trace ${RACE_TRACE} --format events`,
        what: 'JSON, a line per step',
      },
    ],
    exitCodes: { 0: 'shown' },
    load: () => import('./failure/trace.ts'),
  },
  curve: {
    summary: 'show how likely the failure of a race was after each of its decisions',
    examples: [
      { command: `npx wavetank curve ${RACE_TRACE}`, what: 'from which step on it was doomed' },
      { command: `npx wavetank curve ${RACE_TRACE} --runs 1000 --json`, what: 'more precisely, for a plot' },
    ],
    exitCodes: { 0: 'shown' },
    load: () => import('./failure/curve.ts'),
  },
  explain: {
    summary: "explain a failure in plain language, by Anthropic's API",
    examples: [
      { command: `npx wavetank explain ${RACE_TRACE} --dry-run`, what: 'what would be sent; sends nothing' },
      {
        command: `ANTHROPIC_API_KEY=… npx wavetank explain ${RACE_TRACE}`,
        what: 'asks, and prints the answer',
      },
    ],
    exitCodes: {
      0: 'explained',
      2: 'no answer, or none that can be read',
      254: 'wrong usage, or it may not or cannot ask: no key, no SDK, in CI, WAVETANK_LLM=off',
    },
    load: () => import('./failure/explain.ts'),
  },
  init: {
    summary: 'write a configuration and a first simulation',
    examples: [
      {
        command: 'npx wavetank init',
        what: 'a configuration, a simulation of the program that it finds, a line in .gitignore',
      },
      {
        command: 'npx wavetank init --entry server.js --port 8080 --model register --yes',
        what: 'for a key-value server; asks nothing',
      },
    ],
    exitCodes: { 0: 'written, or there already', 254: 'wrong usage, or --entry names no file' },
    load: () => import('./project/init.ts'),
  },
  scaffold: {
    summary: 'write a simulation, a race, a Maelstrom node or a plan that fits the project',
    examples: [
      {
        command: 'npx wavetank scaffold simulation',
        what: 'looks at compose files, Dockerfile and package.json; asks on a terminal',
      },
      {
        command: 'npx wavetank scaffold simulation --entry server.js --port 8080 --model register --count 3',
        what: 'asks nothing: three servers, checked for linearizability',
      },
      { command: 'npx wavetank scaffold race', what: 'a test file with a race, for vitest or node:test' },
      { command: 'npx wavetank scaffold maelstrom --workload broadcast', what: 'a node of Maelstrom' },
    ],
    exitCodes: {
      0: 'written',
      254: 'wrong usage, nothing to simulate was found, or the file is there already',
    },
    load: () => import('./scaffold/command.ts'),
  },
  check: {
    summary: 'judge a recorded history: valid, invalid with what proves it, or unknown with the reason',
    examples: [
      { command: 'npx wavetank check history.edn --model cas-register', what: 'is it linearizable?' },
      {
        command: 'npx wavetank check kv.jsonl.gz --model map --timeout 30s --reporter html -o failure.html',
        what: 'with a picture',
      },
      {
        command: 'npx wavetank check history.json --workload list-append --consistency-model serializable',
        what: 'of transactions',
      },
      {
        command: `zstdcat run.zst | npx wavetank check - --workload set-full --options '{"linearizable":true}'`,
        what: 'from a pipe, with options of the checker',
      },
    ],
    exitCodes: { 0: 'valid', 1: 'invalid', 2: 'unknown' },
    load: () => import('./check/command.ts'),
  },
  maelstrom: {
    summary: "run Maelstrom's tests: nodes in any language, or JavaScript in the tank, repeatable by seed",
    examples: [
      {
        command: 'npx wavetank maelstrom test -w echo --bin ./echo.js --node-count 1 --time-limit 10',
        what: 'in the tank, at the speed of the machine',
      },
      {
        command: 'npx wavetank maelstrom test -w broadcast --bin ./node.ts --nemesis partition --seeds 50',
        what: 'fifty seeds; failures are shrunk and kept',
      },
      {
        command: 'npx wavetank maelstrom test -w g-counter --bin ./counter.py --rate 100 --time-limit 20',
        what: 'real processes, any language',
      },
      { command: 'npx wavetank maelstrom new broadcast', what: 'write a node to begin with' },
    ],
    exitCodes: { 0: 'valid', 1: 'invalid', 2: 'unknown', 130: 'ended by Ctrl-C; no node is left' },
    load: () => import('./maelstrom/command.ts'),
  },
  plan: {
    summary: 'write, lint and execute plans: claims, scenarios, and verdicts that the evidence decides',
    examples: [
      {
        command: 'npx wavetank plan new --project',
        what: 'a plan to fill in, with the claims that the project makes',
      },
      { command: 'npx wavetank plan lint plans/kv.md', what: 'its gaps, with section and line' },
      {
        command: 'npx wavetank plan run plans/kv.md --budget hardening',
        what: 'runs it; findings and a report',
      },
      { command: 'npx wavetank plan blame plans/kv.md --scenario S1', what: 'who is to blame for a failure' },
    ],
    exitCodes: {
      0: 'no gaps, or every scenario passed',
      1: 'a claim is violated',
      2: 'gaps, or a verdict that is no pass',
    },
    load: () => import('./plan/command.ts'),
  },
  catalog: {
    summary: 'show what plans link to: techniques, pitfalls, nemeses, oracle patterns, verdicts, …',
    examples: [
      { command: 'npx wavetank catalog', what: 'the kinds' },
      {
        command: 'npx wavetank catalog nemeses power-loss',
        what: 'one entry, and what proves that it landed',
      },
      { command: 'npx wavetank catalog pitfalls --json', what: 'for scripts' },
    ],
    exitCodes: { 0: 'shown' },
    load: () => import('./catalogue/catalog.ts'),
  },
  faults: {
    summary: 'show the fault catalogue: what each does, what proves that it landed, what it cannot do',
    examples: [
      { command: 'npx wavetank faults', what: 'all of them, a line each' },
      { command: 'npx wavetank faults reboot', what: 'one, with its rates and parameters' },
      { command: 'npx wavetank faults --json', what: 'for scripts' },
    ],
    exitCodes: { 0: 'shown' },
    load: () => import('./catalogue/faults.ts'),
  },
  corpus: {
    summary: 'keep failures forever, and run them again: fixed, still failing or stale',
    examples: [
      { command: `npx wavetank corpus add ${RUN_TRACE}`, what: 'a failure of a campaign, shrunk' },
      { command: 'npx wavetank corpus check', what: 'every entry again, of simulations and of races' },
      { command: 'npx wavetank corpus prune --dry-run', what: 'the entries that test nothing any more' },
      { command: 'npx wavetank corpus list --json', what: 'what is in it, for scripts' },
    ],
    exitCodes: {
      0: 'added, shown, or every entry is fixed',
      1: 'an entry fails again',
      2: 'an entry is stale',
      254: 'wrong usage, no trace, a duplicate, or a file that cannot be read or written',
    },
    load: () => import('./corpus/command.ts'),
  },
  review: {
    summary: 'find in source code what breaks replay, hides bugs, or is outside what the tank controls',
    examples: [
      { command: 'npx wavetank review', what: 'every source below this folder' },
      { command: 'npx wavetank review src --since main --fail-on warn', what: 'what a branch has changed' },
      { command: 'npx wavetank review --reporter github', what: 'as annotations of a pull request' },
      { command: 'npx wavetank review --rules', what: 'what it looks for, why, and what to write instead' },
    ],
    exitCodes: {
      0: 'nothing of the severity that --fail-on names',
      1: 'something of that severity',
      2: 'a file cannot be parsed, or there is none',
    },
    load: () => import('./review/command.ts'),
  },
  mcp: {
    summary: 'serve the Model Context Protocol to coding agents, on standard input and output',
    examples: [
      {
        command: 'npx wavetank mcp',
        what: 'as an agent starts it: tools for the project around this folder',
      },
      { command: 'npx wavetank mcp --root packages/bank', what: 'for another folder' },
    ],
    exitCodes: { 0: 'the client has closed the connection', 254: 'wrong usage, or the SDK is not installed' },
    load: () => import('./mcp/command.ts'),
  },
  real: {
    summary: 'run a simulation on real processes: the same workload, faults with evidence, the same checkers',
    examples: [
      {
        command: 'npx wavetank real test raft --nodes 3 --nemesis kill,partition --time-limit 30',
        what: 'the processes of raft.sim.ts on this machine, no root needed',
      },
      {
        command: 'npx wavetank real test etcd --nodes n1,n2,n3 --nemesis pause:majority --seed 7 --rate 200',
        what: 'a system that is not Node: etcd.real.ts says how it starts',
      },
      { command: 'npx wavetank real analyze .wavetank/real/raft/latest', what: 'a stored run, judged again' },
      { command: 'npx wavetank real nemeses', what: 'the faults there are' },
    ],
    exitCodes: {
      0: 'held, and every fault landed',
      1: 'violated',
      2: 'unknown: a fault did not land, a checker gave up, or nothing was checked',
      130: 'ended by Ctrl-C; nothing is left',
    },
    load: () => import('./real/command.ts'),
  },
  doctor: {
    summary: 'say what this machine can do for real tests, and what to install',
    examples: [
      { command: 'npx wavetank doctor', what: 'tools, rights and kernel features, with the line for Debian' },
      { command: 'npx wavetank doctor --json', what: 'for scripts' },
    ],
    exitCodes: { 0: 'real tests work here', 2: 'something that they need is missing' },
    load: () => import('./doctor.ts'),
  },
  skills: {
    summary: 'list skills for coding agents, and install or remove them',
    examples: [
      { command: 'npx wavetank skills list', what: 'what each is for' },
      {
        command: 'npx wavetank skills install',
        what: 'into .claude/skills of the project; changes nothing twice',
      },
      {
        command: 'npx wavetank skills install --agent codex --global',
        what: 'for another agent, for all projects',
      },
      { command: 'npx wavetank skills remove', what: 'what was installed and not edited' },
    ],
    exitCodes: { 0: 'listed, installed or removed' },
    load: () => import('./skills/command.ts'),
  },
}

/** What `wavetank --help` ends with: a first day. */
const WAVETANK: CommandManual = {
  summary: '',
  examples: [
    { command: 'npx wavetank init', what: 'a first simulation, of your program if it finds one' },
    { command: 'npx wavetank run --level stormy', what: 'storms, until coverage is stable' },
    { command: `npx wavetank replay ${RUN_TRACE}`, what: 'the failure again, to the last step' },
    { command: 'npx wavetank check history.edn --model register', what: "another tool's history, judged" },
  ],
  exitCodes: { 0: 'held', 1: 'violated', 2: 'unknown, or a coverage gap' },
}

/** The help of `wavetank` itself. */
export function overview(): string {
  const commands = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`)
  return [
    'Usage: wavetank <command> [options]',
    '',
    'Commands:',
    ...commands,
    '',
    'wavetank <command> --help says more.',
    '',
    ending(WAVETANK),
  ].join('\n')
}

/** What every help ends with: examples, then exit codes. */
export function ending({ examples, exitCodes }: CommandManual): string {
  const codes = Object.entries({ ...SHARED_EXIT_CODES, ...exitCodes }) // in the order of the numbers
  return [
    'Examples:',
    ...examples.flatMap(({ command, what }) => [`  # ${what}`, `  ${command}`]),
    '',
    'Exit codes:',
    ...codes.map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`),
    '',
  ].join('\n')
}

/** What an exit code of a command means. */
export function exitMeaning(name: string, code: number): string {
  const codes: ExitCodes = { ...SHARED_EXIT_CODES, ...COMMANDS[name as CommandName]?.exitCodes }
  return codes[code] ?? `exit code ${code}, which the help of ${name} does not name`
}

/** Every example there is, with those of `wavetank --help`. */
export function allExamples(): readonly Example[] {
  return [WAVETANK, ...Object.values(COMMANDS)].flatMap(({ examples }) => examples)
}
