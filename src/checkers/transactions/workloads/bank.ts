/**
 * Does every read of all accounts show the same total, as snapshot isolation demands?
 *
 * `read` gives a map from account to balance; transfers only move money, so its total never changes (*wrong-total*).
 * Accounts must be the expected ones (*unexpected-account*, *missing-account*), balances numbers (*no-balance*) and,
 * unless allowed, not below zero (*negative-balance*). Without `total` or `accounts` the first read says what to
 * expect. Totals of integers are compared exactly, whatever their size; totals of fractions may differ by their rounding.
 * What transfers did to single accounts is not looked at; `rwRegister` does that.
 */
import { OK, type History } from '../../../history/history.ts'
import { show } from '../../../history/value.ts'
import { isAmount, minus, plus, roundingOf, sameAmount, type Amount } from '../../amount.ts'
import { AnomalyCollector } from '../../anomaly-collector.ts'
import { checkOptions, anything, flag, number, type OptionSchema } from '../../options.ts'
import { conclude, type CheckResult } from '../../result.ts'
import { positionsOf, scopeOf } from '../../scope.ts'

export interface BankOptions {
  /** What all accounts hold together. */
  readonly total?: number | undefined
  readonly accounts?: readonly (string | number)[] | undefined
  readonly negativeBalances?: boolean | undefined
}

export const BANK_OPTIONS: OptionSchema<BankOptions> = {
  total: number('what all accounts hold together; the first read says it otherwise'),
  accounts: anything('the list of accounts; the first read says it otherwise'),
  negativeBalances: flag('balances may be below zero'),
}

export interface BankDetails {
  readonly reads: number
  readonly total: Amount | null
  /** Anomalies found, by type; `anomalies` keeps the first few of each. */
  readonly counts: Readonly<Record<string, number>>
}

export function bank(history: History, options: BankOptions = {}): CheckResult<BankDetails> {
  checkOptions('bank', BANK_OPTIONS, options)
  const found = new AnomalyCollector()
  const reads = positionsOf(history, 'read').filter(
    (i) => history.type[i] === OK && balances(history.output[i]) !== null,
  )
  let total: Amount | undefined = options.total
  let accounts = options.accounts?.map(String)
  for (const i of reads) {
    const entries = balances(history.output[i])!
    accounts ??= entries.map(([account]) => account)
    total ??= sum(entries)
    checkRead(history, i, entries, { total, accounts, negative: options.negativeBalances ?? false }, found)
  }
  return conclude({
    checker: 'bank',
    scope: scopeOf(history, ['read', 'transfer']),
    checks: reads.length,
    anomalies: found.anomalies,
    details: { reads: reads.length, total: total ?? null, counts: found.counts },
  })
}

interface Expectation {
  readonly total: Amount
  readonly accounts: readonly string[]
  readonly negative: boolean
}

function checkRead(
  history: History,
  i: number,
  entries: readonly (readonly [string, unknown])[],
  { total, accounts, negative }: Expectation,
  found: AnomalyCollector,
): void {
  const id = history.id[i]
  const what = `operation ${id} read`
  const known = new Set(accounts)
  const seen = new Set<string>()
  for (const [account, balance] of entries) {
    seen.add(account)
    if (!known.has(account))
      found.add('unexpected-account', [id], () => `${what} account ${show(account)}, which was never opened`)
    if (!isAmount(balance)) {
      found.add(
        'no-balance',
        [id],
        () => `${what} ${show(balance)} as the balance of account ${show(account)}`,
      )
    } else if (balance < 0 && !negative) {
      found.add('negative-balance', [id], () => `${what} a balance of ${balance} in account ${show(account)}`)
    }
  }
  for (const account of accounts) {
    if (!seen.has(account))
      found.add('missing-account', [id], () => `${what} nothing about account ${show(account)}`)
  }
  const actual = sum(entries)
  if (!isSameTotal(actual, total, entries)) {
    found.add('wrong-total', [id], () => `${what} accounts of ${actual} together; there are ${total}`, {
      total: actual,
    })
  }
}

function sum(entries: readonly (readonly [string, unknown])[]): Amount {
  return amounts(entries).reduce(plus, 0)
}

function amounts(entries: readonly (readonly [string, unknown])[]): Amount[] {
  return entries.map(([, balance]) => balance).filter(isAmount)
}

function isSameTotal(
  actual: Amount,
  total: Amount,
  entries: readonly (readonly [string, unknown])[],
): boolean {
  if (sameAmount(actual, total)) return true
  const difference = Math.abs(Number(minus(actual, total)))
  return difference <= roundingOf([total, ...amounts(entries)])
}

/** A map from account to balance, or null for anything else. */
function balances(value: unknown): (readonly [string, unknown])[] | null {
  if (value instanceof Map)
    return [...value].map(([account, balance]) => [String(account), balance as unknown])
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : null
}
