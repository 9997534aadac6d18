/**
 * node --import ./scripts/typescript.mjs bench/tank/pairs-run.ts PAIRS, forked: for every message a round of requests over a
 * hundred connections, spread over so many pairs of processes; answers with its reading. Before each reading every
 * connection is made and has had some requests, as booting is over too: what a process does once is not work.
 */
import { runInTank, type TankProcess } from './tank-run.ts'

const CONNECTIONS = 100
const REQUESTS_PER_CONNECTION = 60
const WARM_PER_CONNECTION = 10

export const REQUESTS = CONNECTIONS * REQUESTS_PER_CONNECTION

function pair(name: string, chains: number): TankProcess[] {
  const env = {
    PORT: '8080',
    SERVER: `server${name}`,
    CHAINS: String(chains),
    PAUSE_MS: '5000',
    WARM: String(chains * WARM_PER_CONNECTION),
    COUNT: String(chains * REQUESTS_PER_CONNECTION),
  }
  return [
    { name: `server${name}`, program: 'http-server.cjs', env },
    { name: `client${name}`, program: 'http-client.cjs', env },
  ]
}

if (process.send !== undefined) {
  const pairs = Number(process.argv[2])
  const processes = Array.from({ length: pairs }, (_, i) => pair(String(i), CONNECTIONS / pairs)).flat()
  process.on('message', () => void runInTank(processes).then((reading) => process.send!(reading)))
}
