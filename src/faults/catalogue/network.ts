/** Network faults of the catalogue: cuts, and what links do to packets. */
import type { TankFault, FaultParameter } from '../catalogue.ts'
import { PARTITION_SHAPES } from '../levels.ts'

function percent(least: number, most: number, of: string): FaultParameter {
  return { name: 'percent', unit: '%', drawn: { least, most }, text: `share of packets that are ${of}` }
}

const EVERYWHERE: FaultParameter = {
  name: 'everywhere',
  unit: '',
  drawn: { of: ['no', 'yes'] },
  text: 'whether it strikes all links: a quarter of the strikes do; an aimed fault with a target only if it says so',
}

/** What the families that change links have alike. */
const ON_LINKS = {
  group: 'network',
  cleanup: 'The links do again what the level and the other faults in force say.',
} as const

export const NETWORK_FAULTS: readonly TankFault[] = [
  {
    name: 'partition',
    group: 'network',
    text: 'Two groups of hosts cannot reach each other in either direction.',
    parameters: [
      {
        name: 'shape',
        unit: '',
        drawn: { of: PARTITION_SHAPES },
        text: 'which sides there are; `partitions` of the level says which shapes are drawn: sunny has the first two, stormy the first six, radioactive all',
      },
      {
        name: 'mode',
        unit: '',
        drawn: { of: ['drop', 'defer'] },
        text: 'packets vanish, or wait until the cut heals',
      },
    ],
    mechanism:
      'Every link between the sides is cut; the host of the workload stands on one of them. isolate: one host alone. halves: two random sides. minority, majority: that many of the system against all others. bridge: two sides and one host that sees both. majorities-ring: every host sees a majority, and no two the same. leader: the host of the leader alone. split-brain: two sides of the system, and clients reach both.',
    landing: 'packets dropped or held back on those links',
    cleanup: 'The cut is healed; TCP retransmits what it still has.',
    cannot:
      'It needs the budget `partitions`, and cuts no loopback. `leader` needs `roles.leader` of the simulation, a ring four hosts.',
  },
  {
    name: 'one-way-cut',
    group: 'network',
    text: 'Packets pass from one host to another in one direction only.',
    parameters: [],
    mechanism: 'One link is cut; the link back works.',
    landing: 'packets dropped on that link',
    cleanup: 'The cut is healed.',
    cannot: 'It needs the budget `partitions`, and cuts one pair of hosts at a time.',
  },
  {
    ...ON_LINKS,
    name: 'slow-link',
    text: 'Packets between two hosts, or everywhere, take longer by a constant.',
    parameters: [
      { name: 'latency', unit: 'µs', drawn: { least: 5000, most: 500_000 }, text: 'added to every packet' },
      EVERYWHERE,
    ],
    mechanism: 'A delay is added to the latency of the links.',
    landing: 'packets that were sent on the slow links',
    cannot: 'The delay does not vary within an episode.',
  },
  {
    ...ON_LINKS,
    name: 'loss',
    text: 'A share of all packets vanishes.',
    parameters: [percent(10, 30, 'lost'), EVERYWHERE],
    mechanism: 'Each packet is dropped with a probability; TCP sends it again, UDP does not.',
    landing: 'packets that were lost',
    cannot: 'Losses are independent of each other, not in bursts.',
  },
  {
    ...ON_LINKS,
    name: 'bandwidth',
    text: 'A link carries few bytes per second.',
    parameters: [
      {
        name: 'rate',
        unit: 'B/s',
        drawn: { of: ['1000000', '100000', '10000', '1000'] },
        text: 'what a link carries',
      },
      EVERYWHERE,
    ],
    mechanism: 'Packets wait in a queue until those before them have passed.',
    landing: 'packets that were sent on the narrow links',
    cannot: 'The queue has no limit: it drops nothing.',
  },
  {
    ...ON_LINKS,
    name: 'reorder',
    text: 'Packets overtake each other.',
    parameters: [percent(10, 50, 'held back'), EVERYWHERE],
    mechanism:
      'A packet is held back by a random delay. TCP puts the stream in order again; datagrams stay as they come.',
    landing: 'packets that were held back',
    cannot: 'A TCP program sees it only as delay.',
  },
  {
    ...ON_LINKS,
    name: 'duplicate',
    text: 'Datagrams arrive twice.',
    parameters: [percent(10, 50, 'duplicated'), EVERYWHERE],
    mechanism: 'A second copy of a datagram is delivered after a latency of its own.',
    landing: 'datagrams that were delivered twice',
    cannot: 'It strikes only links with a datagram socket at one end: TCP throws duplicates away.',
  },
  {
    name: 'reset',
    group: 'network',
    text: 'All connections of a host break at once, as when a middlebox forgets them.',
    parameters: [],
    mechanism: 'Both ends of each open connection see ECONNRESET.',
    landing: 'connections that were broken',
    cleanup: 'There is nothing to undo: programs may connect again at once.',
    cannot: 'It breaks all connections of the host, not some.',
  },
  {
    ...ON_LINKS,
    name: 'corrupt',
    text: 'Links damage packets, and no checksum notices.',
    parameters: [percent(1, 10, 'damaged'), EVERYWHERE],
    mechanism: 'One bit of a packet is flipped, of TCP and of UDP.',
    landing: 'packets that were damaged',
    cannot: 'It needs the budget `byzantineLinks`, and forges no messages.',
  },
  {
    ...ON_LINKS,
    name: 'latency-spike',
    text: 'Now and then a packet between two hosts takes very long.',
    parameters: [
      {
        name: 'spike',
        unit: 'µs',
        drawn: { least: 200_000, most: 2_000_000 },
        text: 'added to such a packet',
      },
      percent(5, 30, 'hit'),
    ],
    mechanism: 'A share of the packets gets the delay, each by a choice of its own.',
    landing: 'packets that were delayed',
    cannot: 'Packets of one TCP connection behind a late one wait for it; they are not lost.',
  },
  {
    ...ON_LINKS,
    name: 'slow-pairs',
    text: 'Every pair of hosts is slow in its own way: some are near, some are far.',
    parameters: [
      {
        name: 'farthest',
        unit: 'µs',
        drawn: { least: 50_000, most: 500_000 },
        text: 'added between the farthest',
      },
    ],
    mechanism:
      'Each pair gets one of five distances, from nothing to the farthest, for as long as the episode lasts.',
    landing: 'packets that were sent between hosts that are apart',
    cannot: 'A pair is equally far in both directions, and its distance does not vary.',
  },
  {
    name: 'clog',
    group: 'network',
    text: 'The links between two hosts hold everything back, and let it go when they are freed.',
    parameters: [],
    mechanism: 'Both links are cut and defer what is sent.',
    landing: 'packets that were held back',
    cleanup: 'The links are freed, and what they held arrives.',
    cannot: 'It needs the budget `partitions`; nothing is lost.',
  },
  {
    name: 'swizzle',
    group: 'network',
    text: 'Hosts are clogged one after the other, and freed in an order of its own.',
    parameters: [],
    mechanism:
      'Half of the hosts, two at least, are clogged one by one in the first half of the episode, and freed one by one in the second, each order by choice.',
    landing: 'packets of those hosts that were held back',
    cleanup: 'All hosts are freed, and what was held arrives.',
    cannot: 'It needs the budget `partitions` and two hosts.',
  },
  {
    name: 'refuse',
    group: 'network',
    text: 'A host refuses connections, as behind a firewall that rejects.',
    parameters: [],
    mechanism: 'Connections from other hosts are answered with a reset: ECONNREFUSED.',
    landing: 'connections that were refused',
    cleanup: 'The host lets connections in again.',
    cannot: 'Connections that are open go on, and datagrams pass.',
  },
  {
    name: 'connect-hang',
    group: 'network',
    text: 'Connecting to a host hangs, as behind a firewall that drops.',
    parameters: [],
    mechanism:
      'The first packet of a connection from another host vanishes; the client tries again as TCP does.',
    landing: 'first packets that vanished',
    cleanup: 'The host lets connections in again: a client that still tries gets through.',
    cannot: 'Connections that are open go on, and datagrams pass.',
  },
  {
    name: 'half-open',
    group: 'network',
    text: 'Open connections of a host are forgotten on the way: both ends believe in them, and nothing arrives.',
    parameters: [],
    mechanism:
      'Every packet of the connections that are open when it strikes vanishes; new connections work.',
    landing: 'packets that vanished',
    cleanup: 'The connections carry packets again: TCP sends what is missing.',
    cannot: 'It does not outlast the episode, and strikes only a host that has connections to others.',
  },
  {
    ...ON_LINKS,
    name: 'byzantine',
    text: 'What a host sends is not what its peers receive.',
    parameters: [
      {
        name: 'kind',
        unit: '',
        drawn: { of: ['duplicate', 'modify', 'replay', 'equivocate'] },
        text: 'twice, with another letter or digit, again later, or something else to half of the peers',
      },
    ],
    mechanism:
      'Links out of the host duplicate or replay datagrams (30 %), or replace a letter or digit by another one of its kind, in 20 % of the packets to all peers or in half of those to every other peer.',
    landing: 'packets that were duplicated, replayed or changed',
    cannot:
      'It needs the budget `byzantineLinks`. TCP hides duplicates and replays, so these strike datagrams only; it invents no whole messages.',
  },
]
