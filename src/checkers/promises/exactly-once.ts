/**
 * Did every accepted request take effect exactly once?
 *
 * Requests and effects are matched by a *business key* (an order number, a payment id), never by the operation's own
 * id: a retry is a new operation with the same business key, and must not take effect again. The key is the
 * operation's `key`, or its input when it has none.
 *
 * `submit` asks; `effect` is recorded when the system does it (a row, a message, a charge), as an operation of its
 * own or read at the end as a list (`read`). Two effects are a duplicate whatever the submits' outcomes. An
 * acknowledged submit without effect is lost, unless an effect of unknown outcome may be it. An effect that no client asked
 * for, or whose every submit failed, is unexpected.
 */
import { FAIL, INFO, OK, type History } from '../../history/history.ts'
import { show, valueKey, type ValueKey } from '../../history/value.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { byKeyRead, finalReads } from '../final-reads.ts'
import { checkOptions, named, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { scopeOf } from '../scope.ts'

export interface ExactlyOnceOptions {
  readonly submit?: string
  readonly effect?: string
  readonly read?: string
}

export const EXACTLY_ONCE_OPTIONS: OptionSchema<ExactlyOnceOptions> = {
  submit: named('asks for an effect', 'submit'),
  effect: named('records an effect', 'effect'),
  read: named('lists all effects at the end', 'read'),
}

interface Request {
  readonly name: unknown
  readonly submits: number[]
  acknowledged: boolean
  /** Whether some submit of it may have happened. */
  possible: boolean
  readonly effects: number[]
  unknownEffects: number
}

export interface ExactlyOnceDetails {
  readonly requests: number
  /** Anomalies found, by type; `anomalies` keeps the first few of each. */
  readonly counts: Readonly<Record<string, number>>
}

export function exactlyOnce(
  history: History,
  options: ExactlyOnceOptions = {},
): CheckResult<ExactlyOnceDetails> {
  checkOptions('exactly-once', EXACTLY_ONCE_OPTIONS, options)
  const { submit = 'submit', effect = 'effect', read = 'read' } = options
  const requests = new Map<ValueKey, Request>()
  const requestOf = (name: unknown): Request => {
    const key = valueKey(name)
    let request = requests.get(key)
    if (request === undefined) {
      request = { name, submits: [], acknowledged: false, possible: false, effects: [], unknownEffects: 0 }
      requests.set(key, request)
    }
    return request
  }
  let observed = false
  for (let i = 0; i < history.length; i++) {
    const f = history.functions[history.f[i]]
    if (f !== submit && f !== effect) continue
    const request = requestOf(history.keys[history.key[i]] ?? history.input[i])
    if (f === submit) {
      request.submits.push(history.id[i])
      if (history.type[i] !== FAIL) request.possible = true
      if (history.type[i] === OK && history.timedOut[i] !== 1) request.acknowledged = true
    } else {
      observed = true
      if (history.type[i] === OK) request.effects.push(history.id[i])
      if (history.type[i] === INFO) request.unknownEffects++
    }
  }
  const recorded = observed
  for (const [{ position }] of byKeyRead(finalReads(history, [submit, effect], read))) {
    if (recorded || !Array.isArray(history.output[position])) continue
    observed = true
    for (const name of history.output[position] as unknown[])
      requestOf(name).effects.push(history.id[position])
  }
  const found = new AnomalyCollector()
  for (const request of requests.values()) judge(request, found)
  return conclude({
    checker: 'exactly-once',
    scope: scopeOf(history, [submit, effect, read]),
    checks: observed ? [...requests.values()].filter(isCheckable).length : 0,
    anomalies: observed ? found.anomalies : [],
    doubt: observed
      ? null
      : `nothing shows what took effect: no ${effect} operations and no final ${read} of a list`,
    details: { requests: requests.size, counts: found.counts },
  })
}

/** Failed and unknown operations say nothing alone. */
function isCheckable({ acknowledged, effects }: Request): boolean {
  return acknowledged || effects.length > 0
}

function judge(request: Request, found: AnomalyCollector): void {
  const { name, submits, acknowledged, possible, effects, unknownEffects } = request
  if (effects.length > 1) {
    const message = () =>
      `${show(name)} took effect ${effects.length} times (submitted ${submits.length} times)`
    found.add('duplicated', [...submits, ...effects], message)
  }
  if (effects.length > 0 && submits.length === 0) {
    found.add('unexpected', effects, () => `${show(name)} took effect, but no client asked for it`)
  } else if (effects.length > 0 && !possible) {
    found.add(
      'failed-but-done',
      [...submits, ...effects],
      () => `${show(name)} took effect, but every submit of it failed`,
    )
  }
  if (acknowledged && effects.length === 0 && unknownEffects === 0) {
    found.add('lost', submits, () => `${show(name)} was acknowledged and never took effect`)
  }
}
