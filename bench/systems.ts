/**
 * npm run bench:systems: how much faster than real time the example systems run in the tank, by wall time and by the
 * processor time of the one thread that runs them.
 *
 * - five idle Raft servers: at least 1,000 times real time.
 */
import { fileURLToPath } from 'node:url'
import { simulate } from '../src/index.ts'

const RAFT_IDLE = fileURLToPath(new URL('systems/raft-idle.ts', import.meta.url))

await simulate(RAFT_IDLE, { seeds: 1, jobs: 0 }) // warm
const before = process.cpuUsage()
const result = await simulate(RAFT_IDLE, { firstSeed: 2, seeds: 3, jobs: 0 })
const { user, system } = process.cpuUsage(before)
const { count } = result.seeds
const runs = count + result.verified.seeds // some seeds are run twice and compared
const virtualUs = (result.simulatedUs / count) * runs
const perWall = virtualUs / 1000 / result.wallMs
const perCpu = virtualUs / (user + system)
console.log(
  `five idle Raft servers: ${Math.round(virtualUs / 1e6)} s of virtual time in ${runs} runs, ${result.verdict}`,
)
console.log(
  `  ${perWall.toFixed(0)} times real time by wall time, ${perCpu.toFixed(0)} by processor time (bar: 1,000)`,
)
