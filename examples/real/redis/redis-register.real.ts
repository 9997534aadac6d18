/**
 * Registers on the primary: linearizable as long as the primary stays. A failover may lose writes that were acknowledged
 * (`redis.real.ts` shows it), but here a loss is seen only by a read that comes before the next write of the same key.
 *
 *     npx wavetank real test redis-register --nemesis partition:primaries --time-limit 20 --nemesis-interval 8
 */
import { fail, simulation } from 'wavetank'
import { register } from 'wavetank/workloads'
import { isAtRest, primary, processes, stateOf, type PrimaryState } from './primary.ts'

export default simulation('redis-register', {
  processes,
  workload: register<PrimaryState>({
    clients: 6,
    connect: stateOf,
    settled: isAtRest,
    async write(state, key, value) {
      const connection = await primary(state)
      try {
        await connection.send('SET', `register${key}`, value)
      } catch (error) {
        if (!(error as Error).message.startsWith('READONLY')) throw error
        connection.close() // it is a replica by now: Sentinel is asked again
        fail('the server is a replica')
      }
    },
    async read(state, key) {
      try {
        const found = await (await primary(state)).send('GET', `register${key}`)
        return found === null ? null : Number(found)
      } catch (error) {
        return fail((error as Error).message) // a read that gets no answer has done nothing
      }
    },
  }),
})
