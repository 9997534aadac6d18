/**
 * Jepsen's independent histories: many objects in one history, whose values are pairs of key and value. `[k, v]`
 * becomes key `k` with value `v`, so that a history can be split by key.
 */
import { History } from './history.ts'
import { Interner } from './value.ts'

/** Takes every value that is a pair apart; operations with another value keep it, and their key. */
export function independent(history: History): History {
  const keys = new Interner()
  const length = history.length
  const key = new Int32Array(length)
  const input = [...history.input]
  const output = [...history.output]
  for (let i = 0; i < length; i++) {
    const asked = pair(input[i])
    const seen = pair(output[i])
    const name = asked ?? seen
    key[i] = keys.number(name === null ? history.keys[history.key[i]] : name[0])
    if (asked !== null) input[i] = asked[1]
    if (seen !== null) output[i] = seen[1]
  }
  const columns = { ...columnsOf(history), key, input, output }
  return new History(columns, { ...tablesOf(history), keys: keys.values })
}

function pair(value: unknown): [unknown, unknown] | null {
  return Array.isArray(value) && value.length === 2 ? (value as [unknown, unknown]) : null
}

function columnsOf(history: History): ConstructorParameters<typeof History>[0] {
  return history
}

function tablesOf(history: History): ConstructorParameters<typeof History>[1] {
  return history
}
