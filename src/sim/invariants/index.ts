/** Ready invariants over published events: `exclusiveLeases({ event: 'lease', read: (data: MyLease) => … })`. */
export {
  conserved,
  convergedReplicas,
  exactCoverage,
  exclusiveLeases,
  growingCursors,
  growingFences,
  idempotent,
  oneLeaderPerTerm,
  progressWithin,
  readYourWrites,
  terminalStates,
  type LeaseFact,
} from './promises.ts'
export type { Reading } from './watching.ts'
