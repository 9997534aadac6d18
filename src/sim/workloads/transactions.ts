/**
 * Ready workloads of transactions, each with its checker: bank transfers, appends to lists, writes to registers. A
 * transaction that surely did not commit ends with `fail()`.
 */
import {
  bank as bankChecker,
  listAppend as lists,
  rwRegister as registers,
} from '../../checkers/transactions/index.ts'
import type { Workload } from '../authoring/definition.ts'
import type { RunningOperation } from '../authoring/operations.ts'
import { mix, op, type Turn } from './generators.ts'
import { uniform, type Keys } from './keys.ts'
import { aFunction, listOf, number, text, type Expectation } from '../../kernel/expectation.ts'
import { checkKit, workloadOf, type KitOptions } from './kit.ts'

type Answer<T = unknown> = T | Promise<T>

export interface BankClient<Client> extends KitOptions<Client> {
  /** The accounts that the system begins with, and what they hold together. */
  readonly accounts: readonly string[]
  readonly total: number
  /** Calls `fail()` if there is not enough money. */
  transfer(client: Client, from: string, to: string, amount: number, operation: RunningOperation): Answer
  /** All balances by account. */
  read(client: Client, operation: RunningOperation): Answer<Readonly<Record<string, number>>>
}

/** A bank: every read of all accounts sees the same total, and no balance is below zero. */
export function bank<Client>(options: BankClient<Client>): Workload<Client> {
  const { accounts, total } = options
  const transfer = ({ rng }: Turn): { input: unknown } => {
    const [from, to] = rng.shuffle(accounts)
    return { input: { from, to, amount: rng.between(1, 5) } }
  }
  checkKit('bank', options, {
    transfer: aFunction,
    read: aFunction,
    accounts: listOf(text),
    total: number(0),
  })
  return workloadOf(options, {
    name: 'bank',
    generator: mix([1, op('read')], [2, op('transfer', transfer)]),
    answers: { read: balances },
    acts: {
      read: (client, _, operation) => options.read(client, operation),
      transfer: (client, { input }, operation) => {
        const { from, to, amount } = input as { from: string; to: string; amount: number }
        return options.transfer(client, from, to, amount, operation)
      },
    },
    final: [{ f: 'read', input: 'final' }],
    check: (history) => bankChecker(history, { accounts, total }),
  })
}

function balances(): Expectation {
  return {
    expected: 'the balances by account, each a number',
    isMet: (answer) =>
      typeof answer === 'object' &&
      answer !== null &&
      !Array.isArray(answer) &&
      Object.values(answer).every((balance) => typeof balance === 'number'),
  }
}

/** `['r', key, null]`, `['append', key, value]` or `['w', key, value]`; in an answer reads have what they saw. */
export type MicroOperation = readonly [kind: 'r' | 'append' | 'w', key: number, value: unknown]

export interface TransactionClient<Client> extends KitOptions<Client> {
  /** Three keys, equally likely, by default. */
  readonly keys?: Keys
  /** Runs all of it as one transaction, and answers the same with reads filled in. */
  txn(
    client: Client,
    transaction: readonly MicroOperation[],
    operation: RunningOperation,
  ): Answer<readonly MicroOperation[]>
}

/** Transactions that append to lists and read them; they must be strictly serializable. */
export function listAppend<Client>(options: TransactionClient<Client>): Workload<Client> {
  return transactional('listAppend', options, 'append', (history) => lists(history))
}

/** Transactions that read and write registers; they must be strictly serializable. */
export function rwRegister<Client>(options: TransactionClient<Client>): Workload<Client> {
  return transactional('rwRegister', options, 'w', (history) => registers(history))
}

function transactional<Client>(
  name: string,
  options: TransactionClient<Client>,
  write: 'append' | 'w',
  check: (history: Parameters<typeof lists>[0]) => ReturnType<typeof lists>,
): Workload<Client> {
  const { keys = uniform(3) } = options
  const transaction = ({ rng, client, index }: Turn): { input: MicroOperation[] } => {
    const length = rng.between(1, 4)
    const input = Array.from({ length }, (_, i): MicroOperation => {
      const key = keys(rng)
      return rng.below(2) === 0 ? ['r', key, null] : [write, key, (client * 10_000 + index) * 10 + i]
    })
    return { input }
  }
  checkKit(name, options, { txn: aFunction }, { keys: aFunction })
  return workloadOf(options, {
    name,
    generator: op('txn', transaction),
    answers: { txn: ({ input }) => filledIn(input as readonly MicroOperation[], write) },
    acts: {
      txn: (client, { input }, operation) => options.txn(client, input as MicroOperation[], operation),
    },
    check,
  })
}

/** The same operations in the same order; a read has a value or null, of a list the list that it saw. */
function filledIn(asked: readonly MicroOperation[], write: 'append' | 'w'): Expectation {
  const isFilled = (found: unknown, [kind, key]: MicroOperation): boolean => {
    if (!Array.isArray(found) || found[0] !== kind || found[1] !== key) return false
    const [, , seen] = found as readonly unknown[]
    if (kind !== 'r' || seen === null) return true
    return write === 'append' ? Array.isArray(seen) : seen !== undefined
  }
  const form = write === 'append' ? 'the list that it saw' : 'the value that it saw'
  return {
    expected: `the same operations, each read with ${form}, or null`,
    isMet: (answer) =>
      Array.isArray(answer) &&
      answer.length === asked.length &&
      asked.every((each, i) => isFilled(answer[i], each)),
  }
}
