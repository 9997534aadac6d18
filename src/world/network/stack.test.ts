import { describe, expect, it } from 'vitest'
import { World } from '../world.ts'
import { parseAddress, seenBy } from './addresses.ts'
import { ignore, Pair } from './pair.test-support.ts'
import type { NetworkStack } from './stack.ts'

function stackOf(firstUnprivilegedPort = 0): {
  net: NetworkStack
  listen: (address: string, port: number, ipv6Only?: boolean) => string
} {
  const world = new World({ seed: 1 })
  const { net } = world.addHost('a', { stack: { firstUnprivilegedPort } })
  const actor = world.kernel.actor('server')
  const listen = (address: string, port: number, ipv6Only = false): string => {
    const listener = net.listenTcp(actor, { address, port, ipv6Only })
    return typeof listener === 'string' ? listener : 'listening'
  }
  return { net, listen }
}

describe('addresses', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::', '::'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['FD00:0:0::A', 'fd00::a'],
    ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::1'],
    ['2001:0:1:2:3:4:5:6', '2001:0:1:2:3:4:5:6'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::ffff:a00:1', '10.0.0.1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('%s is %s', (text, canonical) => {
    expect(parseAddress(text)?.address).toBe(canonical)
  })

  it.each([
    '',
    '10.0.0',
    '10.0.0.256',
    '010.0.0.1',
    'localhost',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
  ])('%j is none', (text) => {
    expect(parseAddress(text)).toBe(null)
  })

  it('an IPv6 socket sees IPv4 peers as mapped', () => {
    expect(seenBy(6, '10.0.0.1')).toBe('::ffff:10.0.0.1')
    expect(seenBy(4, '10.0.0.1')).toBe('10.0.0.1')
  })
})

describe('binding', () => {
  it('gives a port to one listener per address, and a wildcard takes them all', () => {
    const { listen } = stackOf()
    expect(listen('127.0.0.1', 80)).toBe('listening')
    expect(listen('127.0.0.1', 80)).toBe('EADDRINUSE')
    expect(listen('10.0.0.1', 80)).toBe('listening')
    expect(listen('0.0.0.0', 80)).toBe('EADDRINUSE')
    expect(listen('::', 80)).toBe('EADDRINUSE')
    expect(listen('::', 80, true)).toBe('listening')
    expect(listen('::1', 81)).toBe('listening')
    expect(listen('0.0.0.0', 81)).toBe('listening')
  })

  it('knows which addresses are its own and which ports are privileged', () => {
    const { listen } = stackOf(1_024)
    expect(listen('10.0.0.9', 8_080)).toBe('EADDRNOTAVAIL')
    expect(listen('nonsense', 8_080)).toBe('EINVAL')
    expect(listen('0.0.0.0', 80)).toBe('EACCES')
    expect(listen('0.0.0.0', 1_024)).toBe('listening')
  })

  it('lets two sockets have a port until one of them listens', () => {
    const world = new World({ seed: 1 })
    const { net } = world.addHost('a')
    const actor = world.kernel.actor('server')
    const bind = () => net.bindTcp(actor, { address: '0.0.0.0', port: 80 })
    const [first, second] = [bind(), bind()]
    if (typeof first === 'string' || typeof second === 'string') throw new Error('not bound')
    expect(net.listen(actor, first, 1)).toMatchObject({ closed: false })
    expect(net.listen(actor, second, 1)).toBe('EADDRINUSE')
    expect(bind()).toBe('EADDRINUSE')
  })

  it('gives out free ports, and takes them back', () => {
    const { net } = stackOf()
    const actor = net.kernel.actor('server')
    const ports = new Set<number>()
    for (let i = 0; i < 100; i++) {
      const binding = net.bindTcp(actor, { address: '0.0.0.0', port: 0 })
      if (typeof binding !== 'string') ports.add(binding.port)
    }
    expect(ports.size).toBe(100)
  })

  it('frees a listener’s port when its process ends', () => {
    const pair = new Pair().listen(80)
    pair.b.net.release(pair.server)
    expect(typeof pair.b.net.listenTcp(pair.client, { address: '0.0.0.0', port: 80 })).toBe('object')
  })
})

describe('a dual-stack listener', () => {
  it('takes IPv4 and shows it mapped, and IPv6 as it is', () => {
    const pair = new Pair()
    const listener = pair.b.net.listenTcp(pair.server, { address: '::', port: 80 })
    if (typeof listener === 'string') throw new Error(listener)
    const remotes: string[] = []
    listener.onconnection = ({ remote }) => remotes.push(remote.address)
    for (const address of ['10.0.0.2', 'fd00::2', '::ffff:10.0.0.2']) {
      expect(typeof pair.a.net.connectTcp(pair.client, { address, port: 80 }, ignore)).toBe('object')
    }
    pair.run()
    expect(remotes).toEqual(['::ffff:10.0.0.1', 'fd00::1', '::ffff:10.0.0.1'])
  })

  it('takes no IPv4 when it is for IPv6 only', () => {
    const pair = new Pair()
    pair.b.net.listenTcp(pair.server, { address: '::', port: 80, ipv6Only: true })
    const { outcome } = pair.begin(80)
    pair.run()
    expect(outcome()).toBe('ECONNREFUSED')
  })
})

describe('loopback', () => {
  it('is its own host’s, ten microseconds away and beyond every cut', () => {
    const pair = new Pair({ link: { lossPpm: 1_000_000 } }).listen(80)
    const outcomes: unknown[] = []
    for (const address of ['127.0.0.1', '10.0.0.2', '0.0.0.0']) {
      pair.b.net.connectTcp(pair.client, { address, port: 80 }, (error) => outcomes.push(error))
    }
    const elsewhere = pair.a.net.connectTcp(pair.client, { address: '127.0.0.1', port: 80 }, (error) =>
      outcomes.push(error),
    )
    pair.run()
    expect(outcomes).toEqual([null, null, null, 'ECONNREFUSED'])
    expect(typeof elsewhere).toBe('object')
    expect(pair.now).toBeLessThan(100)
  })
})

describe('names', () => {
  it('resolve to addresses of the family that is asked for', () => {
    const pair = new Pair()
    const { net } = pair.a
    expect(net.resolve('b', 0)).toEqual([{ address: '10.0.0.2', family: 4 }])
    expect(net.resolve('B.local.', 6)).toEqual([{ address: 'fd00::2', family: 6 }])
    expect(net.resolve('localhost', 0)).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ])
    expect(net.resolve('10.0.0.7', 0)).toEqual([{ address: '10.0.0.7', family: 4 }])
    expect(net.resolve('nowhere', 0)).toBe('ENOTFOUND')
    pair.world.resolver.define('service', ['10.0.0.2', '10.0.0.1'])
    expect(net.resolve('service', 4)).toEqual([
      { address: '10.0.0.2', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ])
  })

  it('do not resolve on a host whose resolver fails, except its own', () => {
    const pair = new Pair()
    pair.world.resolver.fail('a')
    expect(pair.a.net.resolve('b', 0)).toBe('EAI_AGAIN')
    expect(pair.b.net.resolve('a', 0)).not.toBe('EAI_AGAIN')
    expect(typeof pair.a.net.resolve('localhost', 0)).toBe('object')
    expect(pair.world.reports.count('name-lookup-failed')).toBe(1)
    pair.world.resolver.restore('a')
    expect(typeof pair.a.net.resolve('b', 0)).toBe('object')
  })
})

describe('a port that listeners share', () => {
  it('gives each of them some of the connections', () => {
    const pair = new Pair()
    const counts = [0, 0, 0]
    for (const i of counts.keys()) {
      const listener = pair.b.net.listenTcp(pair.server, { address: '0.0.0.0', port: 80, reusePort: true })
      if (typeof listener === 'string') throw new Error(listener)
      listener.onconnection = () => counts[i]++
    }
    for (let n = 0; n < 9; n++) pair.begin()
    pair.run()
    expect(counts).toEqual([3, 3, 3])
    expect(pair.b.net.listenTcp(pair.server, { address: '0.0.0.0', port: 80 })).toBe('EADDRINUSE')
  })
})
