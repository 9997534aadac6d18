/** A lock that does not know who holds it: `acquire` when free, `release` when held. An `acquire` that answered `false` saw it held. */
import { ILLEGAL, type Model } from '../model.ts'

export function mutex(): Model<boolean> {
  return {
    name: 'mutex',
    functions: ['acquire', 'release'],
    partition: 'key',
    anonymous: true,
    init: () => false,
    step: (held, { f, output, type }) => {
      if (f === 'acquire' && type === 'ok' && output === false) return held ? held : ILLEGAL
      return held === (f === 'acquire') ? ILLEGAL : f === 'acquire'
    },
    readOnly: ({ f, output, type }) => f === 'acquire' && type === 'ok' && output === false,
    describeState: (held) => (held ? 'held' : 'free'),
  }
}
