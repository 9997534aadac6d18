/**
 * A bank in PostgreSQL: transfers between accounts and reads of all balances, at three levels of isolation. A transfer
 * reads both balances and writes what it has computed, as programs do. At read committed money comes and goes; from
 * repeatable read on, the server refuses a transfer whose balance another has changed.
 *
 *     npx wavetank real test bank --workload bank-read-committed --rate 0 --time-limit 10
 */
import { fail, simulation } from 'wavetank'
import { bank } from 'wavetank/workloads'
import type { Isolation } from './append-workload.ts'
import { PostgresClient, SqlError } from './postgres-client.ts'
import { postgres } from './postgres.ts'

const ACCOUNTS = ['a', 'b', 'c', 'd', 'e']
const EACH = 20

/** A connection that is made again when it has been lost. */
class Teller {
  readonly #host: string
  readonly #isolation: Isolation
  #client: PostgresClient | null = null

  constructor(host: string, isolation: Isolation) {
    this.#host = host
    this.#isolation = isolation
  }

  async open(): Promise<void> {
    const client = await PostgresClient.open(this.#host)
    await client.query('CREATE TABLE accounts (name text PRIMARY KEY, balance int NOT NULL)')
    await client.query(
      `INSERT INTO accounts VALUES ${ACCOUNTS.map((name) => `('${name}', ${EACH})`).join(', ')}`,
    )
    client.close()
  }

  async transact<T>(body: (client: PostgresClient) => Promise<T>): Promise<T> {
    const client = (this.#client ??= await PostgresClient.open(this.#host))
    try {
      await client.query(`BEGIN ISOLATION LEVEL ${this.#isolation}`)
      const answer = await body(client)
      await client.query('COMMIT')
      return answer
    } catch (error) {
      if (error instanceof Poor || error instanceof SqlError) {
        await client.query('ROLLBACK')
        return fail(error.message) // it did not happen
      }
      this.#client = null
      throw error
    }
  }
}

class Poor extends Error {}

function tellers(isolation: Isolation): ReturnType<typeof bank<Teller>> {
  return bank<Teller>({
    clients: 8,
    accounts: ACCOUNTS,
    total: ACCOUNTS.length * EACH,
    async connect({ hosts, client }) {
      const teller = new Teller(hosts.postgres[0], isolation)
      if (client === 0) await teller.open() // clients are opened one after the other
      return teller
    },
    read: (teller) =>
      teller.transact(async (client) => {
        const rows = await client.query('SELECT name, balance FROM accounts')
        return Object.fromEntries(rows.map(([name, balance]) => [name!, Number(balance)]))
      }),
    transfer: (teller, from, to, amount) =>
      teller.transact(async (client) => {
        const balance = async (name: string): Promise<number> => {
          const [[found]] = await client.query(`SELECT balance FROM accounts WHERE name = '${name}'`)
          return Number(found)
        }
        const [left, right] = [(await balance(from)) - amount, (await balance(to)) + amount]
        if (left < 0) throw new Poor(`${from} has less than ${amount}`)
        await client.query(`UPDATE accounts SET balance = ${left} WHERE name = '${from}'`)
        await client.query(`UPDATE accounts SET balance = ${right} WHERE name = '${to}'`)
      }),
  })
}

const processes = { postgres: { system: postgres } }

export const readCommitted = simulation('bank-read-committed', {
  processes,
  workload: tellers('READ COMMITTED'),
})

export const repeatableRead = simulation('bank-repeatable-read', {
  processes,
  workload: tellers('REPEATABLE READ'),
})

export const serializable = simulation('bank-serializable', {
  processes,
  workload: tellers('SERIALIZABLE'),
})
