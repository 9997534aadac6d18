/**
 * `wavetank check`: reads a history, asks one question of it, and reports the answer.
 */
import { InvalidArgumentError, Option, type Command } from 'commander'
import { writeFileSync } from 'node:fs'
import type { CheckResult, Verdict } from '../checkers/result.ts'
import type { History } from '../history/history.ts'
import { printJson } from '../history/formats/json.ts'
import { independent } from '../history/independent.ts'
import { readHistory } from '../history/read.ts'
import { UsageError } from '../kernel/errors.ts'
import type { CheckReport } from '../report/history-verdict.ts'
import { describe, parse, wallTime } from './arguments.ts'
import {
  MODELS,
  OBJECT_MODELS,
  objectQuestion,
  suggestions,
  WORKLOADS,
  type CheckSettings,
} from './check-questions.ts'

interface CheckOptions {
  readonly workload?: readonly string[]
  readonly model?: string
  readonly partition?: 'key' | 'none' | 'tuple'
  readonly consistencyModel?: readonly string[]
  readonly format?: string
  readonly timeout?: number
  readonly memory?: number
  readonly initial?: unknown
  readonly nullReads?: 'any' | 'value'
  readonly options?: Record<string, unknown>
  readonly reporter: 'text' | 'json' | 'html'
  readonly output?: string
}

const EXIT_CODES: Readonly<Record<Verdict, number>> = { valid: 0, invalid: 1, unknown: 2 }

/** Formats in whose world a read of nil means that nobody knows what was read. */
const NIL_IS_UNKNOWN: ReadonlySet<string | null> = new Set(['jepsen-edn', 'jepsen-json', 'jepsen-jsonl'])

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const options = given.opts<CheckOptions>()
  const [file] = given.args
  checkQuestion(options)
  const read = await readHistory(file === '-' ? process.stdin : file, formatOption(options))
  const check = await questionOf(options, read)
  const history = options.partition === 'tuple' ? independent(read) : read
  const result = check(history, settingsOf(options, history))
  await report({ file, history: read, result }, options)
  return EXIT_CODES[result.verdict]
}

function formatOption({ format }: CheckOptions): { format?: string } {
  return format === undefined ? {} : { format }
}

type Question = (history: History, settings: CheckSettings) => CheckResult

/** Refuses wrong names before a large file is read. */
function checkQuestion({ workload = [], model, consistencyModel }: CheckOptions): void {
  if (workload.length > 0 && model !== undefined) {
    throw new UsageError('ERR_CHECK_QUESTION', 'check: give either --workload or --model, not both')
  }
  for (const name of workload) {
    if (!Object.hasOwn(WORKLOADS, name)) throw unknownName('workload', name, Object.keys(WORKLOADS))
  }
  if (model === undefined) return
  if (!Object.hasOwn(MODELS, model)) throw unknownName('model', model, Object.keys(MODELS))
  for (const name of consistencyModel ?? []) {
    const known = (OBJECT_MODELS as readonly string[]).includes(name)
    if (!known) throw unknownName('consistency model of an object', name, OBJECT_MODELS)
  }
}

async function questionOf(options: CheckOptions, history: History): Promise<Question> {
  const { workload = [], model, consistencyModel, partition } = options
  if (model !== undefined) return objectQuestion(model, consistencyModel ?? ['linearizable'])
  if (workload.length === 0) {
    const hint = suggestions(history)
    throw new UsageError(
      'ERR_CHECK_QUESTION',
      `check: say with --workload or --model what the history is of. It has the functions ${history.functions.join(', ')}: ${hint}`,
    )
  }
  const questions = await Promise.all(
    workload.map(async (name) => [name, await WORKLOADS[name].load()] as const),
  )
  if (questions.length === 1 && (partition ?? 'none') === 'none') return questions[0][1]
  const { all, perKey } = await import('../checkers/compose.ts')
  return (whole, settings) => {
    const checkers = questions.map(([name, ask]) => [name, (part: History) => ask(part, settings)] as const)
    const check = checkers.length === 1 ? checkers[0][1] : all(Object.fromEntries(checkers))
    return ((partition ?? 'none') === 'none' ? check : perKey(check))(whole)
  }
}

function unknownName(what: string, name: string, known: readonly string[]): UsageError {
  return new UsageError(
    'ERR_CHECK_QUESTION',
    `check: unknown ${what} ${name}; these are known: ${known.join(', ')}`,
  )
}

function settingsOf(options: CheckOptions, history: History): CheckSettings {
  const { partition, nullReads } = options
  return {
    consistencyModels: options.consistencyModel,
    timeoutMs: options.timeout,
    memoryMb: options.memory,
    partition: partition === 'tuple' ? 'key' : partition,
    initial: options.initial,
    nullReadMatchesAll: nullReads === undefined ? NIL_IS_UNKNOWN.has(history.format) : nullReads === 'any',
    options: options.options ?? {},
  }
}

async function report(data: CheckReport, { reporter, output }: CheckOptions): Promise<void> {
  const text = await print(data, reporter, output)
  if (output === undefined) process.stdout.write(text)
  else writeFileSync(output, text)
}

async function print(
  data: CheckReport,
  reporter: CheckOptions['reporter'],
  output: string | undefined,
): Promise<string> {
  if (reporter === 'html') return (await import('../report/history-page.ts')).checkPage(data)
  const { verdictJson, verdictText } = await import('../report/history-verdict.ts')
  if (reporter === 'json') return `${printJson(verdictJson(data), 2)}\n`
  const { coloured } = await import('../report/paint.ts')
  const colours = output === undefined && process.stdout.isTTY && process.env.NO_COLOR === undefined
  return verdictText(data, coloured(colours))
}

export function command(): Command {
  return describe('check')
    .argument('<file>', 'history in any known format, gzipped or not; - reads standard input')
    .option(
      '--workload <names>',
      'what the history is of, one or more with commas between (see below)',
      names,
    )
    .option('--model <name>', 'the object that the history is of (see below); checks linearizability')
    .addOption(
      new Option('--partition <how>', 'by key, not at all, or by [key value] pairs').choices([
        'key',
        'none',
        'tuple',
      ]),
    )
    .option('--consistency-model <names>', 'models that must hold, separated by commas (see below)', names)
    .option('--timeout <time>', 'give up after this long: 500ms, 30s, 5m', wallTime)
    .option('--memory <mb>', 'give up above this many megabytes', positive)
    .option('--format <name>', 'the format of the file; detected by content when left out')
    .option('--initial <json>', 'state of the model before everything', json)
    .addOption(
      new Option('--null-reads <how>', 'whether a read of null saw that value or an unknown one').choices([
        'value',
        'any',
      ]),
    )
    .option('--options <json>', "further options of the workload's checker or the model", record)
    .addOption(
      new Option('--reporter <name>', 'form of the answer').choices(['text', 'json', 'html']).default('text'),
    )
    .option('-o, --output <file>', 'write the answer to a file')
    .addHelpText('after', () => `\n${questions()}`.trimEnd())
}

function questions(): string {
  const workloads = Object.entries(WORKLOADS).map(([name, { question }]) => `  ${name.padEnd(22)}${question}`)
  return `Workloads:
${workloads.join('\n')}

Models of objects:
  ${Object.keys(MODELS).join(', ')}

Consistency models:
  of objects: ${OBJECT_MODELS.join(', ')}
  of transactions: serializable, snapshot-isolation, read-committed, … as in Elle; strict-serializable by default
`
}

function names(text: string): string[] {
  return text.split(',').map((name) => name.trim())
}

function positive(text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new InvalidArgumentError('Expected a number above 0.')
  return value
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new InvalidArgumentError('Expected JSON.')
  }
}

function record(text: string): Record<string, unknown> {
  const value = json(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidArgumentError('Expected a JSON object.')
  }
  return value as Record<string, unknown>
}
