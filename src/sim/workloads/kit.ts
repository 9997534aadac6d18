/**
 * How a ready workload is made: a generator says what each client does next, `act` does it with the user's client, and
 * a checker judges the history. An error that the client throws means that the outcome is unknown; `fail()` says that
 * the operation surely did not happen.
 *
 * A client that answers in a form that its checker does not know, such as a text in place of a list, would be judged for
 * what it never said. So a form that cannot be meant ends the run as a mistake of the simulation.
 */
import { inspect } from 'node:util'
import type { CheckResult } from '../../checkers/result.ts'
import { History, type HistoryColumns, type HistoryTables } from '../../history/history.ts'
import { UsageError } from '../../kernel/errors.ts'
import { aFunction, checkFields, number, type Expectation, type Fields } from '../../kernel/expectation.ts'
import type { ClientContext, Workload } from '../authoring/definition.ts'
import type { RunningOperation } from '../authoring/operations.ts'
import { WORKLOAD } from '../authoring/validation.ts'
import type { Asked, Generator, Next } from './generators.ts'

/** What every ready workload takes besides the client's own functions. */
export interface KitOptions<Client> extends Pick<
  Workload<Client>,
  'clients' | 'operations' | 'spanMs' | 'settled'
> {
  /** Makes the client of one user of the system, while no fault is in force. */
  readonly connect: NonNullable<Workload<Client>['open']>
  /** Virtual milliseconds after which the outcome of an operation is unknown; 5,000 by default. */
  readonly timeoutVirtualMs?: number
}

export type Act<Client> = (client: Client, asked: Asked, operation: RunningOperation) => unknown

/** What a client must answer, by the operation that was asked for; anything where it is not said. */
export type Answers = Readonly<Record<string, (asked: Asked) => Expectation>>

export interface Recipe<Client> {
  /** For messages; `workloadOf` by default. */
  readonly name?: string
  readonly generator: Generator
  /** By the name of the operation. */
  readonly acts: Readonly<Record<string, Act<Client>>>
  readonly answers?: Answers
  /** What each client is asked for at the end, when the system is at rest. */
  readonly final?: readonly Asked[]
  readonly check: (history: History) => CheckResult
  /**
   * Whether an operation belongs to the client, not to its process. A client goes on under a new process number when an
   * outcome is unknown; the system knows it as the same client, which may release what it acquired before.
   */
  readonly byClient?: boolean
}

const TIMEOUT_MS = 5000

export function workloadOf<Client>(options: KitOptions<Client>, recipe: Recipe<Client>): Workload<Client> {
  const { connect, timeoutVirtualMs = TIMEOUT_MS, clients, operations, spanMs, settled } = options
  const { name = 'workloadOf', acts, answers = {} } = recipe
  let next: Next = () => null
  let opened = 0
  const perform = async (context: ClientContext<Client>, asked: Asked): Promise<void> => {
    const { f, key, input } = asked
    if (!Object.hasOwn(acts, f))
      throw new TypeError(`${name}(): '${f}' is asked for, and acts has only ${Object.keys(acts).join(', ')}`)
    const outcome = await context.operation(f, { key, input, timeoutVirtualMs }, (operation) =>
      acts[f](context.state, asked, operation),
    )
    if (outcome.type !== 'ok' || !Object.hasOwn(answers, f)) return
    const { expected, isMet } = answers[f](asked)
    if (!isMet(outcome.value)) throw new TypeError(wrongAnswer(name, f, expected, outcome.value))
  }
  return {
    ...(clients !== undefined && { clients }),
    ...(operations !== undefined && { operations }),
    ...(spanMs !== undefined && { spanMs }),
    ...(settled !== undefined && { settled }),
    setup() {
      next = recipe.generator.begin()
      opened = 0
    },
    open(context) {
      opened++
      return connect(context)
    },
    async run(context) {
      const asked = next(context)
      if (asked === null) return
      if (asked.delayMs !== undefined && asked.delayMs > 0) await pause(asked.delayMs)
      await perform(context, asked)
    },
    async final(context) {
      for (const asked of recipe.final ?? []) await perform(context, asked)
    },
    check: ({ history }) => recipe.check(recipe.byClient === true ? byClient(history, opened) : history),
  }
}

function wrongAnswer(name: string, f: string, expected: string, answer: unknown): string {
  const got = inspect(answer, { depth: 2, breakLength: Infinity, maxStringLength: 80, maxArrayLength: 5 })
  return `${name}(): the client must answer '${f}' with ${expected}, and answered ${got}; if the system said that, let the client throw`
}

const KIT: Fields<KitOptions<unknown>> = {
  connect: aFunction,
  timeoutVirtualMs: number(0),
  clients: WORKLOAD.clients,
  operations: WORKLOAD.operations,
  spanMs: WORKLOAD.spanMs,
  settled: WORKLOAD.settled,
}

/** Refuses options of a ready workload that cannot be meant; `own` must be there, `optional` may be. */
export function checkKit(name: string, options: object, own: Fields, optional: Fields = {}): void {
  const complain = (what: string): UsageError => new UsageError('ERR_WAVETANK_OPTIONS', `${name}(): ${what}`)
  checkFields(options, { ...KIT, ...own, ...optional }, '', complain, {
    required: ['connect', ...Object.keys(own)],
    renamed: { timeoutMs: 'timeoutVirtualMs' },
  })
}

/** The same history with clients in place of processes, which are numbered client, client + clients, and so on. */
function byClient(history: History, clients: number): History {
  const processes = Array.from({ length: clients }, (_, client) => client)
  const process = history.process.map((at) => Number(history.processes[at]) % clients)
  const columns: HistoryColumns = history
  const tables: HistoryTables = history
  return new History({ ...columns, process }, { ...tables, processes })
}

/** The workload's process is running: its timers are the simulated ones. */
function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs))
}
