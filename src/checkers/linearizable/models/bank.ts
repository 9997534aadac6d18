/**
 * Accounts with balances: `transfer {from, to, amount}` and `read` → all balances, or one account's when the read has
 * an account as input. A transfer that answered `false` was refused for lack of money. Balances never go below zero
 * unless `allowNegative`.
 */
import type { Operation } from '../../../history/operation.ts'
import { sameValue } from '../../../history/value.ts'
import { isAmount, minus, plus, type Amount } from '../../amount.ts'
import { ILLEGAL, type Illegal, type Model } from '../model.ts'
import { checkOptions, flag, record, required, type OptionSchema } from '../../options.ts'

export interface BankOptions {
  readonly initial: Readonly<Record<string, number>>
  readonly allowNegative?: boolean
}

export const BANK_OPTIONS: OptionSchema<BankOptions> = {
  initial: required(record('balances before everything, by account')),
  allowNegative: flag('balances may be below zero'),
}

type Balances = Readonly<Record<string, Amount>>

interface Transfer {
  readonly from: string | number
  readonly to: string | number
  readonly amount: Amount
}

export function bank(options: BankOptions): Model<Balances> {
  checkOptions('models.bank', BANK_OPTIONS, options)
  const { initial, allowNegative = false } = options
  return {
    name: 'bank',
    functions: ['transfer', 'read'],
    inputs: { transfer: { needs: 'an object {from, to, amount}', accepts: isTransfer } },
    anonymous: true,
    init: () => ({ ...initial }),
    step: (state, operation) =>
      operation.f === 'read' ? read(state, operation) : transfer(state, operation, allowNegative),
    readOnly: ({ f, output, type }) => f === 'read' || (type === 'ok' && output === false),
  }
}

function isTransfer(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false
  const { from, to, amount } = input as Record<string, unknown>
  const named = [from, to].every((account) => typeof account === 'string' || typeof account === 'number')
  return named && isAmount(amount)
}

function read(state: Balances, { input, output, type }: Operation): Balances | Illegal {
  if (type === 'info') return state
  const seen = typeof input === 'string' || typeof input === 'number' ? (state[String(input)] ?? null) : state
  return sameValue(seen, output ?? null) ? state : ILLEGAL
}

function transfer(
  state: Balances,
  { input, output, type }: Operation,
  allowNegative: boolean,
): Balances | Illegal {
  const { from, to, amount } = input as Transfer
  const possible =
    Object.hasOwn(state, from) && Object.hasOwn(state, to) && (allowNegative || state[from] >= amount)
  if (type === 'ok' && possible === (output === false)) return ILLEGAL
  if (!possible || from === to) return state
  return { ...state, [from]: minus(state[from], amount), [to]: plus(state[to], amount) }
}
