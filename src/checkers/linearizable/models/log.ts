/**
 * An append-only log: `append v` → its offset, `read offset` → the value there, null beyond the end; `read` without
 * input → the whole log. An append that answered no number did not learn its offset.
 */
import { sameValue } from '../../../history/value.ts'
import { ILLEGAL, type Model } from '../model.ts'
import { monitorLog } from '../monitors/log.ts'

export function log(): Model<readonly unknown[]> {
  return {
    name: 'log',
    functions: ['append', 'read'],
    partition: 'key',
    anonymous: true,
    init: () => [],
    step: (state, { f, input, output, type }) => {
      if (f === 'append') {
        return type === 'ok' && typeof output === 'number' && output !== state.length
          ? ILLEGAL
          : [...state, input]
      }
      if (type === 'info') return state
      const seen = typeof input === 'number' ? (state[input] ?? null) : state
      return sameValue(seen, output ?? null) ? state : ILLEGAL
    },
    readOnly: ({ f }) => f === 'read',
    overwrites: () => false,
    leadsTo: (state, { input, output }) => {
      if (typeof input === 'number') return input >= state.length
      return (
        Array.isArray(output) &&
        state.length <= output.length &&
        state.every((v, i) => sameValue(v, output[i]))
      )
    },
    monitor: monitorLog,
  }
}
