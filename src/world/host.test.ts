import { describe, expect, it } from 'vitest'
import { bytes, ignore, Pair, SECOND } from './network/pair.test-support.ts'
import type { TappedBytes } from './network/network.ts'
import { World } from './world.ts'

describe('a host', () => {
  it('has addresses and a name of its own', () => {
    const world = new World({ seed: 1 })
    const hosts = Array.from({ length: 300 }, (_, i) => world.addHost(`n${i}`))
    expect([hosts[0].address, hosts[255].address, hosts[299].address6]).toEqual([
      '10.0.0.1',
      '10.0.1.0',
      'fd00::12c',
    ])
    expect(world.host('n7')).toBe(hosts[7])
    expect(() => world.host('nowhere')).toThrow(/no host is named 'nowhere'/)
  })

  it('that is frozen answers nothing until it thaws, and then everything', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    const ticks: number[] = []
    pair.world
      .addProcess('ticker', pair.b, {
        boot: ({ kernel, actor }) => {
          kernel.schedule(actor, 'timer', SECOND, () => ticks.push(kernel.now))
          return { signal: ignore, destroy: ignore }
        },
      })
      .start()
    pair.b.freeze()
    client.endpoint.write([bytes('hello?')], ignore)
    pair.runFor(5 * SECOND)
    expect([server.text(), ticks]).toEqual(['', []])
    const thawed = pair.now
    pair.b.thaw()
    pair.run()
    expect([server.text(), ticks]).toEqual(['hello?', [thawed]])
    expect(pair.world.reports.count('host-frozen')).toBe(1)
  })

  it('that loses power while frozen is silent, not late', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    pair.b.freeze()
    client.endpoint.write([bytes('hello?')], ignore)
    pair.runFor(SECOND)
    pair.b.powerOff()
    pair.b.thaw()
    pair.run()
    expect([server.text(), client.error]).toEqual(['', 'ETIMEDOUT'])
  })

  it('loses what was not durable with its power, and everything when wiped', () => {
    const world = new World({ seed: 1 })
    const host = world.addHost('a')
    const root = host.disk.root
    host.powerOff()
    host.powerOff()
    expect([host.up, host.powerCycles]).toEqual([false, 1])
    host.powerOn()
    expect(host.disk.root).toBe(root)
    host.powerOff()
    host.powerOn({ wipe: true })
    expect(host.disk.root).not.toBe(root)
    expect([...world.reports.counts]).toEqual([
      ['power-lost', 2],
      ['power-on', 1],
      ['power-on-wiped', 1],
    ])
  })
})

describe('a tap', () => {
  it('sees what processes send, and no encrypted bytes', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    const seen: string[] = []
    pair.world.network.tap(({ protocol, host, remote, bytes: sent }: TappedBytes) =>
      seen.push(`${protocol} ${host} → ${remote.address}:${remote.port} ${Buffer.from(sent).toString()}`),
    )
    client.endpoint.write([bytes('GET /')], ignore)
    server.endpoint.makeOpaque()
    server.endpoint.write([bytes('secret')], ignore)
    const socket = pair.b.net.bindUdp(pair.server, { address: '0.0.0.0', port: 53 })
    if (typeof socket !== 'string') socket.send([bytes('query')], { address: '10.0.0.1', port: 53 })
    expect(seen).toEqual(['tcp a → 10.0.0.2:80 GET /', 'udp b → 10.0.0.1:53 query'])
  })
})

describe('opaque bytes', () => {
  it('change nothing in a run but themselves: neither its hash nor its times', () => {
    const run = (text: string, opaque: boolean): string => {
      const pair = new Pair({ link: { bandwidthBytesPerS: 1_000_000, splitPpm: 500_000 } }).listen()
      const { client } = pair.connect()
      if (opaque) client.endpoint.makeOpaque()
      for (let i = 0; i < 10; i++) client.endpoint.write([bytes(text)], ignore)
      pair.run()
      return pair.world.kernel.hash.digest()
    }
    expect(run('x'.repeat(71), true)).toBe(run('y'.repeat(72), true))
    expect(run('x'.repeat(71), false)).not.toBe(run('y'.repeat(72), false))
  })
})
