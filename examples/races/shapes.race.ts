/** The shapes that races come in. The ones called "broken" fail; shapes.test.ts runs them all. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { race } from 'wavetank/vitest'
import { linearizable, models } from 'wavetank/checkers'
import { Recorder } from 'wavetank/history'
import { CounterFile } from './counter-file.ts'

race('broken: check, then act', async (t) => {
  const counter = new CounterFile('/tmp/counter')
  const outcomes = await Promise.all(['a', 'b'].map((name) => t.task(name, () => counter.createIfMissing())))
  t.assert(outcomes.filter((outcome) => outcome === 'created').length === 1, 'both created it')
})

race('broken: lost update', async (t) => {
  const counter = new CounterFile('/tmp/counter')
  await counter.createIfMissing()
  await Promise.all(['a', 'b'].map((name) => t.task(name, () => counter.increment())))
  t.assert((await counter.value()) === 2, 'an update was lost')
})

race('updates in turn are all kept', async (t) => {
  const counter = new CounterFile('/tmp/counter')
  await counter.createIfMissing()
  await Promise.all(['a', 'b'].map((name) => t.task(name, () => counter.incrementInTurn())))
  t.assert((await counter.value()) === 2, 'an update was lost')
})

race('broken: messages of two connections in the order of their sending', async (t) => {
  const heard: string[] = []
  const server = createServer((socket) => socket.on('data', (bytes) => heard.push(String(bytes))))
  await once(server.listen(0), 'listening')
  const { port } = server.address() as AddressInfo
  const sockets = [connect(port), connect(port)]
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  sockets[0].end('first')
  sockets[1].end('second')
  while (heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 1))
  t.assert(heard.join() === 'first,second', `heard ${heard.join()}`)
})

race('broken: a counter that is linearizable', async (t) => {
  const counter = new CounterFile('/tmp/counter')
  await counter.createIfMissing()
  const recorder = new Recorder({ now: () => performance.now() * 1_000 })
  const record = async (process: string, f: 'increment' | 'read') => {
    const operation = recorder.begin({ process, f })
    operation.ok(f === 'read' ? await counter.value() : await counter.increment())
  }
  await Promise.all([
    t.task('a', () => record('a', 'increment')),
    t.task('b', () => record('b', 'increment')),
  ])
  await record('c', 'read')
  const { verdict, anomalies } = linearizable(recorder.history(), models.counter())
  t.assert(verdict === 'valid', anomalies[0]?.message ?? verdict)
})
