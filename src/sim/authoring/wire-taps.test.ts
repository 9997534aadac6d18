import type * as Dgram from 'node:dgram'
import type * as Net from 'node:net'
import { describe, expect, it } from 'vitest'
import type { ProcessContext } from '../../node/index.ts'
import type { SimulationDefinition } from './definition.ts'
import type { RunRecord } from '../running/run.ts'
import { runInline as run } from '../running/run.test-support.ts'
import type { WireEvent, WireTap } from './wire-taps.ts'

/** Answers `{"n":…}` lines with the double; `write` says how a text leaves. */
function doubler(write: (socket: Net.Socket, text: string) => void) {
  return (_process: unknown, node: ProcessContext): void => {
    const net = node.require('node:net') as typeof Net
    const server = net.createServer((socket) => {
      let rest = ''
      socket.on('data', (data) => {
        const lines = (rest + String(data)).split('\n')
        rest = lines.pop()!
        for (const line of lines) write(socket, `${JSON.stringify({ n: JSON.parse(line).n * 2 })}\n`)
      })
    })
    server.listen(7000)
  }
}

const whole = doubler((socket, text) => socket.write(text))
/** Byte by byte: messages are what the decoder says, not what was written at once. */
const inPieces = doubler((socket, text) => {
  for (const letter of text) socket.write(letter)
})

function asking(node: () => ProcessContext): SimulationDefinition['workload'] {
  return {
    clients: 2,
    operations: 2,
    async run({ operation, client, index }) {
      const net = node().require('node:net') as typeof Net
      await operation('double', { input: client * 10 + index }, () => {
        return new Promise((resolve) => {
          const socket = net.connect(7000, 'doubler')
          socket.on('data', (data) => {
            if (!String(data).endsWith('\n')) return
            socket.destroy()
            resolve(String(data))
          })
          socket.write(`{"n":${client * 10 + index}}\n`)
        })
      })
    },
  }
}

/** The workload runs inline: it borrows the modules of a process that does nothing else. */
function simulationOf(
  server: (process: unknown, node: ProcessContext) => void,
  more: Partial<SimulationDefinition>,
): SimulationDefinition {
  let lent: ProcessContext | null = null
  return {
    processes: { doubler: { run: server }, lender: { run: (_, node) => void (lent = node) } },
    workload: asking(() => lent!),
    ...more,
  }
}

function wire({ events }: RunRecord): WireEvent[] {
  return events.filter((event) => event.name === 'wire').map((event) => event.data as WireEvent)
}

describe('a wire tap', () => {
  it.each([
    ['whole', whole],
    ['in pieces', inPieces],
  ] as const)('publishes messages sent %s, with both ends, direction and connection', async (_, server) => {
    const record = await run(simulationOf(server, { taps: { doubler: { port: 7000, decode: 'json' } } }))
    expect(record.result.failure).toBeNull()
    const seen = wire(record)
    const requests = seen.filter((each) => each.direction === 'request')
    const replies = seen.filter((each) => each.direction === 'reply')
    expect(requests).toHaveLength(4)
    for (const request of requests) {
      expect(request).toMatchObject({ tap: 'doubler', protocol: 'tcp', from: 'workload', to: 'doubler' })
      const answer = replies.filter(({ connection }) => connection === request.connection)
      const { n } = request.message as { n: number }
      expect(answer.map(({ from, to, message }) => [from, to, message])).toEqual([
        ['doubler', 'workload', { n: n * 2 }],
      ])
    }
    expect(new Set(requests.map(({ connection }) => connection)).size).toBe(4)
  })

  it('lets an invariant see a wrong answer at the step that sent it, which no client has read yet', async () => {
    const wrong = doubler((socket, text) => socket.write(text.replace('22', '23')))
    const invariants: SimulationDefinition['invariants'] = {
      'answers are even': ({ events }) => {
        for (const { data } of events.fresh('wire'))
          if ((data.message as { n: number }).n % 2 === 1 && data.direction === 'reply') return 'an odd one'
        return true
      },
    }
    const taps = { doubler: { port: 7000, decode: 'json' } as const }
    const { result, events } = await run(simulationOf(wrong, { taps, invariants }))
    expect(result.failure).toMatchObject({ category: 'invariant', title: 'answers are even' })
    expect(events.some(({ data }) => (data as { value?: unknown }).value === '{"n":23}\n')).toBe(false)
    expect((await run(simulationOf(whole, { taps, invariants }))).result.failure).toBeNull()
  })

  it('splits by a decoder of the user’s own, one per direction and connection', async () => {
    let made = 0
    const decode: WireTap['decode'] = () => {
      made++
      let bytes = 0
      return (more) => [(bytes += more.length)]
    }
    const seen = wire(await run(simulationOf(whole, { taps: { sizes: { port: 7000, decode } } })))
    expect(made).toBe(8)
    expect(seen.every(({ message }) => typeof message === 'number')).toBe(true)
  })

  it('reports a decoder that throws', async () => {
    const decode: WireTap['decode'] = () => () => {
      throw new Error('not my protocol')
    }
    const { result } = await run(simulationOf(whole, { taps: { odd: { port: 7000, decode } } }))
    expect(result.failure).toMatchObject({
      category: 'workload',
      title: 'taps.odd.decode',
      message: 'not my protocol',
    })
  })

  it('changes nothing, and sees nothing of another port', async () => {
    const plain = await run(simulationOf(whole, {}))
    const tapped = await run(simulationOf(whole, { taps: { other: { port: 7001 } } }))
    expect(wire(tapped)).toEqual([])
    expect(tapped.result.digest).toBe(plain.result.digest)
  })

  it('sees datagrams, each by itself, and unix sockets by their path', async () => {
    const both = (_process: unknown, node: ProcessContext): void => {
      const dgram = node.require('node:dgram') as typeof Dgram
      const net = node.require('node:net') as typeof Net
      const receiver = dgram.createSocket('udp4').bind(5000)
      dgram.createSocket('udp4').send('ping', 5000, 'both', () => receiver.close())
      const server = net
        .createServer((socket) => socket.end('over a path'))
        .listen('/tmp/x.sock', () => {
          net.connect('/tmp/x.sock').on('end', () => server.close())
        })
    }
    const record = await run({
      processes: { both: { run: both } },
      workload: { clients: 1, operations: 0, run: () => {} },
      taps: { pings: { port: 5000, decode: 'text' }, local: { path: '/tmp/x.sock', decode: 'text' } },
    })
    expect(
      wire(record).map(({ tap, protocol, direction, message }) => [tap, protocol, direction, message]),
    ).toEqual([
      ['local', 'local', 'reply', 'over a path'],
      ['pings', 'udp', 'request', 'ping'],
    ])
  })
})
