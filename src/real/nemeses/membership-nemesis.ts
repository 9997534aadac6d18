/** A member leaves the cluster and joins it again, as the simulation says an operator does it. */
import { UsageError } from '../../kernel/errors.ts'
import type { RealNemesis } from './nemesis.ts'

const TRIES = 60
const TRY_MS = 500

export const membership: RealNemesis = {
  name: 'membership',
  family: 'membership',
  group: 'cluster',
  text: 'a node leaves the cluster and joins it again',
  variants: ['one'],
  prepare({ members }) {
    if (members !== null) return
    throw new UsageError(
      'ERR_WAVETANK_NEMESIS',
      'wavetank real: membership needs `membership: { leave, join }` in the simulation: how a node leaves and joins',
    )
  },
  async begin({ members, living, rng }) {
    const [node] = rng.shuffle(living)
    if (node === undefined || members === null) return null
    const refusal = await problemOf(members.leave(node))
    return {
      text: `${node.name} leaves the cluster`,
      targets: [node.name],
      async end() {
        let problem: string | null = null
        for (let tries = 0; tries < TRIES; tries++) {
          problem = await problemOf(members.join(node))
          if (problem === null) break
          await new Promise((resolve) => setTimeout(resolve, TRY_MS))
        }
        const joined = problem === null ? 'and join' : `and join, which failed ${TRIES} times: ${problem}`
        return {
          injector: `membership.leave ${refusal === null ? '' : `(which failed: ${refusal}) `}${joined}`,
          victim: refusal === null ? `the cluster let ${node.name} go` : null,
        }
      },
    }
  },
}

async function problemOf(change: Promise<void>): Promise<string | null> {
  try {
    await change
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
