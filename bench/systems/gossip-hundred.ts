/** A hundred gossip members with the default interval, for a minute: at the end each must know all as alive. */
import { simulation } from 'wavetank'

const MEMBERS = 100
const REST_MS = 60_000

export default simulation('gossip of a hundred', {
  processes: {
    member: {
      entry: '../../examples/gossip/node.js',
      count: MEMBERS,
      args: ({ name, host, hosts }) => ['--id', name, '--host', host, '--join', `${hosts.member[0]}:7946`],
    },
  },
  workload: {
    clients: 1,
    operations: 1,
    run: () => {},
    async check({ hosts }) {
      for (const host of hosts.member) {
        const response = await fetch(`http://${host}:8080/members`)
        const { members } = (await response.json()) as { members: { status: string }[] }
        const alive = members.filter(({ status }) => status === 'alive').length
        if (alive !== MEMBERS) throw new Error(`${host} knows ${alive} members as alive, not ${MEMBERS}`)
      }
    },
  },
  restMs: REST_MS,
})
