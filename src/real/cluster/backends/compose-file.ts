/**
 * The compose file of a run: a container per node, with the Debian packages of the systems, in a network of the run's
 * own. The image is named by its contents: it is built once and stays. Containers do nothing by themselves; nodes are started in them, so that a node can be killed and its disk stays.
 */
import { createHash } from 'node:crypto'
import { stringify } from 'yaml'
import type { RealSystem } from '../../../sim/authoring/real-system.ts'
import { installs } from '../../doctor/examination.ts'
import { line } from './shell-words.ts'

const IMAGE = 'debian:12'
/** For evidence and faults: setsid and setpriv are in the image, nft, ss and kill's companions are not. */
const TOOLS = ['nftables', 'iproute2', 'procps']

export interface ComposeNetwork {
  readonly subnet: string
  /** This tool's own address in the network, as Docker gives it. */
  readonly gateway: string
  address(node: number): string
}

/** A network that two runs at once seldom share: its numbers come from the run's name. */
export function networkOf(run: string): ComposeNetwork {
  const [high, low] = createHash('sha256').update(run).digest()
  const start = `10.${128 + (high % 120)}.${low}`
  return { subnet: `${start}.0/24`, gateway: `${start}.1`, address: (node) => `${start}.${node + 1}` }
}

export function composeFile(run: string, nodes: readonly string[], systems: readonly RealSystem[]): string {
  const network = networkOf(run)
  const commands = [
    ['apt-get', 'update'],
    ['apt-get', 'install', '-y', '--no-install-recommends', ...TOOLS],
    ...systems.flatMap(installs),
  ]
  const dockerfile = [
    `FROM ${IMAGE}`,
    'ENV DEBIAN_FRONTEND=noninteractive',
    // Packages of servers start them at once, unless this says no.
    String.raw`RUN printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d`,
    `RUN ${[...new Set(commands.map(line))].join(' && ')}`,
    '',
  ].join('\n')
  const service = (index: number): object => ({
    image: `wavetank-nodes:${createHash('sha256').update(dockerfile).digest('hex').slice(0, 12)}`,
    build: { context: '.', dockerfile_inline: dockerfile },
    hostname: nodes[index],
    command: ['sleep', 'infinity'],
    init: true,
    cap_add: ['NET_ADMIN'],
    networks: { nodes: { ipv4_address: network.address(index + 1) } },
    labels: { 'wavetank.run': run },
  })
  return stringify({
    name: `wavetank-${run}`,
    services: Object.fromEntries(nodes.map((name, index) => [name, service(index)])),
    networks: {
      nodes: { driver: 'bridge', ipam: { config: [{ subnet: network.subnet, gateway: network.gateway }] } },
    },
  })
}
