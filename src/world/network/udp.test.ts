import { describe, expect, it } from 'vitest'
import type { LinkConfig } from './link.ts'
import type { SocketAddress } from './addresses.ts'
import { bytes, Pair } from './pair.test-support.ts'
import type { UdpSocket } from './udp.ts'

interface Bound {
  readonly socket: UdpSocket
  readonly messages: string[]
  readonly from: SocketAddress[]
  readonly errors: string[]
}

function bind(
  pair: Pair,
  host: 'a' | 'b',
  port: number,
  options: { address?: string; reuseAddress?: boolean } = {},
): Bound {
  const actor = host === 'a' ? pair.client : pair.server
  const socket = pair[host].net.bindUdp(actor, { address: '0.0.0.0', port, ...options })
  if (typeof socket === 'string') throw new Error(socket)
  const bound: Bound = { socket, messages: [], from: [], errors: [] }
  socket.onmessage = (message, from) => {
    bound.messages.push(Buffer.from(message).toString())
    bound.from.push(from)
  }
  socket.onerror = (error) => bound.errors.push(error)
  socket.recvStart()
  return bound
}

function exchange(link: Partial<LinkConfig>, count: number, seed = 1): { pair: Pair; received: string[] } {
  const pair = new Pair({ link, seed })
  const a = bind(pair, 'a', 5_000)
  const b = bind(pair, 'b', 5_000)
  for (let i = 0; i < count; i++) {
    expect(a.socket.send([bytes(String(i))], { address: '10.0.0.2', port: 5_000 })).toBe(null)
  }
  pair.run()
  return { pair, received: b.messages }
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i))

describe('UDP', () => {
  it('delivers datagrams whole, in order and once on a plain link', () => {
    const { pair, received } = exchange({}, 50)
    expect(received).toEqual(numbers(50))
    expect([...pair.world.reports.counts.keys()]).toEqual([])
  })

  it('says where a datagram came from, and takes answers', () => {
    const pair = new Pair()
    const a = bind(pair, 'a', 0)
    const b = bind(pair, 'b', 53)
    a.socket.send([bytes('qu'), bytes('ery')], { address: '10.0.0.2', port: 53 })
    pair.run()
    expect([b.messages, b.from]).toEqual([
      ['query'],
      [{ address: '10.0.0.1', family: 4, port: a.socket.port }],
    ])
    b.socket.send([bytes('answer')], b.from[0])
    pair.run()
    expect(a.messages).toEqual(['answer'])
  })

  it('loses what the link loses, and counts it', () => {
    const { pair, received } = exchange({ lossPpm: 500_000 }, 200)
    expect(received.length + pair.world.reports.count('packet-lost')).toBe(200)
    // Less than 60 or more than 140 of 200 at one half: below 1e-7.
    expect(received.length).toBeGreaterThan(60)
    expect(received.length).toBeLessThan(140)
  })

  it('duplicates what the link duplicates', () => {
    const { pair, received } = exchange({ duplicatePpm: 1_000_000 }, 20)
    expect(received).toEqual(numbers(20).flatMap((each) => [each, each]))
    expect(pair.world.reports.count('packet-duplicated')).toBe(20)
  })

  it('replays what the link remembers', () => {
    const { pair, received } = exchange({ replayPpm: 500_000 }, 60)
    const replayed = pair.world.reports.count('packet-replayed')
    expect(replayed).toBeGreaterThan(5)
    expect(received.length).toBe(60 + replayed)
    expect(new Set(received).size).toBe(60)
  })

  it('reorders what the link holds back', () => {
    const { received } = exchange({ reorderPpm: 300_000 }, 100)
    expect(received).not.toEqual(numbers(100))
    expect(received.toSorted((a, b) => Number(a) - Number(b))).toEqual(numbers(100))
  })

  it('corrupts what the link corrupts, in exactly one bit', () => {
    const pair = new Pair({ link: { corruptPpm: 1_000_000 } })
    const a = bind(pair, 'a', 0)
    const b = bind(pair, 'b', 9)
    let received: Uint8Array = new Uint8Array()
    b.socket.onmessage = (message) => (received = message)
    const sent = new Uint8Array(64)
    a.socket.send([sent], { address: '10.0.0.2', port: 9 })
    pair.run()
    const bits = [...received].map((byte, i) => (byte ^ sent[i]).toString(2).replaceAll('0', '').length)
    expect(bits.reduce((sum, each) => sum + each, 0)).toBe(1)
  })

  it('drops during a cut, and delivers after one that defers', () => {
    const pair = new Pair()
    const a = bind(pair, 'a', 0)
    const b = bind(pair, 'b', 9)
    const send = (text: string): void => void a.socket.send([bytes(text)], { address: '10.0.0.2', port: 9 })
    const drop = pair.world.network.cut('a', 'b')
    send('dropped')
    drop.heal()
    const defer = pair.world.network.cut('a', 'b', { mode: 'defer' })
    send('deferred')
    pair.run()
    expect(b.messages).toEqual([])
    defer.heal()
    pair.run()
    expect(b.messages).toEqual(['deferred'])
  })

  it('reports a missing listener only to a connected socket', () => {
    const pair = new Pair()
    const connected = bind(pair, 'a', 0)
    const unconnected = bind(pair, 'a', 0)
    expect(connected.socket.connect('10.0.0.2', 9)).toBe(null)
    connected.socket.send([bytes('?')], null)
    unconnected.socket.send([bytes('?')], { address: '10.0.0.2', port: 9 })
    pair.run()
    expect([connected.errors, unconnected.errors]).toEqual([['ECONNREFUSED'], []])
  })

  it('takes, once connected, only what comes from there', () => {
    const pair = new Pair()
    const receiver = bind(pair, 'b', 9)
    const friend = bind(pair, 'a', 1_000)
    const stranger = bind(pair, 'a', 2_000)
    receiver.socket.connect('10.0.0.1', 1_000)
    friend.socket.send([bytes('friend')], { address: '10.0.0.2', port: 9 })
    stranger.socket.send([bytes('stranger')], { address: '10.0.0.2', port: 9 })
    pair.run()
    expect(receiver.messages).toEqual(['friend'])
  })

  it('broadcasts when allowed, to every host', () => {
    const pair = new Pair()
    const a = bind(pair, 'a', 7)
    const b = bind(pair, 'b', 7)
    expect(a.socket.send([bytes('x')], { address: '255.255.255.255', port: 7 })).toBe('EACCES')
    a.socket.broadcast = true
    expect(a.socket.send([bytes('all')], { address: '255.255.255.255', port: 7 })).toBe(null)
    pair.run()
    expect([a.messages, b.messages]).toEqual([['all'], ['all']])
  })

  it('multicasts to members only', () => {
    const pair = new Pair()
    const a = bind(pair, 'a', 7)
    const member = bind(pair, 'b', 7, { reuseAddress: true })
    const other = bind(pair, 'b', 7, { reuseAddress: true })
    expect(member.socket.addMembership('224.0.0.114')).toBe(null)
    expect(member.socket.addMembership('10.0.0.1')).toBe('EINVAL')
    expect(member.socket.dropMembership('10.0.0.1')).toBe('EINVAL')
    expect(other.socket.dropMembership('224.0.0.114')).toBe('EADDRNOTAVAIL')
    a.socket.send([bytes('group')], { address: '224.0.0.114', port: 7 })
    pair.run()
    expect([a.messages, member.messages, other.messages]).toEqual([[], ['group'], []])
    member.socket.dropMembership('224.0.0.114')
    a.socket.send([bytes('again')], { address: '224.0.0.114', port: 7 })
    pair.run()
    expect(member.messages).toEqual(['group'])
  })

  it('drops what a paused receiver has no room for', () => {
    const pair = new Pair()
    const a = bind(pair, 'a', 0)
    const b = bind(pair, 'b', 9)
    pair.world.kernel.pause(pair.server)
    for (let i = 0; i < 10; i++) a.socket.send([new Uint8Array(50_000)], { address: '10.0.0.2', port: 9 })
    pair.run()
    pair.world.kernel.resume(pair.server)
    pair.run()
    expect([b.messages.length, pair.world.reports.count('datagram-overflow')]).toEqual([4, 6])
  })

  it('refuses what cannot be sent or bound', () => {
    const pair = new Pair()
    const a = bind(pair, 'a', 7)
    expect(a.socket.send([new Uint8Array(65_508)], { address: '10.0.0.2', port: 9 })).toBe('EMSGSIZE')
    expect(a.socket.send([bytes('x')], null)).toBe('EDESTADDRREQ')
    expect(a.socket.send([bytes('x')], { address: '192.0.2.1', port: 9 })).toBe('ENETUNREACH')
    expect(pair.a.net.bindUdp(pair.client, { address: '0.0.0.0', port: 7 })).toBe('EADDRINUSE')
    expect(pair.a.net.bindUdp(pair.client, { address: '10.0.0.2', port: 8 })).toBe('EADDRNOTAVAIL')
    a.socket.close()
    expect(typeof pair.a.net.bindUdp(pair.client, { address: '0.0.0.0', port: 7 })).toBe('object')
  })
})

describe('a datagram socket that two processes have', () => {
  it('gives each datagram to one that receives, and lives until both have closed it', () => {
    const pair = new Pair()
    const a = bind(pair, 'a', 5_000)
    const original = bind(pair, 'b', 5_000)
    original.socket.recvStop()
    const twin = original.socket.duplicate(pair.server)
    const messages: string[] = []
    twin.onmessage = (message) => messages.push(Buffer.from(message).toString())
    twin.recvStart()
    const send = (text: string): void => {
      expect(a.socket.send([bytes(text)], { address: '10.0.0.2', port: 5_000 })).toBe(null)
      pair.run()
    }
    send('to the twin')
    original.socket.close()
    send('still there')
    expect(messages).toEqual(['to the twin', 'still there'])
    expect(original.messages).toEqual([])
    const again = () => pair.b.net.bindUdp(pair.server, { address: '0.0.0.0', port: 5_000 })
    expect(again()).toBe('EADDRINUSE')
    twin.close()
    expect(again()).not.toBe('EADDRINUSE')
  })
})
