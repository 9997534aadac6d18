import { describe, expect, it } from 'vitest'
import { CLIENT_HOST } from '../../proxy/proxy.ts'
import { PacketNetwork } from './packet-network.ts'

/** Machines that keep the rules they are given, and count as many packets per rule as the test says. */
function machines(sparedPort = 0): {
  network: PacketNetwork
  rules: (node: string) => string[]
  count: (rule: string, packets: number) => void
} {
  const scripts = new Map<string, string>()
  const packets = new Map<string, number>()
  const addresses: Readonly<Record<string, string>> = {
    a: '10.0.0.1',
    b: '10.0.0.2',
    [CLIENT_HOST]: '10.0.0.254',
  }
  const rules = (node: string): string[] =>
    (scripts.get(node) ?? '').split('\n').filter((line) => line.startsWith('ip '))
  const network = new PacketNetwork({
    table: 'run',
    address: (name) => addresses[name],
    sparedPort: () => sparedPort,
    command(node, [program, flag], input) {
      if (program === 'ss') return 'ESTAB 0 0 10.0.0.1:1 10.0.0.2:2\nESTAB 0 0 10.0.0.1:3 10.0.0.2:2\n'
      if (flag === '-f') {
        scripts.set(node, input)
        for (const rule of packets.keys()) if (input.includes(`"${rule}"`)) packets.set(rule, 0)
        return ''
      }
      const listed = rules(node).map((line) => {
        const comment = /"(.*)"/.exec(line)?.[1] ?? ''
        return {
          rule: { comment, expr: [{ counter: { packets: packets.get(comment) ?? 0 } }, { drop: null }] },
        }
      })
      return JSON.stringify({ nftables: [{ metainfo: {} }, ...listed] })
    },
  })
  return { network, rules, count: (rule, count) => void packets.set(rule, count) }
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 200))

describe('a network of packet filters', () => {
  it('drops the packets of a cut link where they arrive, and no others', () => {
    const { network, rules } = machines()
    network.change([network.link('a', 'b')], { cut: true })
    expect(rules('b')).toEqual(['ip saddr 10.0.0.1  counter drop comment "held a b"'])
    expect(rules('a')).toEqual([])
    network.heal()
    expect(rules('b')).toEqual([])
  })

  it('drops packets to the clients where they leave, and spares the port of its own connections', () => {
    const { network, rules } = machines(22)
    network.change([network.link('a', CLIENT_HOST), network.link(CLIENT_HOST, 'a')], { cut: true })
    expect(rules('a').sort()).toEqual([
      'ip daddr 10.0.0.254  counter drop comment "held a workload"',
      'ip daddr 10.0.0.254 tcp sport 22 accept',
      'ip saddr 10.0.0.254  counter drop comment "held workload a"',
      'ip saddr 10.0.0.254 tcp dport 22 accept',
    ])
  })

  it('adds up what the kernel counts, also when rules are written again', async () => {
    const { network, count } = machines()
    const link = network.link('a', 'b')
    network.change([link], { cut: true })
    count('held a b', 3)
    await settled()
    expect(network.counts([link]).held).toBe(3)
    count('held a b', 5)
    network.change([link], { loss: 0.5 })
    expect(link.counts.held).toBe(5)
    count('held a b', 1)
    count('lost a b', 2)
    await settled()
    expect(network.counts([link])).toMatchObject({ held: 6, lost: 2 })
  })

  it('counts nothing for a rule that no packet has met', async () => {
    const { network } = machines()
    const link = network.link('a', 'b')
    network.change([link], { cut: true })
    await settled()
    expect(network.counts([link]).held).toBe(0)
  })

  it('counts the connections that a reset has broken', () => {
    const { network } = machines()
    expect(network.link('a', 'b').reset()).toBe(2)
    expect(network.link('a', 'b').counts.resets).toBe(2)
  })

  it('refuses weather that a packet filter does not have', () => {
    const { network } = machines()
    expect(() => network.change([network.link('a', 'b')], { reorder: 0.5 })).toThrow(/packet filter/)
  })
})
