/**
 * The cluster under an operator's hands, among real processes: servers leave it and join it again (`membership`), and a
 * script strikes the server that leads.
 *
 *     npx wavetank real test raft-operated --nodes 5 --nemesis membership,script
 */
import { simulation, type ProcessIdentity, type WorkloadContext } from 'wavetank'
import { RaftClient, RequestError } from './client.js'
import { raftCluster } from './raft-cluster.ts'
import { CLUSTER, memberOf } from './raft-workload.ts'

/** A change waits for the one before it. */
const TRIES = 20
const TRY_MS = 250

type Change = (client: RaftClient, host: string) => Promise<unknown>

async function change(change: Change, { host }: ProcessIdentity, { hosts }: WorkloadContext): Promise<void> {
  const servers = hosts.raft.map((each) => memberOf(each).api)
  const client = new RaftClient({ cluster: CLUSTER, servers, attemptMs: 1000, totalMs: 5000 })
  try {
    for (let tries = 1; ; tries++) {
      try {
        await change(client, host)
        return
      } catch (error) {
        const code = error instanceof RequestError ? error.code : null
        if (code === 'no-change') return // the clients of the workload change the members as well
        if (code === null || tries === TRIES) throw error
        await new Promise((resolve) => setTimeout(resolve, TRY_MS))
      }
    }
  } finally {
    client.close()
  }
}

export default simulation('raft-operated', {
  ...raftCluster(),
  roles: { leader: ({ events }) => events.last('elected')?.source ?? null },
  membership: {
    leave: (server, context) => change((client, host) => client.removeMember(host), server, context),
    join: (server, context) =>
      change((client, host) => client.addMember({ id: host, ...memberOf(host) }), server, context),
  },
  script: [
    { fault: 'reboot', with: { kind: 'kill' }, target: { role: 'leader' }, atMs: 1000, forMs: 500 },
    { fault: 'pause', target: { role: 'leader' }, after: 'elected', nth: 2, delayMs: 300, forMs: 1000 },
    { fault: 'mass-restart', atMs: 5000, forMs: 500 },
  ],
})
