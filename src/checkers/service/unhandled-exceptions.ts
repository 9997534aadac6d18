/**
 * Which errors made outcomes unknown?
 *
 * Groups operations of unknown outcome by the kind of their error, most frequent first. It never finds anything
 * invalid: an unknown outcome is not a fault of the system, but the author of a workload should know which errors
 * were not handled as a definite `ok` or `fail`.
 */
import { INFO, type History } from '../../history/history.ts'
import { show } from '../../history/value.ts'
import { conclude, type CheckResult } from '../result.ts'
import { scopeOf } from '../scope.ts'

export interface UnhandledExceptionsDetails {
  /** The most frequent first. */
  readonly exceptions: readonly {
    readonly error: string
    readonly count: number
    /** Id of an operation that ended so. */
    readonly example: number
  }[]
}

export function unhandledExceptions(history: History): CheckResult<UnhandledExceptionsDetails> {
  const groups = new Map<string, { error: string; count: number; example: number }>()
  for (let i = 0; i < history.length; i++) {
    if (history.type[i] !== INFO) continue
    const error = kindOf(history.errors.get(i) ?? null)
    const group = groups.get(error)
    if (group === undefined) groups.set(error, { error, count: 1, example: history.id[i] })
    else group.count++
  }
  const exceptions = [...groups.values()].sort((a, b) => b.count - a.count)
  return conclude({
    checker: 'unhandled-exceptions',
    scope: scopeOf(history, history.functions),
    checks: history.length,
    anomalies: [],
    details: { exceptions },
  })
}

/** The name of an error: its first word where it is a list, its class or code where it is a record. */
function kindOf(error: unknown): string {
  if (error === null) return 'no error was recorded'
  if (Array.isArray(error)) return kindOf(error[0] ?? null)
  if (typeof error === 'string') return error
  const { code, name, type } = Object(error) as { code?: unknown; name?: unknown; type?: unknown }
  const kind = [code, name, type].find((value) => typeof value === 'string')
  return typeof kind === 'string' ? kind : show(error)
}
