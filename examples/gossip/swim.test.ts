import { describe, expect, it } from 'vitest'
import { overrides, type News } from './membership.js'
import { Rumours } from './rumours.js'
import { Suspicion, suspicionMinMs } from './suspicion.js'
import { Swim } from './swim.js'
import { VirtualCluster } from './virtual-cluster.test-support.ts'

const FIVE = ['a', 'b', 'c', 'd', 'e']

function allAlive(ids: readonly string[]): Record<string, string> {
  return Object.fromEntries(ids.map((id) => [id, 'alive']))
}

function expectAllAlive(cluster: VirtualCluster, ids: readonly string[]): void {
  for (const id of ids) expect([id, cluster.view(id)]).toEqual([id, allAlive(ids)])
}

describe('which news overrides which belief', () => {
  const STATUSES = ['alive', 'suspect', 'dead', 'left'] as const
  const news = (status: News['status'], incarnation: number): News => {
    return { id: 'x', address: 'x', status, incarnation }
  }

  // Rows: the belief at incarnation 1. Columns: the news, in the order of STATUSES.
  it.each([
    { belief: 'alive', same: [false, true, true, true] },
    { belief: 'suspect', same: [false, false, true, true] },
    { belief: 'dead', same: [false, false, false, true] },
    { belief: 'left', same: [false, false, false, false] },
  ] as const)('at the same incarnation, for $belief: only worse news', ({ belief, same }) => {
    expect(STATUSES.map((status) => overrides(news(status, 1), news(belief, 1)))).toEqual(same)
  })

  it.each(STATUSES)('an older incarnation never, a newer one always, for %s', (belief) => {
    for (const status of STATUSES) {
      expect(overrides(news(status, 0), news(belief, 1))).toBe(false)
      expect(overrides(news(status, 2), news(belief, 1))).toBe(true)
    }
  })

  it('any news, of a member that was unknown', () => {
    for (const status of STATUSES) expect(overrides(news(status, 0), undefined)).toBe(true)
  })
})

describe('the time of a suspect', () => {
  const begin = { accuser: 'a', nowMs: 1_000, minMs: 800 }

  it('is fixed without Lifeguard', () => {
    const suspicion = new Suspicion({ ...begin, lifeguard: false })
    expect(suspicion.deadlineMs).toBe(1_800)
    suspicion.confirm('b')
    expect(suspicion.deadlineMs).toBe(1_800)
  })

  it('begins at six times the least with Lifeguard, and three other accusers bring it down', () => {
    const suspicion = new Suspicion({ ...begin, lifeguard: true })
    const deadlines = [suspicion.deadlineMs]
    for (const accuser of ['b', 'c', 'd']) {
      expect(suspicion.confirm(accuser)).toBe(true)
      deadlines.push(suspicion.deadlineMs)
    }
    expect(deadlines[0]).toBe(1_000 + 6 * 800)
    expect(deadlines[1]).toBe(1_000 + 3.5 * 800)
    expect(deadlines[2]).toBeLessThan(deadlines[1])
    expect(deadlines[3]).toBeCloseTo(1_000 + 800)
    expect(suspicion.confirm('e')).toBe(false)
  })

  it('is not shortened by an accuser that repeats itself', () => {
    const suspicion = new Suspicion({ ...begin, lifeguard: true })
    expect(suspicion.confirm('a')).toBe(false)
    expect(suspicion.deadlineMs).toBe(1_000 + 6 * 800)
  })

  it('grows with the logarithm of the cluster', () => {
    const minMs = (size: number): number => suspicionMinMs({ size, probeIntervalMs: 100, factor: 4 })
    expect([minMs(2), minMs(10), minMs(100), minMs(1_000)]).toEqual([400, 400, 800, expect.closeTo(1_200)])
  })
})

describe('a rumour', () => {
  it('is sent a limited number of times, the least sent first', () => {
    const rumours = new Rumours(2)
    rumours.add('member x', { id: 'x' })
    expect(rumours.take(1_000, 5)).toEqual([{ id: 'x' }])
    rumours.add('member y', { id: 'y' })
    expect(rumours.take(12, 5)).toEqual([{ id: 'y' }]) // room for one
    rumours.take(1_000, 5)
    expect(rumours.isEmpty).toBe(true)
    expect(rumours.take(1_000, 5)).toEqual([])
  })

  it('takes the place of an older one about the same member', () => {
    const rumours = new Rumours(2)
    rumours.add('member x', { id: 'x', incarnation: 1 })
    rumours.add('member x', { id: 'x', incarnation: 2 })
    expect(rumours.take(1_000, 5)).toEqual([{ id: 'x', incarnation: 2 }])
  })

  it('waits when the packet has no room for it', () => {
    const rumours = new Rumours(2)
    rumours.add('message m', { id: 'm', data: 'x'.repeat(100) })
    expect(rumours.take(50, 5)).toEqual([])
    expect(rumours.isEmpty).toBe(false)
  })
})

describe('a cluster', () => {
  it('finds together, and no member is ever suspected while all is well', () => {
    const cluster = new VirtualCluster()
    cluster.start(...FIVE)
    cluster.runFor(60_000)
    expectAllAlive(cluster, FIVE)
    for (const events of cluster.events.values())
      expect(events.filter(({ status }) => status === 'suspect' || status === 'dead')).toEqual([])
  })

  it('is the same for the same seed', () => {
    const once = (seed: number): string => {
      const cluster = new VirtualCluster({ seed })
      cluster.start(...FIVE)
      cluster.runFor(20_000)
      return JSON.stringify([cluster.packets, [...cluster.events]])
    }
    expect(once(3)).toBe(once(3))
    expect(once(3)).not.toBe(once(4))
  })

  it('probes each member once before any twice', () => {
    const cluster = new VirtualCluster()
    cluster.start(...FIVE)
    cluster.runFor(1_000)
    const begin = cluster.packets.length
    cluster.runFor(40_000)
    const targets = cluster.packets
      .slice(begin)
      .filter(({ from, message }) => from === 'a' && message.type === 'ping')
      .map(({ to }) => to)
    // A round of 4 may be under way at the beginning: no window of 8 misses a member.
    for (let at = 0; at + 8 <= targets.length; at++) expect(new Set(targets.slice(at, at + 8)).size).toBe(4)
    expect(targets.length).toBeGreaterThan(30)
  })

  it('holds a member that was killed for dead, after it suspected it', () => {
    const cluster = new VirtualCluster()
    cluster.start(...FIVE)
    cluster.runFor(5_000)
    cluster.kill('e')
    cluster.runFor(60_000)
    for (const id of ['a', 'b', 'c', 'd']) {
      expect(cluster.view(id)).toEqual({ ...allAlive(FIVE), e: 'dead' })
      expect(cluster.firstMs(id, 'e', 'suspect')! < cluster.firstMs(id, 'e', 'dead')!).toBe(true)
    }
  })

  it('takes a member back that starts again, with a higher incarnation', () => {
    const cluster = new VirtualCluster()
    cluster.start(...FIVE)
    cluster.runFor(5_000)
    cluster.kill('e')
    cluster.runFor(60_000)
    cluster.start('e')
    cluster.runFor(15_000)
    expectAllAlive(cluster, FIVE)
    expect(
      cluster
        .node('a')
        .members()
        .find(({ id }) => id === 'e')?.incarnation,
    ).toBe(1)
  })

  it('lets a suspect refute: it lives on at the next incarnation', () => {
    const cluster = new VirtualCluster()
    cluster.start(...FIVE)
    cluster.runFor(5_000)
    const accusation = { id: 'e', address: 'e', incarnation: 0, status: 'suspect', accuser: 'b' }
    cluster.give('a', { type: 'gossip', from: 'b', address: 'b', rumours: [accusation] })
    expect(cluster.view('a').e).toBe('suspect')
    cluster.runFor(5_000)
    expectAllAlive(cluster, FIVE)
    expect(
      cluster
        .node('a')
        .members()
        .find(({ id }) => id === 'e')?.incarnation,
    ).toBe(1)
    expect(cluster.firstMs('a', 'e', 'dead')).toBeNull()
  })

  it('keeps a member alive that one other cannot reach, for helpers can', () => {
    const cluster = new VirtualCluster()
    cluster.start(...FIVE)
    cluster.runFor(5_000)
    cluster.part(['a'], ['e'])
    cluster.runFor(60_000)
    expect(cluster.packets.some(({ from, message }) => from === 'a' && message.type === 'ping-req')).toBe(
      true,
    )
    for (const events of cluster.events.values())
      expect(events.filter(({ status }) => status === 'dead')).toEqual([])
  })

  it.each([
    { lifeguard: false, leastMs: 4_000, mostMs: 5_000 },
    { lifeguard: true, leastMs: 24_000, mostMs: 25_000 },
  ])(
    'of two waits $leastMs ms when one is gone (Lifeguard: $lifeguard)',
    ({ lifeguard, leastMs, mostMs }) => {
      const cluster = new VirtualCluster({ config: { lifeguard } })
      cluster.start('a', 'b')
      cluster.runFor(5_000)
      cluster.kill('b')
      cluster.runFor(60_000)
      const waitedMs = cluster.firstMs('a', 'b', 'dead')! - cluster.firstMs('a', 'b', 'suspect')!
      expect(waitedMs).toBeGreaterThanOrEqual(leastMs)
      expect(waitedMs).toBeLessThan(mostMs)
    },
  )

  it('has a member that is cut off doubt itself with Lifeguard, and recover', () => {
    const cluster = new VirtualCluster()
    cluster.start(...FIVE)
    cluster.runFor(5_000)
    cluster.part(['a'], ['b', 'c', 'd', 'e'])
    cluster.runFor(4_000)
    expect(cluster.node('a').healthMultiplier).toBeGreaterThan(2)
    cluster.heal()
    cluster.runFor(120_000)
    expect(cluster.node('a').healthMultiplier).toBe(1)
  })

  it('asks helpers, and waits for them, when it wakes up after a pause', () => {
    const cluster = new VirtualCluster({ config: { lifeguard: false } })
    cluster.start(...FIVE)
    cluster.runFor(5_000)
    const node = cluster.node('a')
    // Until a probe has just been sent; then nothing happens for 3 s, and all timers are due at once.
    const pings = (): number =>
      cluster.packets.filter(({ from, message }) => from === 'a' && message.type === 'ping').length
    const before = pings()
    while (pings() === before) cluster.runFor(1)
    const begin = cluster.packets.length
    node.handleTimeout(cluster.nowMs + 3_000)
    cluster.drain('a')
    const sent = cluster.packets.slice(begin).map(({ message }) => message.type as string)
    expect(sent).toContain('ping-req')
    expect(sent).not.toContain('ping')
    expect(Object.values(cluster.view('a'))).not.toContain('suspect')
  })

  it.each([1, 2, 3, 4, 5])('finds together again after a long partition (seed %i)', (seed) => {
    const cluster = new VirtualCluster({ seed })
    cluster.start(...FIVE)
    cluster.runFor(5_000)
    cluster.part(['a', 'b'], ['c', 'd', 'e'])
    cluster.node('a').broadcast('left', 1, cluster.nowMs)
    cluster.node('c').broadcast('right', 2, cluster.nowMs)
    cluster.runFor(120_000)
    expect(cluster.view('a')).toEqual({ a: 'alive', b: 'alive', c: 'dead', d: 'dead', e: 'dead' })
    expect(cluster.view('e')).toEqual({ a: 'dead', b: 'dead', c: 'alive', d: 'alive', e: 'alive' })
    cluster.heal()
    cluster.runFor(60_000)
    expectAllAlive(cluster, FIVE)
    for (const id of FIVE)
      expect(
        cluster
          .node(id)
          .messages()
          .map((message: any) => message.id)
          .sort((a: string, b: string) => (a < b ? -1 : 1)),
      ).toEqual(['left', 'right'])
  })

  it('knows who left from who died, and takes back who starts again', () => {
    const cluster = new VirtualCluster()
    cluster.start(...FIVE)
    cluster.runFor(5_000)
    cluster.node('e').leave(cluster.nowMs)
    cluster.runFor(2_000)
    cluster.kill('e')
    cluster.runFor(60_000)
    for (const id of ['a', 'b', 'c', 'd']) {
      expect(cluster.view(id).e).toBe('left')
      expect(cluster.firstMs(id, 'e', 'suspect')).toBeNull()
    }
    cluster.start('e')
    cluster.runFor(15_000)
    expectAllAlive(cluster, FIVE)
  })

  it('takes back who left and starts again, although no answer reaches it at first', () => {
    const cluster = new VirtualCluster()
    cluster.start(...FIVE)
    cluster.runFor(5_000)
    cluster.node('e').leave(cluster.nowMs)
    cluster.runFor(2_000)
    cluster.kill('e')
    cluster.runFor(1_000)
    cluster.cut(['a', 'b', 'c', 'd'], ['e'])
    cluster.start('e')
    cluster.runFor(1_000)
    expect(cluster.view('a').e).toBe('left')
    cluster.heal()
    cluster.runFor(60_000)
    expectAllAlive(cluster, FIVE)
  })

  it('asks an address to join by until it answers, and then no more', () => {
    const cluster = new VirtualCluster()
    const asked = (address: string): number =>
      cluster.packets.filter(({ message }) => message.asked === address && message.direction === 'push')
        .length
    cluster.start('a')
    cluster.node('a').join(['b'], cluster.nowMs)
    cluster.runFor(35_000)
    const before = asked('b')
    expect(before).toBeGreaterThanOrEqual(4) // at once, and every 10 s
    cluster.start('b')
    cluster.runFor(60_000)
    expectAllAlive(cluster, ['a', 'b'])
    expect(asked('b')).toBeLessThanOrEqual(before + 1)
  })

  it('delivers a message once to each, although it is heard many times', () => {
    const cluster = new VirtualCluster()
    cluster.start(...FIVE)
    cluster.runFor(5_000)
    expect(cluster.node('a').broadcast('m', { city: 'Ulm' }, cluster.nowMs)).toBe(true)
    expect(cluster.node('a').broadcast('m', { city: 'Ulm' }, cluster.nowMs)).toBe(false)
    cluster.runFor(30_000)
    for (const id of FIVE) {
      const delivered = cluster.events.get(id)!.filter(({ type }) => type === 'deliver')
      expect(delivered.map(({ id: message, data }) => [message, data])).toEqual([['m', { city: 'Ulm' }]])
    }
  })

  it('answers no ping that is meant for a member that stood at its address before', () => {
    const cluster = new VirtualCluster()
    cluster.start('a', 'b')
    cluster.runFor(1_000)
    const acks = (): number => cluster.packets.filter(({ message }) => message.type === 'ack').length
    const before = acks()
    cluster.give('a', { type: 'ping', to: 'old', from: 'b', address: 'b', sequence: 99, rumours: [] })
    expect(acks()).toBe(before)
    cluster.give('a', { type: 'ping', to: 'a', from: 'b', address: 'b', sequence: 99, rumours: [] })
    expect(acks()).toBe(before + 1)
  })

  it('forgets who has been gone for long', () => {
    const cluster = new VirtualCluster({ config: { forgetDeadMs: 30_000 } })
    cluster.start('a', 'b', 'c')
    cluster.runFor(5_000)
    cluster.kill('c')
    cluster.runFor(200_000)
    expect(cluster.view('a')).toEqual(allAlive(['a', 'b']))
  })

  it('keeps packets below their limit, whatever there is to say', () => {
    const cluster = new VirtualCluster()
    cluster.start(...FIVE)
    for (let i = 0; i < 100; i++) cluster.node('a').broadcast(`m${i}`, 'x'.repeat(300), cluster.nowMs)
    cluster.runFor(30_000)
    const datagrams = cluster.packets.filter(({ message }) => 'rumours' in message)
    expect(Math.max(...datagrams.map(({ message }) => JSON.stringify(message).length))).toBeLessThanOrEqual(
      1_400,
    )
    for (const id of FIVE) expect(cluster.node(id).messages()).toHaveLength(100)
  })

  it('ignores a packet of an unknown type', () => {
    const node = new Swim({ id: 'a', address: 'a', nowMs: 0, random: () => 0.5 })
    node.handleInput({ type: 'nonsense', from: 'b', address: 'b' }, 1)
    expect(node.pollTransmit()).toBeNull()
  })
})
