/**
 * A lease with fencing tokens, and the resource that it guards: `acquire` → a token larger than any before,
 * `renew token`, `release token` (answer `false`: it was no longer yours), `write [token, value]` (answer `false`:
 * fenced off, a larger token was seen), `read` → the value.
 *
 * With `expires` (the default) a lease may run out at any moment: then `acquire` is always possible, and a `renew` may
 * be refused at any time, after which the lease is gone. Without it, `acquire` needs the lease to be free.
 * An `acquire` of unknown outcome got some unknown token larger than those before it.
 */
import type { Operation } from '../../../history/operation.ts'
import { keyText, sameValue, show } from '../../../history/value.ts'
import { ILLEGAL, PAIR, type Illegal, type Model } from '../model.ts'
import { anything, checkOptions, flag, type OptionSchema } from '../../options.ts'

export interface LeaseOptions {
  readonly expires?: boolean
  readonly initial?: unknown
}

export const LEASE_OPTIONS: OptionSchema<LeaseOptions> = {
  expires: flag('a lease may run out; true by default'),
  initial: anything('the value of the guarded resource before any write; null by default'),
}

interface LeaseState {
  /** Token of the holder; null when free, '?' when the holder never learned it. */
  readonly holder: number | '?' | null
  readonly lastToken: number | null
  /** Largest token that the resource has seen. */
  readonly fence: number | null
  readonly value: unknown
}

export function lease(options: LeaseOptions = {}): Model<LeaseState> {
  checkOptions('models.lease', LEASE_OPTIONS, options)
  const { expires = true, initial = null } = options
  return {
    name: 'lease',
    functions: ['acquire', 'renew', 'release', 'write', 'read'],
    inputs: { write: { needs: 'a pair [token, value]', accepts: PAIR.accepts } },
    partition: 'key',
    anonymous: true,
    init: () => ({ holder: null, lastToken: null, fence: null, value: initial }),
    step: (state, operation) => {
      switch (operation.f) {
        case 'acquire':
          return acquire(state, operation, expires)
        case 'write':
          return write(state, operation)
        case 'read':
          return operation.type === 'info' || sameValue(state.value ?? null, operation.output ?? null)
            ? state
            : ILLEGAL
        default:
          return keep(state, operation, expires)
      }
    },
    readOnly: ({ f, output, type }) => f === 'read' || (f === 'write' && type === 'ok' && output === false),
    describeState: ({ holder, lastToken, fence, value }) =>
      `holder ${keyText(holder ?? 'none')}, last token ${keyText(lastToken ?? 'none')}, fence ${keyText(fence ?? 'none')}, value ${show(value)}`,
  }
}

function acquire(state: LeaseState, { output, type }: Operation, expires: boolean): LeaseState | Illegal {
  const free = state.holder === null || expires
  if (type === 'info') return free ? { ...state, holder: '?' } : ILLEGAL
  if (output === false) return state.holder !== null ? state : ILLEGAL
  if (!free || typeof output !== 'number') return ILLEGAL
  return state.lastToken !== null && output <= state.lastToken
    ? ILLEGAL
    : { ...state, holder: output, lastToken: output }
}

/** `renew` keeps the lease, `release` gives it up; both only for the holder. */
function keep(
  state: LeaseState,
  { f, input, output, type }: Operation,
  expires: boolean,
): LeaseState | Illegal {
  const mine = state.holder !== null && state.holder === input
  const freed = { ...state, holder: null }
  if (type === 'ok' && output === false) {
    if (!mine) return state
    return expires ? freed : ILLEGAL
  }
  if (!mine) return type === 'ok' ? ILLEGAL : state
  return f === 'release' ? freed : state
}

function write(state: LeaseState, { input, output, type }: Operation): LeaseState | Illegal {
  const [token, value] = input as readonly [number, unknown]
  const fenced = state.fence !== null && token < state.fence
  if (type === 'ok' && fenced !== (output === false)) return ILLEGAL
  return fenced ? state : { ...state, fence: token, value }
}
