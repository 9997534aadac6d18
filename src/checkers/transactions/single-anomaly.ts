/**
 * Checkers that ask for one anomaly only, whatever the isolation level: does a transaction contradict itself, is a
 * committed update built on an aborted one, is an update lost? They look at list-append and register transactions, and
 * do not know where a limit was reached or a value does not tell who wrote it.
 */
import { OK, type History } from '../../history/history.ts'
import { Budget, type BudgetOptions } from '../budget.ts'
import { checkOptions, LIMIT_OPTIONS, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { listAppend } from './list-append.ts'
import { rwRegister } from './rw-register.ts'
import { NO_DEPENDENCY, type TransactionDetails } from './verdict.ts'

export const SINGLE_ANOMALY_OPTIONS: OptionSchema<BudgetOptions> = LIMIT_OPTIONS

/** Each read agrees with what its own transaction read and wrote before. */
export function internalConsistency(
  history: History,
  options: BudgetOptions = {},
): CheckResult<TransactionDetails> {
  return only(history, 'internal-consistency', ['internal', 'future-read'], options)
}

/** No committed append is built on one that was aborted. Registers overwrite, so only lists can show it. */
export function dirtyUpdate(history: History, options: BudgetOptions = {}): CheckResult<TransactionDetails> {
  return only(history, 'dirty-update', ['dirty-update'], options)
}

/** No two committed transactions update a key from the same version of it. */
export function lostUpdate(history: History, options: BudgetOptions = {}): CheckResult<TransactionDetails> {
  return only(history, 'lost-update', ['lost-update'], options)
}

function only(
  history: History,
  checker: string,
  anomalies: readonly string[],
  options: BudgetOptions,
): CheckResult<TransactionDetails> {
  checkOptions(checker, SINGLE_ANOMALY_OPTIONS, options)
  const budget = Budget.of(options)
  const asked = { budget, consistencyModels: [], anomalies }
  // An order of all transactions is not the question.
  const result = isListAppend(history)
    ? listAppend(history, asked)
    : rwRegister(history, { ...asked, search: false })
  const found = result.anomalies.filter(({ type }) => anomalies.includes(type))
  // Where there are no dependencies, each transaction can still be looked at.
  const open = result.reason === NO_DEPENDENCY ? null : result.reason
  const { scope, details } = result
  return conclude({
    checker,
    scope,
    checks: history.type.includes(OK) ? result.checks : 0,
    anomalies: found,
    doubt: budget.reason ?? open,
    method: 'each transaction, and each key, by itself',
    details,
  })
}

/** Whether the first write in the history is an append. */
function isListAppend(history: History): boolean {
  for (const input of history.input) {
    if (!Array.isArray(input)) continue
    for (const micro of input as unknown[]) {
      if (!Array.isArray(micro)) continue
      if (micro[0] === 'append') return true
      if (micro[0] === 'w') return false
    }
  }
  return false
}
