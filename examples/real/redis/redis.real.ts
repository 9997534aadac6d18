/**
 * Elements that Redis acknowledged, and lost: replication is asynchronous, so what a primary took after it was cut off
 * is gone when it comes back as a replica of its successor. Without a fault nothing is lost.
 *
 *     npx wavetank real test redis --nemesis partition:primaries --time-limit 20 --nemesis-interval 8
 */
import { simulation, type Workload } from 'wavetank'
import { objects } from 'wavetank/checkers'
import { isAtRest, primary, processes, stateOf, type PrimaryState } from './primary.ts'

const workload: Workload<PrimaryState> = {
  clients: 6,
  open: stateOf,
  async run({ client, index, state, operation }) {
    const element = client * 1_000_000 + index
    await operation('add', { input: element }, async () => {
      await (await primary(state)).send('SADD', 'elements', element)
    })
  },
  settled: isAtRest,
  async final({ client, state, operation }) {
    if (client !== 0) return
    state.connection?.close()
    state.connection = null
    await operation('read', async () => {
      const found = (await (await primary(state)).send('SMEMBERS', 'elements')) as readonly string[]
      return found.map(Number).sort((a, b) => a - b)
    })
  },
  check: ({ history }) => objects.set(history),
}

export default simulation('redis', {
  processes,
  workload,
})
