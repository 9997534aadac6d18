/** A semaphore: `acquire n` takes permits (1 without input), `release n` gives them back; never more than there are. */
import { ILLEGAL, type Model } from '../model.ts'
import { checkOptions, count, required, type OptionSchema } from '../../options.ts'

export interface SemaphoreOptions {
  readonly permits: number
}

export const SEMAPHORE_OPTIONS: OptionSchema<SemaphoreOptions> = {
  permits: required(count('how many may hold it at once')),
}

export function semaphore(options: SemaphoreOptions): Model<number> {
  checkOptions('models.semaphore', SEMAPHORE_OPTIONS, options)
  const { permits } = options
  return {
    name: 'semaphore',
    functions: ['acquire', 'release'],
    partition: 'key',
    anonymous: true,
    init: () => 0,
    step: (taken, { f, input, output, type }) => {
      const count = typeof input === 'number' ? input : 1
      if (f === 'release') return taken >= count ? taken - count : ILLEGAL
      const possible = taken + count <= permits
      if (type === 'ok' && output === false) return possible ? ILLEGAL : taken
      return possible ? taken + count : ILLEGAL
    },
    readOnly: ({ f, output, type }) => f === 'acquire' && type === 'ok' && output === false,
    describeState: (taken) => `${taken} of ${permits} taken`,
  }
}
