/** TCP and HTTP between two unmodified programs, in the tank and as real processes on loopback. */
import { existsSync } from 'node:fs'
import { figure, medianReading, type Reading, type Row } from './measurement.ts'
import { runReal } from './real-run.ts'
import { ROOT, runInTank } from './tank-run.ts'

const ROUNDS = 3
/** Both sides change from round to round until everything is compiled. */
const PAIR_ROUNDS = 11
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

/**
 * The same requests over one pair of processes with a hundred connections, and over a hundred pairs with one each. Before
 * that every connection is made and has had some requests, as booting is over too: what a process does once is not work.
 */
export async function manyPairs(): Promise<Row> {
  const pairs = 100
  const perPair = 60
  const warmPerPair = 10
  const pair = (name: string, chains: number) => {
    const common = { PORT: '8080', SERVER: `server${name}`, CHAINS: String(chains), PAUSE_MS: '5000' }
    const env = { ...common, WARM: String(chains * warmPerPair), COUNT: String(chains * perPair) }
    return [
      { name: `server${name}`, program: 'http-server.cjs', env },
      { name: `client${name}`, program: 'http-client.cjs', env },
    ]
  }
  const many = Array.from({ length: pairs }, (_, i) => pair(String(i), 1)).flat()
  const one: Reading[] = []
  const hundred: Reading[] = []
  for (let round = 0; round < PAIR_ROUNDS; round++) {
    one.push(await runInTank(pair('', pairs)))
    hundred.push(await runInTank(many))
  }
  const times = medianReading(hundred).cpuMs / medianReading(one).cpuMs
  return {
    what: 'HTTP over 100 pairs against 1',
    measured: `${times.toFixed(2)}×`,
    bar: 'at most 1.5×',
    ratio: 1.5 / times,
    note: `${pairs * perPair} requests in ${figure(medianReading(one).cpuMs)} and ${figure(medianReading(hundred).cpuMs)} ms`,
  }
}
