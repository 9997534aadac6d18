/** Toys of links that are late, clogged or lie, and of connections that are not let in or are forgotten. */
import type * as Net from 'node:net'
import { event } from '../../../src/index.ts'
import type { ProcessContext } from '../../../src/node/index.ts'
import { broken, datagrams, every, nowMs, stream, type Toy } from '../toy.ts'

const latencySpike: Toy = {
  family: 'latency-spike',
  assumption: 'no single message is late among its neighbours',
  kin: ['slow-link'], // the last message before it ends is overtaken
  count: 2,
  run: ({ index, peers }, node) => {
    const epoch = Math.round(nowMs(node) * 1000) + Math.round(node.globalThis.Math.random() * 1e9)
    const arrivals = new Map<string, number>()
    const send = datagrams(node, (text) => {
      arrivals.set(text, nowMs(node))
      const [sender, seq] = text.split(' ')
      const at = (offset: number): number => arrivals.get(`${sender} ${Number(seq) + offset}`) ?? Number.NaN
      const lateMs = at(0) - at(1)
      if (at(1) - at(-1) < 100 && lateMs > 180) broken(`message ${seq} is ${lateMs} ms late`)
    })
    let seq = 0
    if (index === 0) every(node, 20, () => send(peers[0], `${epoch} ${++seq}`))
  },
}

/** Round trips from the first process to each of the others: five in a row that take the same time. */
function steadyTrips(judge: (steadyMs: readonly (number | null)[]) => void): Toy['run'] {
  return ({ index, peers }, node) => {
    const sent = new Map<string, number>()
    const trips = peers.map(() => [] as { seq: number; ms: number }[])
    const sends = peers.map((_, i) => socket(node, 6000 + i, 6000 + i))
    function socket(at: ProcessContext, port: number, to: number): (host: string, text: string) => void {
      return datagrams(
        at,
        (text) => {
          const [kind, peer, seq] = text.split(' ')
          if (kind === 'ping') return sends[0] === undefined ? undefined : reply(text)
          const of = trips[Number(peer)]
          of.push({ seq: Number(seq), ms: nowMs(node) - (sent.get(`${peer} ${seq}`) ?? Number.NaN) })
          if (of.length > 5) of.shift()
          judge(trips.map(steady))
          return undefined
        },
        port,
        to,
      )
    }
    const reply = (text: string): void => {
      const [, peer] = text.split(' ')
      sends[Number(peer)](peers[0], text.replace('ping', 'pong'))
    }
    let seq = 0
    if (index !== 0) return
    every(node, 50, () => {
      seq++
      peers.forEach((host, i) => {
        sent.set(`${i} ${seq}`, nowMs(node))
        sends[i](host, `ping ${i} ${seq}`)
      })
    })
  }
}

function steady(trips: readonly { seq: number; ms: number }[]): number | null {
  const inARow = trips.length === 5 && trips.every(({ seq }, i) => i === 0 || seq === trips[i - 1].seq + 1)
  const times = trips.map(({ ms }) => ms)
  return inARow && Math.max(...times) - Math.min(...times) < 3 ? times[0] : null
}

const slowPairs: Toy = {
  family: 'slow-pairs',
  assumption: 'no two peers are far away, and one farther than the other',
  kin: ['slow-link'],
  count: 3,
  run: steadyTrips(([one, other]) => {
    if (one === null || other === null || one < 20 || other < 20) return
    if (Math.abs(one - other) > 20) broken(`${one} ms and ${other} ms`)
  }),
}

/** Says from whom ten messages or more came at once, while the receiver was awake. */
function bursts(node: ProcessContext, burst: (sender: string) => void): (text: string) => void {
  const fresh = new Map<string, number>()
  let last = nowMs(node)
  let sleptMs = Number.NEGATIVE_INFINITY
  every(node, 10, () => {
    const now = nowMs(node)
    if (now - last >= 50) sleptMs = now
    last = now
    // What came in its sleep is handled before or after this.
    for (const [sender, count] of fresh) if (now - sleptMs > 50 && count >= 10) burst(sender)
    fresh.clear()
  })
  return (sender) => fresh.set(sender, (fresh.get(sender) ?? 0) + 1)
}

const clog: Toy = {
  family: 'clog',
  assumption: 'messages do not come in bursts',
  kin: ['partition', 'swizzle'],
  count: 2,
  run: stream(
    20,
    (host, emit, seq) => emit(host, `${seq}`),
    (node) => {
      const seen = bursts(node, () => broken('a burst'))
      return () => seen('peer')
    },
  ),
}

const swizzle: Toy = {
  family: 'swizzle',
  assumption: 'only one sender bursts within a second',
  kin: ['clog', 'partition'],
  count: 3,
  run: ({ index, peers, name }, node) => {
    const seen = bursts(node, (sender) => event('burst', `${sender} → ${name}`))
    // A socket for each peer; a peer knows this process by its place among its own peers.
    const socket = (i: number): ((host: string, text: string) => void) =>
      datagrams(node, seen, 6000 + i, 6000 + (i < index ? index - 1 : index))
    const sends = peers.map((_, i) => socket(i))
    every(node, 20, () => peers.forEach((host, i) => sends[i](host, name)))
  },
  invariant: () => {
    let last: { pair: string; atMs: number } | null = null
    return ({ events, nowMs: atMs }) => {
      for (const { data } of events.fresh('burst')) {
        const before = last
        last = { pair: String(data), atMs }
        if (before !== null && before.pair !== data && atMs - before.atMs < 1000)
          return `${before.pair}, then ${String(data)}`
      }
      return true
    }
  },
}

/** A server that says who it is and then echoes. */
function serve(node: ProcessContext): void {
  const net = node.require('node:net') as typeof Net
  const boot = `${node.globalThis.Math.random()}\n`
  net
    .createServer((socket) => {
      socket.on('error', () => {})
      socket.write(boot)
      socket.on('data', (data) => socket.write(data))
    })
    .listen(80)
}

const refuse: Toy = {
  family: 'refuse',
  assumption: 'a connection is refused only when the server is away',
  count: 2,
  run: ({ index, peers }, node) => {
    if (index === 1) return serve(node)
    const net = node.require('node:net') as typeof Net
    let boot = ''
    let isSuspect = false
    const connect = (): void => {
      const socket = net.connect(80, peers[0])
      socket.once('data', (data) => {
        if (isSuspect && String(data) === boot) broken('refused, and the server is the same')
        isSuspect = false
        boot = String(data)
        socket.destroy()
      })
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED' && boot !== '') isSuspect = true
      })
      socket.on('close', () => node.globalThis.setTimeout(connect, 20))
    }
    return connect()
  },
}

/** An open connection that is asked every 20 ms; says how long it has been silent. */
function openLine(node: ProcessContext, host: string): { silentMs(): number; boot(): string } {
  const net = node.require('node:net') as typeof Net
  let heard = nowMs(node)
  let boot = ''
  let socket: Net.Socket | null = null
  const connect = (): void => {
    const own = (socket = net.connect(80, host))
    boot = ''
    own.on('data', (data) => {
      boot += boot.includes('\n') ? '' : String(data)
      heard = nowMs(node)
    })
    own.on('error', () => {})
    own.on('close', () => {
      boot = ''
      node.globalThis.setTimeout(connect, 20)
    })
  }
  connect()
  every(node, 20, () => boot !== '' && socket?.write('.'))
  return { silentMs: () => nowMs(node) - heard, boot: () => boot.split('\n', 1)[0] }
}

const connectHang: Toy = {
  family: 'connect-hang',
  assumption: 'who answers lets others in',
  kin: ['loss', 'latency-spike', 'slow-link'], // half a second for each packet of a handshake
  count: 2,
  run: ({ index, peers }, node) => {
    if (index === 1) return serve(node)
    const net = node.require('node:net') as typeof Net
    const line = openLine(node, peers[0])
    let quietMs = 0
    every(node, 10, () => (quietMs = Math.max(quietMs, line.silentMs())))
    const connect = (): void => {
      const begun = nowMs(node)
      quietMs = 0
      const socket = net.connect(80, peers[0])
      const watch = node.globalThis.setInterval(() => {
        if (nowMs(node) - begun < 300) return
        if (quietMs < 60 && line.boot() !== '') broken('it answers, and does not let in')
        socket.destroy()
      }, 10)
      socket.on('connect', () => socket.destroy())
      socket.on('error', () => {})
      socket.on('close', () => {
        node.globalThis.clearInterval(watch)
        node.globalThis.setTimeout(connect, 30)
      })
    }
    return connect()
  },
}

const halfOpen: Toy = {
  family: 'half-open',
  assumption: 'a silent connection has a silent host',
  kin: ['loss', 'latency-spike', 'slow-link', 'pause'], // a new connection may be answered first
  count: 2,
  run: ({ index, peers }, node) => {
    if (index === 1) return serve(node)
    const net = node.require('node:net') as typeof Net
    const line = openLine(node, peers[0])
    const ask = (): void => {
      const before = line.boot()
      if (line.silentMs() < 250 || before === '') return void node.globalThis.setTimeout(ask, 20)
      const socket = net.connect(80, peers[0])
      socket.once('data', (data) => {
        node.globalThis.setTimeout(() => {
          const same = String(data).startsWith(before) && line.boot() === before
          if (same && line.silentMs() > 250) broken('a new connection answers, the old one is silent')
          socket.destroy()
        }, 50)
      })
      socket.on('error', () => {})
      socket.on('close', () => node.globalThis.setTimeout(ask, 20))
      node.globalThis.setTimeout(() => socket.destroy(), 200)
      return undefined
    }
    return ask()
  },
}

const byzantine: Toy = {
  family: 'byzantine',
  assumption: 'nobody changes a letter',
  budget: { byzantineLinks: true },
  count: 2,
  run: stream(
    5,
    (host, emit) => emit(host, 'AAAAAAAA'),
    () => (text) => void (/^A*BA*$/.test(text) && broken(text)),
  ),
}

export const NETWORK_TOYS: readonly Toy[] = [
  latencySpike,
  slowPairs,
  clog,
  swizzle,
  refuse,
  connectHang,
  halfOpen,
  byzantine,
]
