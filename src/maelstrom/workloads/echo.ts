/** echo: a node answers with what it was sent. */
import { isDeepStrictEqual } from 'node:util'
import { OK } from '../../history/history.ts'
import { show } from '../../history/value.ts'
import { isRecord } from '../protocol/envelope.ts'
import { ECHO } from '../protocol/rpcs.ts'
import { NOTHING_IDEMPOTENT, type Workload } from './workload.ts'

const TEXTS = 128

export const echo: Workload = {
  rpcs: ECHO,
  idempotent: NOTHING_IDEMPOTENT,
  generator: (_, decisions) => () => ({
    f: 'echo',
    value: `Please echo ${decisions.below(TEXTS, 'generator')}`,
  }),
  invoke: ({ rpc }, { value }) => rpc({ type: 'echo', echo: value }),
  check(history) {
    const errors: unknown[] = []
    let answered = 0
    for (let i = 0; i < history.length; i++) {
      if (history.type[i] !== OK) continue
      answered++
      const { input, output } = history.operation(i)
      const echoed = isRecord(output) ? output.echo : undefined
      if (!isDeepStrictEqual(echoed, input))
        errors.push(['Expected a message with :echo', input, 'But received', output])
    }
    const findings = errors.map((error) => `wrong-echo: ${show(error, 300)}`)
    if (answered === 0) return { 'valid?': 'unknown', errors, findings: ['unknown: nothing was answered'] }
    return { 'valid?': errors.length === 0, errors, ...(errors.length === 0 ? {} : { findings }) }
  },
}
