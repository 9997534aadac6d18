/**
 * The fault catalogue as data: for every family what it does, its parameters, the evidence on the victim's side that
 * proves a landing, how it is cleaned up, and what it cannot do. `wavetank faults` prints it and docs/faults.md is
 * generated from it. It describes; the mechanism of the tank is in the family of the same name (`families.ts`), and how
 * often a family strikes is in `levels.ts`. Real processes bring mechanisms, evidence and limits of their own for the
 * same entries: `catalogue/real.ts`.
 */
import type { FaultGroup } from './fault-record.ts'
import { CLOCK_FAULTS } from './catalogue/clock.ts'
import { CLUSTER_FAULTS } from './catalogue/cluster.ts'
import { DISK_FAULTS } from './catalogue/disk.ts'
import { NETWORK_FAULTS } from './catalogue/network.ts'
import { PROCESS_FAULTS } from './catalogue/process.ts'
import { REAL_FAULTS } from './catalogue/real.ts'
import type { FamilyName } from './levels.ts'

/** Where a fault can be injected: the simulated world, or processes of the real machine. */
export type FaultWorld = 'tank' | 'real'

/** Something that a strike draws: a range with both ends included, or a list. */
export interface FaultParameter {
  /** The label of its choice. */
  readonly name: string
  readonly unit: string
  /** What a strike draws if nothing else is said. */
  readonly drawn: { readonly least: number; readonly most: number } | { readonly of: readonly string[] }
  readonly text: string
}

/** What a fault is, in any world. */
interface FaultDescription {
  readonly name: FamilyName
  readonly group: FaultGroup
  /** One sentence. */
  readonly text: string
  /** What a strike draws in the tank. */
  readonly parameters: readonly FaultParameter[]
}

/** How one world brings a fault about, and how it shows. */
export interface FaultInWorld {
  /** What happens. */
  readonly mechanism: string
  /** What is counted on the victim's side; the injection itself never counts. */
  readonly landing: string
  readonly cleanup: string
  /** What it does not do, and what the budget forbids. */
  readonly cannot: string
}

/** An entry as the files of `catalogue/` write it: every fault exists in the tank. */
export interface TankFault extends FaultDescription, FaultInWorld {}

export interface FaultEntry extends FaultDescription {
  readonly worlds: Readonly<Partial<Record<FaultWorld, FaultInWorld>>>
}

export const FAULTS: readonly FaultEntry[] = [
  ...PROCESS_FAULTS,
  ...NETWORK_FAULTS,
  ...DISK_FAULTS,
  ...CLOCK_FAULTS,
  ...CLUSTER_FAULTS,
].map(({ name, group, text, parameters, ...tank }) => {
  const { [name]: real } = REAL_FAULTS
  return { name, group, text, parameters, worlds: real === undefined ? { tank } : { tank, real } }
})
