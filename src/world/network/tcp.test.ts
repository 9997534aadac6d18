import { describe, expect, it } from 'vitest'
import { bytes, ignore, Pair, SECOND } from './pair.test-support.ts'
import type { ErrorCode } from './tcp-endpoint.ts'

const WINDOW = 262_144

describe('a TCP connection', () => {
  it('carries bytes both ways and ends with FIN', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    expect(client.endpoint.write([bytes('he'), bytes('llo')], ignore)).toBe(true)
    expect(server.endpoint.write([bytes('world')], ignore)).toBe(true)
    pair.run()
    expect([server.text(), client.text()]).toEqual(['hello', 'world'])
    expect(client.endpoint.shutdown(ignore)).toBe(true)
    pair.run()
    expect([server.ended, client.ended]).toEqual([true, false])
    expect(server.endpoint.write([bytes('still open')], ignore)).toBe(true)
    server.endpoint.close()
    pair.run()
    expect([client.text(), client.ended, client.error]).toEqual(['worldstill open', true, null])
  })

  it('tells both ends the addresses they have', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    expect(client.endpoint.remote).toEqual({ address: '10.0.0.2', family: 4, port: 80 })
    expect(server.endpoint.remote).toEqual(client.endpoint.local)
    expect(client.endpoint.local.address).toBe('10.0.0.1')
    expect(client.endpoint.local.port).toBeGreaterThanOrEqual(32_768)
  })

  it('costs one event per message on a plain link', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    const before = pair.world.kernel.step
    let left = 1_000
    client.endpoint.ondata = (chunk) => void (left-- > 0 && client.endpoint.write([chunk], ignore))
    server.endpoint.ondata = (chunk) => void server.endpoint.write([chunk], ignore)
    client.endpoint.write([bytes('ping')], ignore)
    pair.run()
    expect(pair.world.kernel.step - before).toBe(2 * 1_001)
    expect(pair.world.kernel.choices.asked).toBe(0)
  })

  it('gives the reader a buffer of its own, which later writes of the sender do not change', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    const buffer = Buffer.from('first')
    client.endpoint.write([buffer], ignore)
    buffer.write('XXXXX')
    pair.run()
    expect(server.text()).toBe('first')
    expect(server.chunks[0].byteLength).toBe(server.chunks[0].buffer.byteLength)
  })

  it('holds the writer back when the reader does not read, and goes on when it does', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    server.endpoint.readStop()
    const total = 3_000_000
    const sent = Buffer.alloc(total, 'abcdefg')
    let done: ErrorCode | null | undefined
    expect(client.endpoint.write([sent], (error) => (done = error))).toBe(false)
    pair.run()
    expect(done).toBe(undefined)
    expect(client.endpoint.writeQueueSize).toBe(total - 2 * WINDOW)
    expect(server.endpoint.unreadBytes).toBe(262_144)
    server.endpoint.readStart()
    pair.run()
    expect(done).toBe(null)
    expect(client.endpoint.writeQueueSize).toBe(0)
    expect(Buffer.concat(server.chunks).equals(sent)).toBe(true)
    expect(Math.max(...server.chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(65_536)
  })

  it('fills the window of a paused process and delivers what came as one read', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    pair.world.kernel.pause(pair.server)
    for (const letter of 'abc') client.endpoint.write([bytes(letter)], ignore)
    pair.run()
    expect(server.chunks).toEqual([])
    pair.world.kernel.resume(pair.server)
    pair.run()
    expect(server.chunks.map(String)).toEqual(['97,98,99'])
  })

  it('completes writes made before it is connected', () => {
    const pair = new Pair().listen()
    const { endpoint } = pair.begin()
    let done: ErrorCode | null | undefined
    expect(endpoint.write([bytes('early')], (error) => (done = error))).toBe(false)
    let ended: ErrorCode | null | undefined
    expect(endpoint.shutdown((error) => (ended = error))).toBe(false)
    pair.run()
    expect([done, ended]).toEqual([null, null])
    expect([pair.accepted[0].text(), pair.accepted[0].ended]).toEqual(['early', true])
  })
})

describe('connecting', () => {
  it('is refused by a live host with a closed port', () => {
    const pair = new Pair()
    const { outcome } = pair.begin()
    pair.run()
    expect(outcome()).toBe('ECONNREFUSED')
    expect(pair.now).toBe(500)
  })

  it('times out after 127 s when the host has no power', () => {
    const pair = new Pair().listen()
    pair.b.powerOff()
    const { outcome } = pair.begin()
    pair.run()
    expect(outcome()).toBe('ETIMEDOUT')
    expect(pair.now).toBe(127 * SECOND)
  })

  it('times out after 127 s behind a cut, whichever way it cuts', () => {
    for (const [from, to] of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const pair = new Pair().listen()
      pair.world.network.cut(from, to, { oneWay: true })
      const { outcome } = pair.begin()
      pair.run()
      expect(outcome()).toBe('ETIMEDOUT')
      expect(Math.round(pair.now / SECOND)).toBe(127)
      expect(pair.accepted).toEqual([])
      expect(pair.world.reports.count('packet-cut')).toBeGreaterThan(6)
    }
  })

  it('succeeds at the next SYN after a cut heals', () => {
    const pair = new Pair().listen()
    const cut = pair.world.network.cut('a', 'b')
    const { outcome } = pair.begin()
    pair.runFor(4 * SECOND)
    cut.heal()
    pair.run()
    expect(outcome()).toBe(null)
    expect(Math.floor(pair.now / SECOND)).toBe(7)
  })

  it('is unreachable where no host has the address', () => {
    const pair = new Pair()
    const { outcome } = pair.begin(80, '10.0.0.77')
    pair.run()
    expect(outcome()).toBe('EHOSTUNREACH')
    expect(pair.a.net.connectTcp(pair.client, { address: '192.0.2.1', port: 80 }, ignore)).toBe('ENETUNREACH')
  })

  it('waits while the backlog of a paused server is full', () => {
    const pair = new Pair().listen(80, 1)
    pair.world.kernel.pause(pair.server)
    const attempts = [pair.begin(), pair.begin()]
    pair.runFor(1_000)
    attempts.push(pair.begin())
    pair.runFor(SECOND / 2)
    expect(attempts.map(({ outcome }) => outcome())).toEqual([null, null, undefined])
    expect(pair.world.reports.count('backlog-full')).toBe(1)
    pair.world.kernel.resume(pair.server)
    pair.run()
    expect(attempts[2].outcome()).toBe(null)
    expect(pair.accepted.length).toBe(3)
  })
})

describe('a client that the backlog had no more room for', () => {
  it('believes it is connected before the server knows of it', () => {
    const pair = new Pair().listen(80, 0)
    pair.world.kernel.pause(pair.server)
    const attempts = [pair.begin(), pair.begin()]
    pair.runFor(1_000)
    expect(attempts.map(({ outcome }) => outcome())).toEqual([null, null])
    attempts[1].endpoint.write([bytes('hello?')], ignore)
    pair.world.kernel.resume(pair.server)
    pair.run()
    expect(pair.accepted.map((each) => each.text())).toEqual(['', 'hello?'])
  })
})

describe('a connection that breaks', () => {
  it('is reset for a reader, and a broken pipe for a writer afterwards', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    server.endpoint.reset()
    pair.run()
    expect(client.error).toBe('ECONNRESET')
    expect(client.endpoint.write([bytes('x')], ignore)).toBe('EPIPE')
    expect(pair.world.reports.count('connection-reset')).toBe(1)
  })

  it('is reset when closed with unread data, and not otherwise', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    server.endpoint.readStop()
    client.endpoint.write([bytes('unread')], ignore)
    pair.run()
    server.endpoint.close()
    pair.run()
    expect([client.error, client.ended]).toEqual(['ECONNRESET', false])
  })

  it('answers data for a closed end with a reset, which a half-closed writer sees as EPIPE', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    server.endpoint.close()
    pair.run()
    expect(client.ended).toBe(true)
    expect(client.endpoint.write([bytes('too late')], ignore)).toBe(true)
    pair.run()
    expect(client.error).toBe(null)
    expect(client.endpoint.write([bytes('again')], ignore)).toBe('EPIPE')
  })

  it('reads what came before the reset first', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    client.endpoint.readStop()
    server.endpoint.write([bytes('last words')], ignore)
    server.endpoint.reset()
    pair.run()
    client.endpoint.readStart()
    pair.run()
    expect([client.text(), client.error]).toEqual(['last words', 'ECONNRESET'])
  })

  it('times out after Linux’s 15 retransmissions when its packets are dropped', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    const start = pair.now
    pair.world.network.cut('a', 'b')
    expect(client.endpoint.write([bytes('lost')], ignore)).toBe(true)
    pair.run()
    expect(client.error).toBe('ETIMEDOUT')
    expect(Math.round((pair.now - start) / SECOND)).toBe(925)
    expect([server.text(), server.error, server.ended]).toEqual(['', null, false]) // half-open: it never learns
    expect(pair.world.reports.count('connection-timed-out')).toBe(1)
  })

  it('times out when only acknowledgements are lost, although the data arrived', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    pair.world.network.cut('b', 'a', { oneWay: true })
    client.endpoint.write([bytes('arrives')], ignore)
    pair.run()
    expect([server.text(), client.error]).toEqual(['arrives', 'ETIMEDOUT'])
  })

  it('delivers everything after a cut that heals in time', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    const cut = pair.world.network.cut('a', 'b')
    for (const word of ['one ', 'two ', 'three']) client.endpoint.write([bytes(word)], ignore)
    client.endpoint.shutdown(ignore)
    pair.runFor(10 * SECOND)
    expect(server.text()).toBe('')
    cut.heal()
    pair.run()
    expect([server.text(), server.ended, client.error]).toEqual(['one two three', true, null])
  })

  it('delivers everything when a deferring cut heals, without any retransmission', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    const cut = pair.world.network.cut('a', 'b', { mode: 'defer' })
    client.endpoint.write([bytes('later')], ignore)
    pair.runFor(3_600 * SECOND)
    expect(server.text()).toBe('')
    const healedAt = pair.now
    cut.heal()
    pair.run()
    expect(server.text()).toBe('later')
    expect(pair.now - healedAt).toBe(250)
    expect(pair.world.reports.count('packet-deferred')).toBe(1)
  })
})

describe('a handle that is passed on', () => {
  it('is read by its new process alone, from where the old one stopped', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    const other = pair.world.kernel.actor('other')
    client.endpoint.write([bytes('one ')], ignore)
    pair.run()
    pair.world.kernel.pause(pair.server) // so that the old process has a read in its queue
    client.endpoint.write([bytes('two')], ignore)
    pair.run()
    pair.b.net.transfer(server.endpoint, other)
    const texts: string[] = []
    server.endpoint.ondata = (chunk) => texts.push(Buffer.from(chunk).toString())
    server.endpoint.readStart()
    expect(texts).toEqual(['two'])
    pair.world.kernel.kill(pair.server)
    pair.b.net.release(pair.server)
    client.endpoint.write([bytes('three')], ignore)
    pair.run()
    expect([texts, client.error]).toEqual([['two', 'three'], null])
  })
})

describe('power and processes', () => {
  it('a killed process resets what it had not read and finishes the rest', () => {
    const pair = new Pair().listen()
    const clean = pair.connect()
    const dirty = pair.connect()
    dirty.server.endpoint.readStop()
    dirty.client.endpoint.write([bytes('unread')], ignore)
    pair.run()
    pair.world.kernel.kill(pair.server)
    pair.b.net.release(pair.server)
    pair.run()
    expect([clean.client.ended, clean.client.error]).toEqual([true, null])
    expect([dirty.client.ended, dirty.client.error]).toEqual([false, 'ECONNRESET'])
    const again = pair.begin()
    pair.run()
    expect(again.outcome()).toBe('ECONNREFUSED')
  })

  it('a host that lost power sends nothing again of what its processes had closed', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    const cut = pair.world.network.cut('a', 'b')
    client.endpoint.write([bytes('ghost')], ignore)
    client.endpoint.close()
    pair.a.powerOff()
    pair.a.powerOn()
    cut.heal()
    pair.run()
    expect([server.text(), server.ended]).toEqual(['', false])
    server.endpoint.write([bytes('are you there?')], ignore)
    pair.run()
    expect(server.error).toBe('ECONNRESET')
  })

  const endings = {
    'is cut off': [(pair: Pair) => void pair.world.network.cut('a', 'b'), 'ETIMEDOUT'],
    'lost power': [(pair: Pair) => pair.a.powerOff(), 'ETIMEDOUT'],
    rebooted: [(pair: Pair) => (pair.a.powerOff(), pair.a.powerOn()), 'ECONNRESET'],
  } as const
  for (const [name, [end, error]] of Object.entries(endings)) {
    it.each([true, false])(
      `a full window of a reader that ${name} is asked about, waiting before: %s`,
      (before) => {
        const pair = new Pair().listen()
        const { server } = pair.connect()
        const writeMore = (): unknown => server.endpoint.write([bytes('more')], ignore)
        pair.world.kernel.pause(pair.client)
        server.endpoint.write([new Uint8Array(WINDOW)], ignore)
        if (before) writeMore()
        pair.runFor(SECOND)
        end(pair)
        if (!before) writeMore()
        pair.run()
        expect(server.error).toBe(error)
      },
    )
  }

  it('a full window is asked about when the reset of its reader was lost', () => {
    const pair = new Pair().listen()
    const { client } = pair.connect()
    pair.world.kernel.pause(pair.server)
    client.endpoint.write([new Uint8Array(1_000_000)], ignore)
    pair.run()
    const link = pair.world.network.link('b', 'a')
    link.configure({ lossPpm: 1_000_000 })
    pair.world.kernel.kill(pair.server)
    pair.b.net.release(pair.server)
    link.configure({ lossPpm: 0 })
    expect(client.error).toBe(null)
    pair.run()
    expect(client.error).toBe('ECONNRESET')
  })

  it('a full window is asked about once when a cut heals, and goes on when the reader does', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    pair.world.kernel.pause(pair.client)
    server.endpoint.write([new Uint8Array(WINDOW)], ignore)
    server.endpoint.write([bytes('more')], ignore)
    const cut = pair.world.network.cut('a', 'b')
    pair.runFor(SECOND)
    cut.heal()
    pair.run()
    pair.world.kernel.resume(pair.client)
    pair.run()
    expect([server.error, client.text().slice(WINDOW)]).toEqual([null, 'more'])
  })

  it('lifts what swallowed a connection although its end is gone: a host that rebooted resets the other end', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    const tally = { packets: 0 }
    expect(server.endpoint.swallow(tally)).toBe(true)
    expect(client.endpoint.write([bytes('lost')], ignore)).toBe(true)
    pair.b.powerOff()
    pair.b.powerOn()
    pair.runFor(SECOND)
    expect([tally.packets > 0, client.error]).toEqual([true, null])
    server.endpoint.swallow(null)
    pair.runFor(10 * SECOND)
    expect(client.error).toBe('ECONNRESET')
  })

  it('a host without power is silent, and after its reboot resets what it forgot', () => {
    const pair = new Pair().listen()
    const { client } = pair.connect()
    pair.b.powerOff()
    client.endpoint.write([bytes('anyone?')], ignore)
    pair.runFor(5 * SECOND)
    expect([client.ended, client.error]).toEqual([false, null])
    pair.b.powerOn()
    pair.run()
    expect(client.error).toBe('ECONNRESET')
  })
})

describe('keep-alive', () => {
  it('finds out that a silent peer is gone after the delay and ten probes', () => {
    const pair = new Pair().listen()
    const { client, server } = pair.connect()
    client.endpoint.setKeepAlive(true, 30 * SECOND)
    pair.world.network.cut('b', 'a', { oneWay: true })
    pair.run()
    expect([client.error, server.error]).toEqual(['ETIMEDOUT', null])
    expect(Math.round(pair.now / SECOND)).toBe(40)
  })

  it('is reset by a host that rebooted meanwhile', () => {
    const pair = new Pair().listen()
    const { client } = pair.connect()
    client.endpoint.setKeepAlive(true, 30 * SECOND)
    pair.b.powerOff()
    pair.b.powerOn()
    pair.run()
    expect(client.error).toBe('ECONNRESET')
    expect(Math.round(pair.now / SECOND)).toBe(30)
  })

  it('costs nothing while the path is whole, and nothing happens without it', () => {
    const pair = new Pair().listen()
    const probing = pair.connect()
    const silent = pair.connect()
    probing.client.endpoint.setKeepAlive(true, SECOND)
    const { step } = pair.world.kernel
    pair.run()
    expect(pair.world.kernel.step).toBe(step)
    pair.world.network.cut('a', 'b')
    pair.run()
    expect([probing.client.error, silent.client.error]).toEqual(['ETIMEDOUT', null])
  })

  it('finds out that the peer is gone though every word of it was lost for a while', () => {
    const pair = new Pair().listen()
    const { client } = pair.connect()
    client.endpoint.write([bytes('unread')], ignore)
    pair.world.kernel.pause(pair.server)
    pair.run()
    client.endpoint.setKeepAlive(true, 30 * SECOND)
    const links = [pair.world.network.link('a', 'b'), pair.world.network.link('b', 'a')]
    for (const link of links) link.configure({ lossPpm: 1_000_000 })
    pair.world.kernel.kill(pair.server)
    pair.b.net.release(pair.server) // a reset, since something was not read
    pair.runFor(33.5 * SECOND)
    expect(client.error).toBe(null)
    for (const link of links) link.configure({ lossPpm: 0 })
    pair.run()
    expect(client.error).toBe('ECONNRESET')
    expect(Math.round(pair.now / SECOND)).toBe(34)
  })

  it('survives a cut that heals before the tenth probe', () => {
    const pair = new Pair().listen()
    const { client } = pair.connect()
    client.endpoint.setKeepAlive(true, SECOND)
    const cut = pair.world.network.cut('a', 'b')
    pair.runFor(5 * SECOND)
    cut.heal()
    pair.run()
    expect(client.error).toBe(null)
  })
})
