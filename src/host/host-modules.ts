/**
 * The modules that are the same inside the tank and outside: wavetank's own. A program that imports `wavetank` gets the
 * instance that runs it, so that its assertions and events reach the run.
 */
import * as checkers from '../checkers/index.ts'
import * as history from '../history/index.ts'
import * as wavetank from '../index.ts'
import * as invariants from '../sim/invariants/index.ts'
import * as workloads from '../sim/workloads/index.ts'
import * as maelstromNode from '../maelstrom/node-library/index.ts'
import * as maelstromSimulation from '../maelstrom/simulation.ts'

export const HOST_MODULES: Readonly<Record<string, unknown>> = {
  wavetank,
  'wavetank/checkers': checkers,
  'wavetank/history': history,
  'wavetank/invariants': invariants,
  'wavetank/workloads': workloads,
  'wavetank/maelstrom': maelstromNode,
  'wavetank/maelstrom/simulation': maelstromSimulation,
}
