/**
 * `wavetank check`: reads a history, asks one question of it, and reports the answer.
 */
import { existsSync, statSync } from 'node:fs'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { CONSISTENCY, ISOLATION, MODELS, WORKLOADS, type CheckerEntry } from '../../checkers/catalogue.ts'
import { Budget } from '../../checkers/budget.ts'
import { conclude, type CheckResult, type Verdict } from '../../checkers/result.ts'
import { parseJson, printJson } from '../../history/formats/json.ts'
import { History } from '../../history/history.ts'
import { independent } from '../../history/independent.ts'
import { readHistory } from '../../history/read.ts'
import { UsageError } from '../../kernel/errors.ts'
import type { CheckReport } from '../../report/history/verdict.ts'
import { describe, json, output, parse, reporter, wallTime } from '../arguments.ts'
import { nothingAsked, questionOf, type CheckSettings, type Question } from './question.ts'
import { checkOutput, paintFor, write } from '../terminal.ts'

interface CheckOptions extends CheckSettings {
  readonly format?: string
  readonly reporter: 'text' | 'html'
  readonly json?: boolean
  readonly output?: string
}

const EXIT_CODES: Readonly<Record<Verdict, number>> = { valid: 0, invalid: 1, unknown: 2 }

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const options = given.opts<CheckOptions>()
  const [file] = given.args
  const ask = await questionOf(options)
  checkOutput(options.output)
  refuseOverwriting(file, options.output)
  // Limits that were given hold from the start, for reading, too; the others are the search's.
  const { timeout = Number.POSITIVE_INFINITY, memory = Number.POSITIVE_INFINITY } = options
  const reading = Budget.ofProcess({ timeoutWallMs: timeout, memoryMb: memory })
  const history = await reading.during(() =>
    readHistory(file === '-' ? process.stdin : file, {
      ...(options.format === undefined ? {} : { format: options.format }),
      reserve: (bytes) => reading.reserve(bytes),
    }),
  )
  if (history !== null && ask === null) throw nothingAsked(history)
  const report = history === null ? unread(file, reading) : answered(file, history, ask!, reading, options)
  write(await print(report, options), options.output)
  return EXIT_CODES[report.result.verdict]
}

/** The answer must not replace the evidence. */
function refuseOverwriting(file: string, answer: string | undefined): void {
  if (answer === undefined || !existsSync(file) || !existsSync(answer)) return
  const given = statSync(file)
  const taken = statSync(answer)
  if (!given.isFile() || given.ino !== taken.ino || given.dev !== taken.dev) return
  throw new UsageError('ERR_WAVETANK_OUTPUT', `--output ${answer} would overwrite the history`)
}

/** A limit was reached before the whole history was there: about part of one nothing can be said. */
function unread(file: string, { reason }: Budget): CheckReport {
  const history = History.from([])
  const result = stopped(history, `${reason} while the history was read`)
  return { file, history, isRead: false, result }
}

function answered(
  file: string,
  history: History,
  ask: Question,
  reading: Budget,
  { partition }: CheckOptions,
): CheckReport {
  const budget = reading.continued()
  const result = budget.within(0, () => ask(partition === 'tuple' ? independent(history) : history, budget))
  return { file, history, isRead: true, result: result ?? stopped(history, budget.reason!) }
}

/** The answer when a limit was reached and no checker has an answer of its own. */
function stopped(history: History, reason: string): CheckResult {
  const scope = { operations: 0, ignored: history.length, functions: [] }
  return conclude({ checker: 'check', scope, checks: 0, anomalies: [], doubt: reason })
}

async function print(data: CheckReport, options: CheckOptions): Promise<string> {
  if (options.json !== true && options.reporter === 'html')
    return (await import('../../report/history/page.ts')).checkPage(data)
  const { verdictJson, verdictText } = await import('../../report/history/verdict.ts')
  if (options.json === true) {
    const { printableJson } = await import('../../report/form/printable.ts')
    return `${printableJson(printJson(verdictJson(data), 2))}\n`
  }
  const { PLAIN } = await import('../../report/form/paint.ts')
  return verdictText(data, options.output === undefined ? paintFor(process.stdout) : PLAIN)
}

export function command(): Command {
  return describe('check')
    .argument('<file>', 'history in any known format, gzipped or not; - reads standard input')
    .option('--workload <names>', 'checkers, one or more with commas between (see below)', names)
    .option(
      '--isolation <levels>',
      'isolation levels that register transactions must have (see below)',
      names,
    )
    .option('--model <name>', 'the object that the history is of (see below), or a file that exports a model')
    .addOption(
      new Option('--partition <how>', 'by key, not at all, or by [key value] pairs').choices([
        'key',
        'none',
        'tuple',
      ]),
    )
    .option('--consistency-model <names>', 'models that must hold, separated by commas (see below)', names)
    .option('--timeout <time>', 'give up after this long, reading included: 500ms, 30s, 5m', someTime)
    .option('--memory <mb>', 'give up before the process takes more megabytes, reading included', megabytes)
    .option('--format <name>', 'the format of the file; detected by content when left out')
    .option('--initial <json>', 'state of the model before everything', anyJson)
    .addOption(
      new Option(
        '--null-reads <how>',
        'what a read of null saw: the value null (the default), or any value, as Knossos has it',
      ).choices(['value', 'any']),
    )
    .option('--options <json>', 'further options of the checker or the model', record)
    .addOption(json())
    .addOption(reporter('text', 'html'))
    .addOption(output('the answer'))
    .addHelpText('after', () => `\n${questions()}`.trimEnd())
}

function questions(): string {
  const list = (entries: readonly (CheckerEntry | (typeof CONSISTENCY)[number])[]): string =>
    entries.map(({ name, question }) => `  ${name.padEnd(22)}${question}`).join('\n')
  return `Workloads:
${list(WORKLOADS)}

Isolation levels:
${list(ISOLATION)}

Models of objects:
  ${MODELS.map(({ name }) => name).join(', ')}

Consistency models of objects (--model):
${list(CONSISTENCY)}

Consistency models of transactions (list-append, rw-register, closed-predicate):
  serializable, snapshot-isolation, read-committed, … as in Elle; strict-serializable by default
`
}

function names(text: string): string[] {
  return text.split(',').map((name) => name.trim())
}

function someTime(text: string): number {
  const ms = wallTime(text)
  if (ms === 0) throw new InvalidArgumentError('expected more than 0')
  return ms
}

function megabytes(text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new InvalidArgumentError('expected a number above 0')
  return value
}

function anyJson(text: string): unknown {
  try {
    return parseJson(text, { line: 1, column: 1 })
  } catch (error) {
    throw new InvalidArgumentError(`expected JSON: ${(error as Error).message}`)
  }
}

function record(text: string): Record<string, unknown> {
  const value = anyJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError('expected a JSON object')
  return value as Record<string, unknown>
}
