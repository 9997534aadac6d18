/** Network faults of the catalogue: cuts, and what links do to packets. */
import type { TankFault, FaultParameter } from '../catalogue.ts'

function percent(least: number, most: number, of: string): FaultParameter {
  return { name: 'percent', unit: '%', drawn: { least, most }, text: `share of packets that are ${of}` }
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
        drawn: { of: ['isolate', 'halves'] },
        text: 'one host alone, or two random sides',
      },
      {
        name: 'mode',
        unit: '',
        drawn: { of: ['drop', 'defer'] },
        text: 'packets vanish, or wait until the cut heals',
      },
    ],
    mechanism: 'Every link between the two sides is cut; the host of the workload stands on one of them.',
    landing: 'packets dropped or held back on those links',
    cleanup: 'The cut is healed; TCP retransmits what it still has.',
    cannot: 'It needs the budget `partitions`. It knows no leader and cuts no loopback.',
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
    ],
    mechanism: 'A delay is added to the latency of the links.',
    landing: 'packets that were sent on the slow links',
    cannot: 'The delay does not vary within an episode.',
  },
  {
    ...ON_LINKS,
    name: 'loss',
    text: 'A share of all packets vanishes.',
    parameters: [percent(10, 30, 'lost')],
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
    ],
    mechanism: 'Packets wait in a queue until those before them have passed.',
    landing: 'packets that were sent on the narrow links',
    cannot: 'The queue has no limit: it drops nothing.',
  },
  {
    ...ON_LINKS,
    name: 'reorder',
    text: 'Packets overtake each other.',
    parameters: [percent(10, 50, 'held back')],
    mechanism:
      'A packet is held back by a random delay. TCP puts the stream in order again; datagrams stay as they come.',
    landing: 'packets that were held back',
    cannot: 'A TCP program sees it only as delay.',
  },
  {
    ...ON_LINKS,
    name: 'duplicate',
    text: 'Datagrams arrive twice.',
    parameters: [percent(10, 50, 'duplicated')],
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
    parameters: [percent(1, 10, 'damaged')],
    mechanism: 'One bit of a packet is flipped, of TCP and of UDP.',
    landing: 'packets that were damaged',
    cannot: 'It needs the budget `byzantineLinks`, and forges no messages.',
  },
]
