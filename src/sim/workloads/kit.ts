/**
 * How a ready workload is made: a generator says what each client does next, `act` does it with the user's client, and
 * a checker judges the history. An error that the client throws means that the outcome is unknown; `fail()` says that
 * the operation surely did not happen.
 */
import type { CheckResult } from '../../checkers/result.ts'
import { History, type HistoryColumns, type HistoryTables } from '../../history/history.ts'
import type { ClientContext, Workload } from '../authoring/definition.ts'
import type { RunningOperation } from '../authoring/operations.ts'
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

export interface Recipe<Client> {
  readonly generator: Generator
  /** By the name of the operation. */
  readonly acts: Readonly<Record<string, Act<Client>>>
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
  let next: Next = () => null
  let opened = 0
  const perform = (context: ClientContext<Client>, asked: Asked): Promise<unknown> => {
    const { f, key, input } = asked
    return context.operation(f, { key, input, timeoutVirtualMs }, (operation) =>
      recipe.acts[f](context.state, asked, operation),
    )
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
