/** NATS with JetStream as a system under test: a cluster from Debian's package `nats-server`. */
import type { RealSystem } from 'wavetank'

export const PORT = 4222
const CLUSTER_PORT = 6222
const MONITOR_PORT = 8222

/** A cluster of one has no leader to elect: it is configured without a cluster. */
export const nats: RealSystem = {
  name: 'NATS',
  needs: { 'nats-server': 'nats-server' },
  ports: [PORT, CLUSTER_PORT, MONITOR_PORT],
  start: ({ name, folder, listen, address, nodes }) => ({
    command: 'nats-server',
    args: ['--config', `${folder}/nats.conf`],
    files: {
      'nats.conf': `
server_name: ${name}
listen: ${listen}:${PORT}
http: ${listen}:${MONITOR_PORT}
jetstream { store_dir: "${folder}/store", max_memory_store: 64MB, max_file_store: 256MB }
${nodes.length === 1 ? '' : clusterOf(listen, address, nodes)}
`,
    },
  }),
  // It is healthy when JetStream has its leader and has caught up.
  ready: async ({ listen }) => (await fetch(`http://${listen}:${MONITOR_PORT}/healthz`)).ok,
  primaries: async (nodes) => {
    const asked = nodes.map(async ({ name, listen }) => {
      const answer = await fetch(`http://${listen}:${MONITOR_PORT}/jsz`)
      const { meta_cluster: meta } = (await answer.json()) as { meta_cluster?: { leader?: string } }
      return meta === undefined || meta.leader === name ? [name] : []
    })
    return (await Promise.all(asked.map((each) => each.catch(() => [])))).flat()
  },
}

function clusterOf(listen: string, address: string, nodes: readonly { readonly address: string }[]): string {
  return `cluster {
  name: wavetank
  listen: ${listen}:${CLUSTER_PORT}
  cluster_advertise: ${address}:${CLUSTER_PORT}
  no_advertise: true
  routes: [${nodes.map((node) => `nats-route://${node.address}:${CLUSTER_PORT}`).join(', ')}]
}`
}
