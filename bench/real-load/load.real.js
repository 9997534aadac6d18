/**
 * How much load one machine records: clients of a register in memory, each with a connection of its own.
 *
 *     npx wavetank real test bench/real-load/load.real.js --rate 5000 --concurrency 32
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { simulation } from 'wavetank'

export default simulation('load', {
  processes: { register: { entry: './server.js' } },
  workload: {
    clients: 32,
    async open() {
      const socket = connect({ host: 'register', port: 7000, noDelay: true })
      socket.setEncoding('latin1')
      await once(socket, 'connect')
      let answer = null
      socket.on('data', (text) => answer?.(Number(text)))
      return (request) =>
        new Promise((resolve) => {
          answer = resolve
          socket.write(`${request}\n`)
        })
    },
    run: ({ operation, rng, client, index, state: ask }) =>
      rng.chance(0.5)
        ? operation('read', () => ask('r'))
        : operation('write', { input: client * 1e6 + index }, () => ask(`w${client * 1e6 + index}`)),
  },
  invariants: {
    'values are numbers': ({ events }) => {
      for (const { data } of events.fresh('operation'))
        if (data.type === 'ok' && !Number.isFinite(data.value)) return `${data.value}`
      return true
    },
  },
})
