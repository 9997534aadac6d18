/** unique-ids: every generated id is a new one, whatever it looks like. */
import { uniqueIds as check } from '../../checkers/objects/unique-ids.ts'
import { keyText } from '../../history/value.ts'
import { UNIQUE_IDS } from '../protocol/rpcs.ts'
import { findings, validity } from './judgement.ts'
import { NOTHING_IDEMPOTENT, type Workload } from './workload.ts'

export const uniqueIds: Workload = {
  rpcs: UNIQUE_IDS,
  idempotent: NOTHING_IDEMPOTENT,
  reusable: true,
  generator: () => () => ({ f: 'generate', value: null }),
  invoke: async ({ rpc }) => (await rpc({ type: 'generate' })).id,
  check(history) {
    const result = check(history)
    const { attempted, acknowledged, duplicated = [], duplicatedCount, range } = result.details
    return {
      'valid?': validity(result),
      'attempted-count': attempted,
      'acknowledged-count': acknowledged,
      'duplicated-count': duplicatedCount,
      duplicated: Object.fromEntries(duplicated.map(([id, count]) => [keyText(id), count])),
      range,
      ...findings(result),
    }
  },
}
