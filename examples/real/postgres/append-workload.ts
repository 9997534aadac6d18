/**
 * Transactions of reads and appends to lists, at a level of isolation. A list is a row; an append is one statement. What
 * the lists hold in the end, and what transactions saw, shows which of them can be put into one order.
 */
import { fail, type Workload } from 'wavetank'
import { transactions } from 'wavetank/checkers'
import { PostgresClient, SqlError } from './postgres-client.ts'

export type Isolation = 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE'

type MicroOperation = readonly ['r', number, readonly number[] | null] | readonly ['append', number, number]

const KEYS = 4
/** A list goes out of use before it gets long: reads of long lists slow everything down. */
const WRITES_PER_KEY = 30
let appended = 0

interface State {
  client: PostgresClient | null
  readonly host: string
}

/** What the level promises, in the checker's words. */
const MODELS: Readonly<Record<Isolation, string>> = {
  'READ COMMITTED': 'read-committed',
  'REPEATABLE READ': 'snapshot-isolation',
  SERIALIZABLE: 'serializable',
}

/** `promised`: what to check for; what the level itself promises by default. */
export function appends(isolation: Isolation, promised = MODELS[isolation]): Workload<State> {
  return {
    clients: 8,
    async setup({ hosts }) {
      const client = await PostgresClient.open(hosts.postgres[0])
      await client.query('CREATE TABLE lists (key int PRIMARY KEY, value text NOT NULL)')
      client.close()
    },
    open: ({ hosts }) => ({ client: null, host: hosts.postgres[0] }),
    async run({ state, rng, operation }) {
      const first = Math.floor(appended / WRITES_PER_KEY)
      const wanted = Array.from({ length: rng.between(2, 4) }, (): MicroOperation => {
        const key = first + rng.below(KEYS)
        return rng.chance(0.5) ? ['append', key, ++appended] : ['r', key, null]
      })
      await operation('txn', { input: wanted, timeoutVirtualMs: 5000 }, () =>
        transact(state, isolation, wanted),
      )
    },
    check: ({ history }) => transactions.listAppend(history, { consistencyModels: [promised] }),
  }
}

async function transact(
  state: State,
  isolation: Isolation,
  wanted: readonly MicroOperation[],
): Promise<MicroOperation[]> {
  const client = (state.client ??= await PostgresClient.open(state.host))
  const done: MicroOperation[] = []
  try {
    await client.query(`BEGIN ISOLATION LEVEL ${isolation}`)
    for (const each of wanted) done.push(await perform(client, each))
    await client.query('COMMIT')
    return done
  } catch (error) {
    if (!(error instanceof SqlError)) {
      state.client = null
      throw error
    }
    await client.query('ROLLBACK')
    return fail(error.message) // the server has refused it: it did not happen
  }
}

async function perform(client: PostgresClient, [kind, key, value]: MicroOperation): Promise<MicroOperation> {
  if (kind === 'append') {
    await client.query(
      `INSERT INTO lists VALUES (${key}, '${value}') ON CONFLICT (key) DO UPDATE SET value = lists.value || ',${value}'`,
    )
    return ['append', key, value]
  }
  const [row] = await client.query(`SELECT value FROM lists WHERE key = ${key}`)
  return ['r', key, row === undefined ? null : row[0]!.split(',').map(Number)]
}
