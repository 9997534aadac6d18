/**
 * The kernel's and the network's bare speed, without any Node library above: what a program in the tank can at most get.
 * Peers in the same run: the host's own `setTimeout`, and a plain binary heap that only sorts numbers.
 *
 *     node bench/kernel.ts
 */
import { performance } from 'node:perf_hooks'
import { Kernel } from '../src/kernel/kernel.ts'
import type { KernelEvent } from '../src/kernel/event.ts'
import { World } from '../src/world/world.ts'

const ROUNDS = 5

/** The best of several rounds, in operations per second. */
function best(operations: number, body: () => void): number {
  let seconds = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    body()
    seconds = Math.min(seconds, (performance.now() - start) / 1_000)
  }
  return operations / seconds
}

function timers(events: number, pending: number): void {
  const kernel = new Kernel({ seed: 1 })
  const actor = kernel.actor('timers')
  let left = events
  for (let i = 0; i < pending; i++) {
    const period = 1_000 + ((i * 7919) % 1_000)
    const event: KernelEvent = kernel.schedule(actor, 'timer', period, () => {
      if (left-- > pending) kernel.arm(event, kernel.now + period)
    })
  }
  kernel.run()
}

/** A new event for every occurrence, as a program's one-shot timers are. */
function oneShots(events: number, pending: number): void {
  const kernel = new Kernel({ seed: 1 })
  const actor = kernel.actor('timers')
  let left = events
  const fire = (): void => {
    if (left-- > pending) kernel.schedule(actor, 'timer', 1_000, fire)
  }
  for (let i = 0; i < pending; i++) kernel.schedule(actor, 'timer', i, fire)
  kernel.run()
}

function messages(count: number, jitter: boolean): void {
  const world = new World({
    seed: 1,
    ...(jitter && { link: { latency: { kind: 'uniform', minUs: 100, maxUs: 1_000 }, splitPpm: 10_000 } }),
  })
  const [a, b] = [world.addHost('a'), world.addHost('b')]
  const [client, server] = [world.kernel.actor('client'), world.kernel.actor('server')]
  const none = (): void => {}
  const listener = b.net.listenTcp(server, { address: '0.0.0.0', port: 80 })
  if (typeof listener === 'string') throw new Error(listener)
  listener.onconnection = (endpoint) => {
    endpoint.ondata = (bytes) => void endpoint.write([bytes], none)
    endpoint.readStart()
  }
  let left = count / 2
  const endpoint = a.net.connectTcp(client, { address: b.address, port: 80 }, none)
  if (typeof endpoint === 'string') throw new Error(endpoint)
  endpoint.ondata = (bytes) => void (--left > 0 && endpoint.write([bytes], none))
  endpoint.readStart()
  endpoint.write([new Uint8Array(100)], none)
  world.kernel.run()
  if (left > 0) throw new Error(`${left} messages are missing`)
}

async function hostTimers(count: number): Promise<number> {
  const start = performance.now()
  await new Promise<void>((resolve) => {
    let left = count
    const fire = (): void => {
      if (--left === 0) resolve()
      else if (left >= 1_000) setTimeout(fire, 0)
    }
    for (let i = 0; i < 1_000; i++) setTimeout(fire, 0)
  })
  return count / ((performance.now() - start) / 1_000)
}

const peer = await hostTimers(200_000)
const rows: readonly (readonly [string, number])[] = [
  ['host setTimeout(0), 1,000 pending', peer],
  ['kernel timers re-armed, 1,000 pending', best(1_000_000, () => timers(1_000_000, 1_000))],
  ['kernel one-shot timers, 1,000 pending', best(1_000_000, () => oneShots(1_000_000, 1_000))],
  ['TCP messages, plain link', best(400_000, () => messages(400_000, false))],
  ['TCP messages, jitter and split segments', best(400_000, () => messages(400_000, true))],
]
for (const [name, perSecond] of rows) {
  console.log(
    `${name.padEnd(42)} ${Math.round(perSecond).toLocaleString('en').padStart(12)}/s  ${(perSecond / peer).toFixed(2)}× host timers`,
  )
}
