/**
 * A lock that its holder may take again: `acquire`, `release`, each by the operation's process. It is free after as
 * many releases as acquires. `maxHolds` bounds how often one process may hold it.
 */
import { ILLEGAL, type Model } from '../model.ts'
import { checkOptions, count, type OptionSchema } from '../../options.ts'

export interface ReentrantLockOptions {
  readonly maxHolds?: number
}

export const REENTRANT_LOCK_OPTIONS: OptionSchema<ReentrantLockOptions> = {
  maxHolds: count('how often its holder may acquire it; any number by default'),
}

interface Held {
  readonly owner: number | string | null
  readonly holds: number
}

const FREE: Held = { owner: null, holds: 0 }

export function reentrantLock(options: ReentrantLockOptions = {}): Model<Held> {
  checkOptions('models.reentrantLock', REENTRANT_LOCK_OPTIONS, options)
  const { maxHolds = Number.MAX_SAFE_INTEGER } = options
  return {
    name: 'reentrant-lock',
    functions: ['acquire', 'release'],
    partition: 'key',
    init: () => FREE,
    step: (state, { f, process, output, type }) => {
      const mine = state.holds > 0 && state.owner === process
      if (f === 'acquire') {
        const possible = (state.holds === 0 || mine) && state.holds < maxHolds
        if (type === 'ok' && output === false) return possible ? ILLEGAL : state
        return possible ? { owner: process, holds: state.holds + 1 } : ILLEGAL
      }
      if (!mine) return ILLEGAL
      return state.holds === 1 ? FREE : { owner: process, holds: state.holds - 1 }
    },
    readOnly: ({ f, output, type }) => f === 'acquire' && type === 'ok' && output === false,
    describeState: ({ owner, holds }) => (holds === 0 ? 'free' : `held ${holds} times by ${String(owner)}`),
  }
}
