/**
 * The mutants of the shard coordinator: one guard removed each, by a switch in the source (../mutants.js). Each has the
 * least level that shows it and the rules that may catch it. `npm run mutants -- --system shard-coordinator` runs them.
 */
import { simulation, type LevelName, type Simulation } from 'wavetank'
import { shardCluster } from './shard-cluster.ts'
import type { Rule } from './shard-rules.ts'
import { FINDINGS_FIRST, shardScan } from './shard-scan.ts'
import type { WorkerState } from './shard-client.ts'

export interface Mutant {
  readonly name: string
  readonly level: LevelName
  readonly rules: readonly string[]
  readonly simulation: string
}

export const MUTANTS: Mutant[] = []

function mutant(name: string, level: LevelName, ...rules: Rule[]): Simulation<WorkerState> {
  MUTANTS.push({ name, level, rules, simulation: `shard-coordinator ${name}` })
  return simulation(`shard-coordinator ${name}`, shardCluster({ mutant: name }))
}

// Leases and fences.
export const staleFence = mutant(
  'stale-fence-accepted',
  'sunny',
  'an old fence is refused',
  'checks come in their order',
)
export const deadlineIncluded = mutant(
  'deadline-included',
  'sunny',
  'an expired lease does nothing',
  'checks come in their order',
)
export const ownerNotChecked = mutant(
  'owner-not-checked',
  'sunny',
  'only the holder of a lease works on its shard',
)
export const fenceNotRaised = mutant(
  'fence-not-raised',
  'sunny',
  'the fence of a shard rises with every new holder',
)
export const claimTakesHeld = mutant('claim-takes-held', 'sunny', 'a shard has at most one lease at a time')
export const noCooldown = mutant('no-cooldown', 'sunny', 'a worker waits between two claims')
export const hintForgetsExpiry = mutant(
  'hint-forgets-expiry',
  'sunny',
  'the hint says how many shards are free',
)
export const expiryByOwnClock = mutant(
  'expiry-by-own-clock',
  'sunny',
  'cluster time does not run ahead of real time',
  'servers agree on every entry',
)

export const expiryBeforeFence = mutant('expiry-before-fence', 'sunny', 'checks come in their order')

// States.
export const refusalNamesOwner = mutant(
  'refusal-names-owner',
  'sunny',
  'a refusal says what is documented, and no more',
)
export const throttledClaimCounts = mutant(
  'throttled-claim-counts',
  'sunny',
  'what is refused or answered again changes nothing',
)
export const claimTakesLast = mutant('claim-takes-last', 'sunny', 'a claim gets the first free shard')
export const terminalLeft = mutant('terminal-left', 'sunny', 'a terminal shard stays as it is')
export const unparkKeepsFence = mutant(
  'unpark-keeps-fence',
  'sunny',
  'a shard that is unparked has a new fence',
)
export const parkKeepsLease = mutant('park-keeps-lease', 'sunny', 'a record is whole')
export const runReopened = mutant('run-reopened', 'sunny', 'a run that is over stays as it is')

// Repeated operations.
export const leaseBeforeId = mutant(
  'lease-before-id',
  'sunny',
  'a repeated operation gets its first answer',
  'an operation id stands for one operation',
)
export const conflictNotNoticed = mutant(
  'conflict-not-noticed',
  'sunny',
  'an operation id stands for one operation',
)
export const logNotInSnapshot = mutant(
  'log-not-in-snapshot',
  'stormy',
  'a repeated operation gets its first answer',
  'servers agree on every entry',
)
export const logWithoutLimit = mutant('log-without-limit', 'sunny', 'a record is whole')
export const residualForgotten = mutant(
  'residual-forgotten',
  'sunny',
  'a repeated operation gets its first answer',
)
export const forgottenConflict = mutant(
  'forgotten-conflict',
  'sunny',
  'an operation id stands for one operation',
)

// Cursors and splits.
export const cursorGoesBack = mutant('cursor-goes-back', 'sunny', 'a cursor never goes back')
export const cursorLeavesShard = mutant('cursor-leaves-shard', 'sunny', 'a cursor stays inside its shard')
export const splitSkipsAKey = mutant(
  'split-skips-a-key',
  'sunny',
  'the children of a split cover their parent exactly',
)
export const splitGapsAccepted = mutant(
  'split-gaps-accepted',
  'sunny',
  'the children of a split cover their parent exactly',
)
export const splitAnswersAllChildren = mutant(
  'split-answers-all-children',
  'sunny',
  'the answer to a split names its children',
)

// The ledger.
export const ledgerWithoutLease = mutant(
  'ledger-without-lease',
  'sunny',
  'a finding has the fence of its shard',
  'no finding comes after the end of its shard',
  'a finding names a lease that was given',
  'an expired lease does nothing',
  'checks come in their order', // it is refused for its keys, and not for its fence
)
export const ledgerTakesTwice = mutant('ledger-takes-twice', 'sunny', 'a finding is recorded once')

// The worker.
MUTANTS.push({
  name: 'cursor-before-findings',
  level: 'sunny',
  rules: [FINDINGS_FIRST],
  simulation: 'shard-scan cursor-before-findings',
})
export const cursorBeforeFindings = simulation(
  'shard-scan cursor-before-findings',
  shardScan({ mutant: 'cursor-before-findings' }),
)
