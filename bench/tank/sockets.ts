/** TCP and HTTP between two unmodified programs, in the tank and as real processes on loopback. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { figure, medianReading, type Reading, type Row } from './measurement.ts'
import { REQUESTS } from './pairs-run.ts'
import { runReal } from './real-run.ts'
import { ROOT, runInTank } from './tank-run.ts'

const ROUNDS = 3
const EXPRESS = `${ROOT}/test/packages/node_modules/express`

interface Work {
  readonly server: string
  readonly client: string
  readonly count: number
  readonly env: Readonly<Record<string, string>>
}

async function both({ server, client, count, env }: Work): Promise<{ tank: Reading; real: Reading }> {
  const shared = { ...env, COUNT: String(count) }
  const tank: Reading[] = []
  const real: Reading[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const common = { ...shared, PORT: '7000', SERVER: 'server' }
    tank.push(
      await runInTank([
        { name: 'server', program: server, env: common },
        { name: 'client', program: client, env: { ...common, PAUSE_MS: '100' } },
      ]),
    )
    real.push(await runReal({ program: server, env: shared }, { program: client, env: shared }))
  }
  return { tank: medianReading(tank), real: medianReading(real) }
}

function rowOf(
  what: string,
  unit: string,
  count: number,
  bar: number,
  measured: { tank: Reading; real: Reading },
): Row {
  const { tank, real } = measured
  const times = real.cpuMs / tank.cpuMs
  const wall = real.wallMs / tank.wallMs
  return {
    what,
    measured: `${figure((count / tank.cpuMs) * 1_000)} ${unit}/s, ${times.toFixed(2)}× real`,
    bar: `${bar}× real`,
    ratio: times / bar,
    note: `real ${figure((count / real.cpuMs) * 1_000)}/s; by wall time ${wall.toFixed(2)}×`,
  }
}

export async function pingPong(): Promise<Row> {
  const count = 40_000
  const measured = await both({
    server: 'ping-server.cjs',
    client: 'ping-client.cjs',
    count,
    env: { WARM: '10000' },
  })
  return rowOf('TCP ping-pong', 'round trips', count, 3, measured)
}

export async function express(): Promise<Row> {
  const what = 'express, http clients'
  const bar = '1× real'
  if (!existsSync(EXPRESS)) {
    return { what, measured: 'skipped', bar, ratio: null, note: 'npm install in test/packages gives express' }
  }
  const count = 3_000
  const env = { WARM: '1500', CHAINS: '8', EXPRESS }
  const measured = await both({ server: 'express-server.cjs', client: 'http-client.cjs', count, env })
  return rowOf(what, 'requests', count, 1, measured)
}

/** Rounds until everything is compiled, and rounds that count. */
const WARM_ROUNDS = 5
const COUNTED_ROUNDS = 21

/**
 * The same requests over one pair of processes with a hundred connections, and over a hundred pairs with one each. Each
 * of the two in a Node of its own, since V8 would serve neither of them well after having learned from both. They take
 * turns round by round, since a shared machine's mood lasts longer than a round.
 */
export async function manyPairs(): Promise<Row> {
  const sides = [1, 100].map((pairs) => ({ node: pairsInNode(pairs), readings: [] as Reading[] }))
  try {
    for (let round = 0; round < WARM_ROUNDS + COUNTED_ROUNDS; round++) {
      for (const { node, readings } of sides) {
        const reading = await node.round()
        if (round >= WARM_ROUNDS) readings.push(reading)
      }
    }
  } finally {
    for (const { node } of sides) node.end()
  }
  const [one, hundred] = sides.map(({ readings }) => medianReading(readings).cpuMs)
  const times = hundred / one
  return {
    what: 'HTTP over 100 pairs against 1',
    measured: `${times.toFixed(2)}×`,
    bar: 'at most 1.5×',
    ratio: 1.5 / times,
    note: `${REQUESTS} requests in ${figure(one)} and ${figure(hundred)} ms`,
  }
}

/** A Node that runs pairs-run.ts. */
function pairsInNode(pairs: number): { round(): Promise<Reading>; end(): void } {
  const execArgv = ['--import', `${ROOT}/scripts/typescript.mjs`]
  const child = fork(`${ROOT}/bench/tank/pairs-run.ts`, [String(pairs)], { execArgv })
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`${pairs} pairs: exit code ${code}`)
  })
  exited.catch(() => {}) // it is ended when the rounds are over
  return {
    async round() {
      const answered = once(child, 'message') as Promise<[Reading]>
      child.send('round')
      const [reading] = await Promise.race([answered, exited])
      return reading
    },
    end: () => child.kill(),
  }
}
