import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { AddressPlan, ANYONE } from './address-plan.ts'
import { drawDelayMs } from './delay.ts'
import { Proxy, type SeenBytes } from './proxy.ts'

const open: { close(): unknown }[] = []

afterEach(() => {
  for (const each of open.splice(0).reverse()) each.close()
})

interface Bench {
  readonly plan: AddressPlan
  readonly proxy: Proxy
  readonly seen: SeenBytes[]
}

/** Two nodes, a and b, and a proxy between them. */
async function bench(random: () => number = Math.random, shared = false): Promise<Bench> {
  const plan = await AddressPlan.take()
  const seen: SeenBytes[] = []
  const proxy = new Proxy({
    plan,
    nodes: ['a', 'b'],
    random,
    shared,
    owner: async () => null,
    saw: (bytes) => seen.push(bytes),
  })
  open.push({ close: () => plan.release() }, { close: () => proxy.end() })
  return { plan, proxy, seen }
}

/** Node b answers every line with the same in capitals. */
async function echo({ plan, proxy }: Bench): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => socket.write(String(bytes).toUpperCase()))
    socket.on('end', () => socket.end())
  })
  await new Promise<void>((resolve) => server.listen(0, plan.own(2), resolve))
  open.push(server)
  const { port } = server.address() as { port: number }
  await proxy.open('b', port, 'tcp')
  return port
}

function call(
  { plan }: Bench,
  port: number,
  address = plan.seen(1, 2),
): Socket & { readonly heard: () => string } {
  const socket = connect(port, address)
  let heard = ''
  socket.on('data', (bytes) => (heard += String(bytes)))
  socket.on('error', () => {})
  open.push({ close: () => socket.destroy() })
  return Object.assign(socket, { heard: () => heard })
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let turn = 0; turn < 6000 && !isTrue(); turn++) await later(5)
  expect(isTrue()).toBe(true)
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('the proxy, TCP', () => {
  it('passes bytes both ways, counts them per directed link, and shows them to taps', async () => {
    const here = await bench()
    const port = await echo(here)
    const socket = call(here, port)
    socket.write('hello')
    await until(() => socket.heard() === 'HELLO')
    expect(here.proxy.link('a', 'b').counts).toMatchObject({ bytes: 5, connections: 1, held: 0 })
    expect(here.proxy.link('b', 'a').counts).toMatchObject({ bytes: 5, connections: 0 })
    expect(here.seen.map(({ from, to, accepted, bytes }) => [from, to, accepted, String(bytes)])).toEqual([
      ['a', 'b', false, 'hello'],
      ['b', 'a', true, 'HELLO'],
    ])
  })

  it('cuts one way: what a says arrives, what b answers is held until the cut heals', async () => {
    const here = await bench()
    const socket = call(here, await echo(here))
    socket.write('one')
    await until(() => socket.heard() === 'ONE')
    const back = here.proxy.link('b', 'a')
    here.proxy.change([back], { cut: true })
    socket.write('two')
    await until(() => back.counts.held === 1)
    expect(here.proxy.link('a', 'b').counts.held).toBe(0)
    expect(socket.heard()).toBe('ONE')
    here.proxy.change([back], { cut: false })
    await until(() => socket.heard() === 'ONETWO')
  })

  it('calls no node for a connection that begins in a cut, and goes on with it after', async () => {
    const here = await bench()
    const port = await echo(here)
    const there = here.proxy.link('a', 'b')
    here.proxy.change([there], { cut: true })
    const socket = call(here, port)
    socket.write('late')
    await until(() => there.counts.held === 1)
    await later(30)
    expect(here.seen).toEqual([])
    here.proxy.heal()
    await until(() => socket.heard() === 'LATE')
  })

  it('holds the end of a connection as it holds bytes', async () => {
    const here = await bench()
    const socket = call(here, await echo(here))
    let ended = false
    socket.on('end', () => (ended = true))
    socket.write('x')
    await until(() => socket.heard() === 'X')
    here.proxy.change([here.proxy.link('a', 'b')], { cut: true })
    socket.end()
    await later(50)
    expect(ended).toBe(false)
    here.proxy.heal()
    await until(() => ended)
  })

  it('delays without changing the order', async () => {
    const here = await bench()
    const socket = call(here, await echo(here))
    const there = here.proxy.link('a', 'b')
    here.proxy.change([there], { delay: { kind: 'uniform', leastMs: 1, mostMs: 30 } })
    for (const letter of 'abcdef') {
      socket.write(letter)
      await later(3)
    }
    await until(() => socket.heard() === 'ABCDEF')
    expect(there.counts.delayed).toBeGreaterThan(0)
  })

  it('breaks connections on both sides by a reset', async () => {
    const here = await bench()
    const socket = call(here, await echo(here))
    let code = ''
    socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code ?? ''))
    socket.write('x')
    await until(() => socket.heard() === 'X')
    expect(here.proxy.link('a', 'b').reset()).toBe(1)
    await until(() => code === 'ECONNRESET')
    expect(here.proxy.link('a', 'b').reset()).toBe(0)
  })

  it('refuses connections to a node that has ended', async () => {
    const here = await bench()
    const port = await echo(here)
    here.proxy.close('b')
    const socket = call(here, port)
    let code = ''
    socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code ?? ''))
    await until(() => code !== '')
    expect(code).toBe('ECONNREFUSED')
  })

  it('passes on what comes from an unknown caller, but not to a node that is cut from another', async () => {
    const here = await bench(Math.random, true)
    const port = await echo(here)
    const stranger = (): ReturnType<typeof call> => call(here, port, here.plan.seen(ANYONE, 2))
    const before = stranger()
    before.write('x')
    await until(() => before.heard() === 'X')
    here.proxy.change([here.proxy.link('a', 'b')], { cut: true })
    const during = stranger()
    let code = ''
    during.on('error', (error: NodeJS.ErrnoException) => (code = error.code ?? ''))
    during.write('y')
    await until(() => code === 'ECONNRESET')
    expect(during.heard()).toBe('')
  })

  it('throttles to a rate', async () => {
    const here = await bench()
    const socket = call(here, await echo(here))
    const there = here.proxy.link('a', 'b')
    here.proxy.change([there], { rateBytesPerS: 1000 })
    const begunMs = performance.now()
    socket.write('x'.repeat(100))
    await until(() => socket.heard().length === 100)
    expect(performance.now() - begunMs).toBeGreaterThanOrEqual(95)
    expect(there.counts.throttled).toBe(1)
  })
})

describe('the proxy, UDP', () => {
  /** Node b answers every datagram to where it came from. */
  async function answering({
    plan,
    proxy,
  }: Bench): Promise<{ port: number; heard: string[]; ask: UdpSocket }> {
    const server = createSocket('udp4')
    server.on('message', (bytes, from) => server.send(String(bytes).toUpperCase(), from.port, from.address))
    await new Promise<void>((resolve) => server.bind(0, plan.own(2), resolve))
    const { port } = server.address()
    await proxy.open('b', port, 'udp')
    const ask = createSocket('udp4')
    const heard: string[] = []
    ask.on('message', (bytes) => heard.push(String(bytes)))
    await new Promise<void>((resolve) => ask.bind(0, plan.own(1), resolve))
    open.push(server, ask)
    return { port, heard, ask }
  }

  it('brings an answer back to the port that asked', async () => {
    const here = await bench()
    const { port, heard, ask } = await answering(here)
    ask.send('hello', port, here.plan.seen(1, 2))
    await until(() => heard.length === 1)
    expect(heard).toEqual(['HELLO'])
    expect(here.proxy.link('b', 'a').counts.bytes).toBe(5)
  })

  it('duplicates, loses and drops in a cut, and counts each', async () => {
    const here = await bench()
    const { port, heard, ask } = await answering(here)
    const there = here.proxy.link('a', 'b')
    here.proxy.change([there], { duplicate: 1 })
    ask.send('twice', port, here.plan.seen(1, 2))
    await until(() => heard.length === 2)
    here.proxy.change([there], { duplicate: 0, loss: 1 })
    ask.send('lost', port, here.plan.seen(1, 2))
    await until(() => there.counts.lost === 1)
    here.proxy.change([there], { loss: 0, cut: true })
    ask.send('cut', port, here.plan.seen(1, 2))
    await until(() => there.counts.held === 1)
    here.proxy.heal()
    ask.send('after', port, here.plan.seen(1, 2))
    await until(() => heard.length === 3)
    expect(heard).toEqual(['TWICE', 'TWICE', 'AFTER'])
    expect(there.counts.duplicated).toBe(1)
  })

  it('lets datagrams overtake each other', async () => {
    const fates = [0.9, 0.1, 0.9, 0.9] // per datagram: no copy, then held back or not
    const here = await bench(() => fates.shift() ?? 0.9)
    const { port, heard, ask } = await answering(here)
    here.proxy.change([here.proxy.link('a', 'b')], { reorder: 0.5 })
    fates.unshift(0.9) // the first draw is about loss
    ask.send('first', port, here.plan.seen(1, 2))
    ask.send('second', port, here.plan.seen(1, 2))
    await until(() => heard.length === 2)
    expect(heard).toEqual(['SECOND', 'FIRST'])
  })
})

describe('delays', () => {
  it('are drawn as their kind says', () => {
    expect(drawDelayMs({ kind: 'constant', ms: 7 }, () => 0.5)).toBe(7)
    expect(drawDelayMs({ kind: 'uniform', leastMs: 10, mostMs: 20 }, () => 0.5)).toBe(15)
    expect(drawDelayMs({ kind: 'exponential', meanMs: 10 }, () => 1 - Math.exp(-1))).toBeCloseTo(10)
    expect(drawDelayMs({ kind: 'spikes', ms: 300, share: 0.1 }, () => 0.05)).toBe(300)
    expect(drawDelayMs({ kind: 'spikes', ms: 300, share: 0.1 }, () => 0.5)).toBe(0)
  })
})
