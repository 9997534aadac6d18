/**
 * Checkers that ask for one anomaly only, whatever the isolation level: does a transaction contradict itself, is a
 * committed update built on an aborted one, is an update lost? They look at list-append and register transactions.
 */
import type { History } from '../../history/history.ts'
import type { CheckResult } from '../result.ts'
import { listAppend } from './list-append.ts'
import { rwRegister } from './rw-register.ts'
import type { TransactionDetails } from './verdict.ts'

/** Each read agrees with what its own transaction read and wrote before. */
export function internalConsistency(history: History): CheckResult<TransactionDetails> {
  return only(history, 'internal-consistency', ['internal', 'future-read'])
}

/** No committed append is built on one that was aborted. Registers overwrite, so only lists can show it. */
export function dirtyUpdate(history: History): CheckResult<TransactionDetails> {
  return only(history, 'dirty-update', ['dirty-update'])
}

/** No two committed transactions update a key from the same version of it. */
export function lostUpdate(history: History): CheckResult<TransactionDetails> {
  return only(history, 'lost-update', ['lost-update'])
}

function only(
  history: History,
  checker: string,
  anomalies: readonly string[],
): CheckResult<TransactionDetails> {
  const check = isListAppend(history) ? listAppend : rwRegister
  const result = check(history, { consistencyModels: [], anomalies })
  const found = result.anomalies.filter(({ type }) => anomalies.includes(type))
  const verdict = found.length > 0 ? 'invalid' : result.checks === 0 ? 'unknown' : 'valid'
  const reason = verdict === 'unknown' ? 'there was nothing to check' : null
  return {
    ...result,
    checker,
    verdict,
    reason,
    anomalies: found,
    method: 'each transaction, and each key, by itself',
  }
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
