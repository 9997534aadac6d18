/** Why a history cannot carry a verdict; empty if it can. */
import type { Evidence } from '../evidence/evidence.ts'
import { ALWAYS_NEEDED, NEEDED_BY_MODEL, type HistoryField } from '../model/history-fields.ts'
import type { Question } from './question.ts'

export function historyWeaknesses(question: Question, { history, operations }: Evidence): string[] {
  if (history === null) return ['no history was recorded']
  const why: string[] = []
  const counted = operations.reduce((sum, { ok, fail, info }) => sum + ok + fail + info, 0)
  if (history.operations === 0) why.push('the history is empty')
  else if (history.operations < counted)
    why.push(`the history has ${history.operations} of the ${counted} operations that the workload counted`)
  if (history.truncated) why.push('the history is truncated')
  if (history.clock === 'wall') why.push('times come from wall clocks, which differ between processes')
  if (history.reusedIds > 0) why.push(`${history.reusedIds} operations share an id: a bug of the recorder`)
  if (history.outputsOfTimeouts > 0)
    why.push(
      `${history.outputsOfTimeouts} operations of unknown outcome have an output: a bug of the recorder`,
    )
  const absent = neededFields(question).filter((field) => (history.fields[field] ?? 'absent') === 'absent')
  if (absent.length > 0) why.push(`the history lacks ${absent.join(', ')}`)
  return why
}

export function neededFields({ model, historyFields, nemeses }: Question): HistoryField[] {
  return [
    ...new Set([
      ...ALWAYS_NEEDED,
      ...(model === null ? [] : NEEDED_BY_MODEL[model]),
      ...historyFields,
      ...(nemeses.length > 0 ? (['fault_epoch'] as const) : []),
    ]),
  ]
}
