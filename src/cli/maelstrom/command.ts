/**
 * `wavetank maelstrom test`: Maelstrom's tests under Maelstrom's options; `new` writes a first node. A node in JavaScript or TypeScript runs in the
 * tank, where a seed gives the same run again; anything else, and everything with `--real`, runs as real processes.
 */
import { Argument, InvalidArgumentError, Option, type Command } from 'commander'
import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from '../../kernel/errors.ts'
import { TOPOLOGIES, type TopologyName } from '../../maelstrom/network/topologies.ts'
import type { LatencyDistribution } from '../../maelstrom/network/network.ts'
import { DEFAULTS, NEMESES, type NemesisName, type TestSettings } from '../../maelstrom/running/settings.ts'
import { isClient } from '../../maelstrom/protocol/envelope.ts'
import { SERVICE_NAMES } from '../../maelstrom/services/services.ts'
import type { Program } from '../../maelstrom/running/node-process.ts'
import { WORKLOADS, type WorkloadName } from '../../maelstrom/workloads/index.ts'
import type { Workload } from '../../maelstrom/workloads/workload.ts'
import { describe, natural, parse, positive } from '../arguments.ts'

export interface MaelstromOptions {
  readonly workload: WorkloadName
  readonly bin?: string
  readonly nodeCount?: number
  readonly nodes?: readonly string[]
  readonly node?: readonly string[]
  readonly nodesFile?: string
  readonly rate: number
  readonly timeLimit: number
  readonly concurrency: string
  readonly latency: number
  readonly latencyDist: LatencyDistribution
  readonly nemesis: readonly NemesisName[]
  readonly nemesisInterval: number
  readonly topology: TopologyName
  readonly availability?: 'total' | number
  readonly consistencyModels: readonly string[]
  readonly keyCount: number
  readonly maxTxnLength: number
  readonly maxWritesPerKey: number
  readonly logStderr?: boolean
  readonly logNetSend?: boolean
  readonly logNetRecv?: boolean
  readonly testCount: number
  readonly strict: boolean
  readonly seed?: number
  readonly seeds?: number
  readonly real?: boolean
  readonly store: string
}

/** Programs that the tank can run. */
const TANK = /\.[cm]?[jt]s$/

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const options = given.opts<MaelstromOptions>()
  const [action, ...programArgs] = given.args
  if (action === 'new') return (await import('./new.ts')).newNode(programArgs)
  if (options.bin === undefined)
    throw wrong("required option '--bin <file>' not specified: the program of a node")
  const settings = settingsOf(options, programOf(options, programArgs))
  const workload: Workload = WORKLOADS[settings.workload]
  workload.verify?.(settings)
  makeStore(options.store)
  if (options.real !== true && TANK.test(options.bin))
    return (await import('./tank.ts')).testInTank(settings, options, args)
  if (options.seeds !== undefined)
    throw wrong('--seeds needs the tank: a JavaScript or TypeScript node, without --real')
  return (await import('./real.ts')).testForReal(settings, options, args)
}

export function command(): Command {
  const number = (name: string, about: string, value: number | undefined, least = 0) =>
    new Option(name, about).argParser(numberFrom(least)).default(value)
  return describe('maelstrom')
    .addArgument(new Argument('<action>', 'test, or new to write a node').choices(['test', 'new']))
    .argument('[args...]', 'arguments of the node, after --; of new, the workload')
    .addOption(
      new Option('-w, --workload <name>', 'what to test')
        .choices(Object.keys(WORKLOADS))
        .default(DEFAULTS.workload),
    )
    .option('--bin <file>', 'the program of a node')
    .addOption(new Option('--node-count <n>', 'nodes n0, n1, …, whatever --nodes says').argParser(positive))
    .addOption(new Option('--nodes <names>', 'nodes with these names; n1 to n5 by default').argParser(list))
    .addOption(
      new Option('-n, --node <name>', 'a node; once for each').argParser(
        (name, all: string[] | undefined) => [...(all ?? []), name],
      ),
    )
    .option('--nodes-file <file>', 'nodes whose names stand in a file, one per line')
    .addOption(number('--rate <n>', 'operations per second; 0 asks nothing', DEFAULTS.rate))
    .addOption(number('--time-limit <s>', 'seconds', DEFAULTS.timeLimitSeconds))
    .addOption(new Option('--concurrency <n>', 'clients; 2n is two per node').default('1n'))
    .addOption(number('--latency <ms>', 'mean latency between nodes', DEFAULTS.latencyMs))
    .addOption(
      new Option('--latency-dist <name>', 'distribution of latencies')
        .choices(['constant', 'uniform', 'exponential'])
        .default(DEFAULTS.latencyDistribution),
    )
    .addOption(
      new Option('--nemesis <names>', 'faults: partition, kill, pause')
        .argParser(nemeses)
        .default([], 'none'),
    )
    .addOption(
      number('--nemesis-interval <s>', 'mean seconds between faults', DEFAULTS.nemesisIntervalSeconds),
    )
    .addOption(
      new Option('--topology <name>', 'neighbours that broadcast suggests')
        .choices(TOPOLOGIES)
        .default(DEFAULTS.topology),
    )
    .addOption(
      new Option(
        '--availability <share>',
        'least share of operations that must succeed: total, or 0 to 1',
      ).argParser(availability),
    )
    .addOption(
      new Option('--consistency-models <names>', 'models that transactions must have')
        .argParser(list)
        .default(DEFAULTS.consistencyModels, 'strict-serializable'),
    )
    .addOption(number('--key-count <n>', 'keys in use at a time', DEFAULTS.keyCount, 1))
    .addOption(
      number('--max-txn-length <n>', 'operations in a transaction, at most', DEFAULTS.maxTxnLength, 1),
    )
    .addOption(number('--max-writes-per-key <n>', 'writes of a key, at most', DEFAULTS.maxWritesPerKey, 1))
    .option('--log-stderr', 'show what nodes write to stderr')
    .option('--log-net-send', 'show every message that is sent')
    .option('--log-net-recv', 'show every message that is received')
    .addOption(
      new Option('--test-count <n>', 'tests to run, until one is not valid').argParser(positive).default(1),
    )
    .addOption(
      new Option('--strict <bool>', "false: Maelstrom's own verdict, without our stricter checks")
        .argParser(boolean)
        .default(true),
    )
    .addOption(new Option('--seed <n>', 'decides everything random; drawn by default').argParser(natural))
    .addOption(
      new Option('--seeds <n>', 'in the tank: a campaign of seeds, failures shrunk and kept')
        .argParser(positive)
        .conflicts(['testCount', 'seed']),
    )
    .option('--real', 'real processes also for JavaScript and TypeScript')
    .addOption(new Option('--store <folder>', 'where results go').default('store'))
}

function settingsOf(options: MaelstromOptions, program: Program): TestSettings {
  const nodes = nodesOf(options)
  if (options.timeLimit === 0) throw wrong('--time-limit must be more than 0 s')
  if (options.nemesisInterval === 0) throw wrong('--nemesis-interval must be more than 0 s')
  return {
    workload: options.workload,
    program,
    nodes,
    concurrency: concurrencyOf(options.concurrency, nodes.length),
    rate: options.rate,
    timeLimitSeconds: options.timeLimit,
    latencyMs: options.latency,
    latencyDistribution: options.latencyDist,
    nemesis: options.nemesis,
    nemesisIntervalSeconds: options.nemesisInterval,
    topology: options.topology,
    availability: options.availability ?? null,
    consistencyModels: options.consistencyModels,
    keyCount: options.keyCount,
    maxTxnLength: options.maxTxnLength,
    maxWritesPerKey: options.maxWritesPerKey,
    strict: options.strict,
  }
}

/** A file, or a command on the path. What this Node can run, it runs. */
function programOf({ bin }: MaelstromOptions, args: readonly string[]): Program {
  const file = resolve(bin!)
  if (!existsSync(file)) {
    if (bin!.includes('/') || TANK.test(bin!)) throw wrong(`there is no file ${file} (--bin)`)
    return { command: bin!, args }
  }
  return TANK.test(file) ? { command: process.execPath, args: [file, ...args] } : { command: file, args }
}

/** Made before the test, so that no test is run whose results cannot be kept. */
function makeStore(store: string): void {
  try {
    mkdirSync(store, { recursive: true })
    accessSync(store, constants.W_OK)
  } catch (error) {
    throw wrong(`results cannot be written to ${resolve(store)} (--store): ${(error as Error).message}`)
  }
}

function concurrencyOf(text: string, nodes: number): number {
  const parts = /^([1-9]\d*)(n?)$/.exec(text)
  if (parts === null) throw wrong(`--concurrency is a number such as 10, or 2n for two per node, not ${text}`)
  return Number(parts[1]) * (parts[2] === 'n' ? nodes : 1)
}

function wrong(what: string): UsageError {
  return new UsageError('ERR_WAVETANK_ARGUMENTS', `wavetank maelstrom test: ${what}`)
}

/** A count outdoes all names; names in a file come before those of --nodes, and these before those of --node. */
function nodesOf({ nodeCount, nodesFile, nodes = [], node = [] }: MaelstromOptions): string[] {
  if (nodeCount !== undefined) return Array.from({ length: nodeCount }, (_, i) => `n${i}`)
  const names = [...(nodesFile === undefined ? [] : linesOf(nodesFile)), ...nodes, ...node]
  for (const [index, name] of names.entries()) {
    if (name === '') throw wrong('--nodes: expected names with commas between, such as a,b,c')
    if (names.indexOf(name) !== index) throw wrong(`there are two nodes ${name}`)
    if (isClient(name))
      throw wrong(`there can be no node ${name}: names that begin with c are those of clients`)
    if (SERVICE_NAMES.includes(name))
      throw wrong(`there can be no node ${name}: that is the name of a service`)
  }
  return names.length === 0 ? ['n1', 'n2', 'n3', 'n4', 'n5'] : names
}

function linesOf(file: string): string[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines.map((line) => line.trim()).filter((line) => line !== '')
  } catch (error) {
    throw wrong(`--nodes-file: ${(error as Error).message}`)
  }
}

function list(text: string): string[] {
  return text.split(',').map((name) => name.trim())
}

function nemeses(text: string): NemesisName[] {
  return list(text).map((name) => {
    const known = NEMESES.find((each) => each === name)
    if (known === undefined) throw new InvalidArgumentError(`expected ${NEMESES.join(', ')}`)
    return known
  })
}

function availability(text: string): 'total' | number {
  if (text === 'total') return text
  const share = Number(text)
  if (!(share >= 0 && share <= 1)) throw new InvalidArgumentError('expected total, or a number from 0 to 1')
  return share
}

function boolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('expected true or false')
  return text === 'true'
}

function numberFrom(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text === '' || !Number.isFinite(value) || value < least)
      throw new InvalidArgumentError(`expected a number from ${least} on`)
    return value
  }
}
