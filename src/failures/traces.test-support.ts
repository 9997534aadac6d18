/** A trace of each kind, for tests. */
import { SharedCell } from '../explore/authoring/shared-cell.ts'
import { exploreClosure } from '../explore/search/closure.ts'
import { runOptionsOf } from '../explore/search/options.ts'
import { raceTrace } from './recorded-race.ts'
import type { RaceTrace, SimulationTrace } from './trace-file.ts'

export const SIMULATION: SimulationTrace = {
  kind: 'simulation',
  seed: 151,
  choices: [
    { entity: 'tcp n1→n2 #0 out', label: 'latency', index: 17, n: 901, value: 345 },
    { entity: 'nemesis', label: 'family', index: 0, n: 4, value: 3 },
    { entity: 'tcp n1→n2 #0 out', label: 'latency', index: 18, n: 901, value: 1 },
  ],
  failure: {
    category: 'invariant',
    title: 'money is conserved',
    message: '95 is not 100',
    signature: 'invariant: money is conserved (# is not #)',
    step: 3,
    timeUs: 12,
    process: null,
    stack: null,
    details: null,
  },
  program: { 'bank.sim.ts': 'aa', 'server.js': 'bb' },
  nodeVersion: 'v20.20.2',
  wavetank: '0.1.0',
  steps: 3,
  digest: '0123456789abcdef',
  hashes: Uint32Array.of(1, 2, 0x3ffff),
  config: {
    simulation: { file: 'bank.sim.ts', name: 'bank' },
    level: 'stormy',
    shrunk: { before: 100, after: 3, faults: 1, runs: 50, minimal: true },
    inline: null,
  },
}

/** Two deposits of which one is lost. */
export async function raceExample(): Promise<RaceTrace> {
  const found = await exploreClosure(
    async (t) => {
      const balance = new SharedCell(t, 'balance', 0)
      const deposit = async () => balance.set((await balance.get()) + 1)
      await Promise.all([t.task('a', deposit), t.task('b', deposit)])
      t.assert(balance.peek() === 2, 'a deposit was lost')
    },
    { strategy: 'random' },
  )
  if (found.kind !== 'found') throw new Error('nothing was found', { cause: found })
  return raceTrace({ file: 'bank.race.ts', title: 'deposits' }, 'source', found.finding, runOptionsOf({}))
}
