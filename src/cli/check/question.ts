/**
 * The question that the arguments of `wavetank check` ask, put together from the catalogue of checkers. Wrong names,
 * options that no checker knows and combinations without a meaning are refused before a large file is read.
 */
import {
  CONSISTENCY,
  entryNamed,
  ISOLATION,
  MODELS,
  WORKLOADS,
  type CheckerEntry,
  type ConsistencyEntry,
  type GivenOptions,
  type LoadedChecker,
  type LoadedConsistency,
  type LoadedModel,
} from '../../checkers/catalogue.ts'
import { Budget } from '../../checkers/budget.ts'
import type { SessionGuarantee } from '../../checkers/consistency/session-guarantees.ts'
import type { AnyModel } from '../../checkers/linearizable/model.ts'
import type { CheckResult } from '../../checkers/result.ts'
import type { History } from '../../history/history.ts'
import { UsageError } from '../../kernel/errors.ts'
import { didYouMean } from '../../kernel/expectation.ts'
import { isModelFile, loadOwnModel } from './own-model.ts'

export interface CheckSettings {
  readonly workload?: readonly string[] | undefined
  readonly isolation?: readonly string[] | undefined
  /** Name of a model, or path of a file that has one. */
  readonly model?: string | undefined
  readonly consistencyModel?: readonly string[] | undefined
  readonly partition?: 'key' | 'none' | 'tuple' | undefined
  readonly timeout?: number | undefined
  readonly memory?: number | undefined
  /** State before everything, for models that take one. */
  readonly initial?: unknown
  /** Whether a read of null saw that value, or an unknown one. */
  readonly nullReads?: 'any' | 'value' | undefined
  /** Further options of the checker or the model. */
  readonly options?: GivenOptions | undefined
}

/** A budget that is given counts, else the limits of the settings. */
export type Question = (history: History, budget?: Budget) => CheckResult

type Asked = (history: History, budget: Budget) => CheckResult

/** Null when the settings ask nothing. */
export async function questionOf(settings: CheckSettings): Promise<Question | null> {
  const { workload, isolation, model } = settings
  const asked = [workload, isolation, model].filter((one) => one !== undefined)
  if (asked.length === 0) return null
  if (asked.length > 1) throw refused('give one of --workload, --isolation and --model')
  const ask = await (model === undefined ? historyQuestion(settings) : objectQuestion(model, settings))
  const { timeout, memory } = settings
  return (history, budget = new Budget({ timeoutWallMs: timeout, memoryMb: memory })) => ask(history, budget)
}

async function historyQuestion(settings: CheckSettings): Promise<Asked> {
  const { workload, isolation, consistencyModel, initial, nullReads, partition } = settings
  const [flag, catalogue] =
    workload === undefined ? (['isolation level', ISOLATION] as const) : (['workload', WORKLOADS] as const)
  const entries = (workload ?? isolation ?? []).map((name) => named(flag, catalogue, name))
  if (initial !== undefined) throw refused('--initial is for --model')
  if (nullReads !== undefined)
    throw refused('--null-reads is for --model register, cas-register and multi-register')
  const checkers = await Promise.all(entries.map(async (entry) => ({ entry, ...(await entry.load()) })))
  if (consistencyModel !== undefined) refuseModels(checkers, consistencyModel)
  refuseUnknownOptions(settings.options ?? {}, checkers)
  const questions = checkers.map(({ entry, check, options: known }) => {
    const options = { ...settings.options, consistencyModels: consistencyModel }
    const ask: Asked = (history, budget) => check(history, knownOf({ ...options, budget }, known))
    return [entry.name, ask] as const
  })
  const { perKey } = await import('../../checkers/compose.ts')
  const ask = await combined(questions)
  if (partition === undefined || partition === 'none') return ask
  return (history, budget) => perKey((part) => ask(part, budget))(history)
}

/** A consistency model is asked of transactions, by checkers that take it. */
function refuseModels(
  checkers: readonly (LoadedChecker & { readonly entry: CheckerEntry })[],
  models: readonly string[],
): void {
  const without = checkers.find(({ options }) => !Object.hasOwn(options, 'consistencyModels'))
  if (without === undefined) return
  const { name, family } = without.entry
  const instead = family === 'isolation' ? '; the level is the question' : ''
  throw refused(`${name} takes no consistency model, so that ${models.join(', ')} means nothing${instead}`)
}

async function objectQuestion(name: string, settings: CheckSettings): Promise<Asked> {
  const asked = settings.consistencyModel ?? ['linearizable']
  const conditions = await Promise.all(
    asked.map(async (each) => {
      const entry = named('consistency model of an object', CONSISTENCY, each)
      return { entry, ...(await entry.load()) }
    }),
  )
  const own = isModelFile(name)
  const entry = own ? undefined : named('model', MODELS, name)
  const loaded = await entry?.load()
  for (const condition of conditions) refuseForeign(condition, name)
  if (!own) refuseUnknownOptions(settings.options ?? {}, [...conditions, loaded!])
  const model = await modelOf(name, loaded, conditions, settings)
  return conditionsOf(conditions, model, settings)
}

/** Conditions on registers make no sense for a queue. */
const REGISTERS: ReadonlySet<string> = new Set(['register', 'cas-register', 'map'])

function refuseForeign({ entry }: { readonly entry: ConsistencyEntry }, model: string): void {
  if (entry.of === 'any model' || REGISTERS.has(model)) return
  throw refused(
    `${entry.name} is a condition on reads and writes; --model must be ${[...REGISTERS].join(', ')}`,
  )
}

async function modelOf(
  name: string,
  loaded: LoadedModel | undefined,
  conditions: readonly LoadedConsistency[],
  { options = {}, initial, nullReads }: CheckSettings,
): Promise<AnyModel> {
  if (loaded === undefined) {
    const conditional = new Set(conditions.flatMap((condition) => Object.keys(condition.options)))
    const rest = Object.entries(options).filter(([option]) => !conditional.has(option))
    return loadOwnModel(name, { ...Object.fromEntries(rest), ...given({ initial }) })
  }
  const { make, options: known } = loaded
  if (initial !== undefined && !Object.hasOwn(known, 'initial'))
    throw refused(`the model ${name} takes no initial state`)
  if (nullReads !== undefined && !Object.hasOwn(known, 'nullReadMatchesAll'))
    throw refused('--null-reads is for --model register, cas-register and multi-register')
  return make({
    ...knownOf(options, known),
    ...given({ initial, nullReadMatchesAll: nullReads === 'any' ? true : undefined }),
  })
}

async function conditionsOf(
  conditions: readonly (LoadedConsistency & { readonly entry: ConsistencyEntry })[],
  model: AnyModel,
  settings: CheckSettings,
): Promise<Asked> {
  const { partition, initial, options = {}, nullReads } = settings
  const common = { ...options, partition: partition === 'tuple' ? 'key' : partition, initial }
  const guarantees = conditions.filter(({ options: known }) => Object.hasOwn(known, 'guarantees'))
  const others = conditions.filter((condition) => !guarantees.includes(condition))
  const questions = others.map(({ entry, check, options: known }) => {
    if (nullReads === 'any' && entry.of === 'registers')
      throw refused(`--null-reads any has no meaning for ${entry.name}, which must know what each read saw`)
    const ask: Asked = (history, budget) => check(history, model, knownOf({ ...common, budget }, known))
    return [entry.name, ask] as const
  })
  if (guarantees.length > 0) {
    // Guarantees may hold one by one and contradict each other together, so they are one question.
    const names = guarantees.map(({ entry }) => entry.name as SessionGuarantee)
    const [{ check, options: known }] = guarantees
    const ask: Asked = (history, budget) =>
      check(history, model, { guarantees: names, ...knownOf({ ...common, budget }, known) })
    questions.push(['session-guarantees', ask] as const)
  }
  return combined(questions)
}

/** All questions share one budget. */
async function combined(questions: readonly (readonly [string, Asked])[]): Promise<Asked> {
  if (questions.length === 1) return questions[0][1]
  const { combine } = await import('../../checkers/compose.ts')
  return (history, budget) => {
    const asked = questions.map(
      ([name, ask]) => [name, (part: History): CheckResult => ask(part, budget)] as const,
    )
    return combine(Object.fromEntries(asked))(history)
  }
}

function named<Entry extends CheckerEntry | ConsistencyEntry | (typeof MODELS)[number]>(
  what: string,
  catalogue: readonly Entry[],
  name: string,
): Entry {
  const entry = entryNamed(catalogue, name)
  if (entry !== undefined) return entry
  const known = catalogue.map((one) => one.name)
  throw refused(`there is no ${what} ${JSON.stringify(name)}${didYouMean(name, known)}`)
}

const LIMIT_FLAGS: Readonly<Record<string, string>> = { timeoutWallMs: '--timeout', memoryMb: '--memory' }

/** An option must be known to at least one part of the question; each part gets those that it knows. */
function refuseUnknownOptions(
  options: GivenOptions,
  parts: readonly (LoadedChecker | LoadedModel | LoadedConsistency)[],
): void {
  const known = new Set(parts.flatMap((part) => Object.keys(part.options)))
  // They are of the whole command, or an object that only code can give.
  for (const name of ['budget', ...Object.keys(LIMIT_FLAGS)]) known.delete(name)
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(LIMIT_FLAGS, name))
      throw refused(`--options: ${name} is a limit of the whole command: say ${LIMIT_FLAGS[name]}`)
    if (known.has(name)) continue
    const rest = known.size === 0 ? '; there are none here' : didYouMean(name, [...known])
    throw refused(`--options: there is no option "${name}"${rest}`)
  }
}

function knownOf(values: GivenOptions, known: Readonly<Record<string, unknown>>): GivenOptions {
  return given(Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(known, name))))
}

/** Without what was not said, so that defaults apply. */
function given(values: GivenOptions): GivenOptions {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

function refused(message: string): UsageError {
  return new UsageError('ERR_WAVETANK_CHECK_QUESTION', `check: ${message}`)
}

/** Questions that fit a history, by the functions that it has. */
const FITTING: readonly (readonly [needs: readonly string[], question: string])[] = [
  [['txn'], '--workload list-append or rw-register'],
  [['send', 'poll'], '--workload kafka'],
  [['transfer', 'read'], '--workload bank'],
  [['cas'], '--model cas-register'],
  [['write', 'read'], '--model register'],
  [['get', 'put'], '--model map'],
  [['add', 'read'], '--workload set-full, set, counter or pn-counter'],
  [['broadcast', 'read'], '--workload broadcast'],
  [['enqueue', 'dequeue'], '--model queue, --workload queue or total-queue'],
  [['acquire', 'release'], '--model mutex or --workload lock'],
  [['append', 'read'], '--model log or --workload prefix'],
  [['generate'], '--workload unique-ids'],
]

/** The error for a command that asks nothing, with the questions that fit the history. */
export function nothingAsked(history: History): UsageError {
  const fitting = FITTING.filter(([needs]) => needs.every((f) => history.functions.includes(f)))
  const hint =
    fitting.length === 0 ? '--help lists all' : `try ${fitting.map(([, question]) => question).join('; ')}`
  const functions = history.functions.slice(0, 20).map((f) => (f.length > 40 ? `${f.slice(0, 39)}…` : f))
  return refused(
    `say with --workload, --isolation or --model what the history is of. It has the functions ${functions.join(', ')}: ${hint}`,
  )
}
