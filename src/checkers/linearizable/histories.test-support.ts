/** Histories written out in tests. */
import { History } from '../../history/history.ts'
import type { HistoryEvent } from '../../history/operation.ts'

/** A history from lines `process type f value`, in order; `key:` before the value gives a key. */
export function history(
  ...lines: readonly (readonly [
    process: number,
    type: HistoryEvent['type'],
    f: string,
    value?: unknown,
    key?: unknown,
  ])[]
): History {
  return History.from(
    lines.map(([process, type, f, value = null, key = null]): HistoryEvent => ({
      process,
      type,
      f,
      value,
      key,
    })),
  )
}

/** Operations one after the other: [f, input, output]. */
export function sequence(
  ...calls: readonly (readonly [f: string, input?: unknown, output?: unknown])[]
): History {
  return History.from(
    calls.flatMap(([f, input = null, output = null]): HistoryEvent[] => [
      { process: 0, type: 'invoke', f, value: input },
      { process: 0, type: 'ok', f, value: output },
    ]),
  )
}
