/** Clients that read and write one register through quorums of its replicas; the history must be linearizable. */
import { sometimes, type Workload } from 'wavetank'
import { linearizable, models } from 'wavetank/checkers'
import { RegisterClient } from './register-client.js'

export function workload(quorumOf: (replicas: number) => number): Workload<RegisterClient> {
  return {
    clients: [2, 4],
    operations: [5, 15],
    open: ({ hosts, client }) => new RegisterClient(hosts.replica, client + 1, quorumOf),

    async run({ client, index, state: register, rng, operation }) {
      if (rng.weighted({ read: 1, write: 1 }) === 'read') {
        const outcome = await operation('read', () => register.read())
        sometimes(outcome.type === 'ok' && outcome.value !== null, 'a read finds something')
      } else {
        const value = client * 1000 + index // no value is written twice
        await operation('write', { input: value }, () => register.write(value))
      }
    },

    async final({ state: register, operation }) {
      await operation('read', () => register.read())
    },

    check: ({ history }) => linearizable(history, models.register()),
  }
}
