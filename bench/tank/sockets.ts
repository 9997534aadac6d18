/** TCP and HTTP between two unmodified programs, in the tank and as real processes on loopback. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { figure, medianReading, type Reading, type Row } from './measurement.ts'
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

/** How often the two sides take turns: a shared machine's mood lasts longer than one of them. */
const TURNS = 3

/**
 * The same requests over one pair of processes with a hundred connections, and over a hundred pairs with one each. Each
 * of the two in a Node of its own, since V8 would serve neither of them well after having learned from both.
 */
export async function manyPairs(): Promise<Row> {
  const ones: Reading[] = []
  const hundreds: Reading[] = []
  let requests = 0
  for (let turn = 0; turn < TURNS; turn++) {
    const one = await pairsInNode(1)
    ones.push(one.reading)
    hundreds.push((await pairsInNode(100)).reading)
    ;({ requests } = one)
  }
  const [one, hundred] = [ones, hundreds].map((readings) => medianReading(readings).cpuMs)
  const times = hundred / one
  return {
    what: 'HTTP over 100 pairs against 1',
    measured: `${times.toFixed(2)}×`,
    bar: 'at most 1.5×',
    ratio: 1.5 / times,
    note: `${requests} requests in ${figure(one)} and ${figure(hundred)} ms`,
  }
}

/** Runs pairs-run.ts; gives the median of its rounds. */
async function pairsInNode(pairs: number): Promise<{ requests: number; reading: Reading }> {
  const program = `${ROOT}/bench/tank/pairs-run.ts`
  const args = ['--import', `${ROOT}/scripts/typescript.mjs`, program, String(pairs)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const { requests, readings } = JSON.parse(stdout) as { requests: number; readings: Reading[] }
  return { requests, reading: medianReading(readings) }
}
