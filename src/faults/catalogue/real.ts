/**
 * How faults of the catalogue are brought about among real processes, and how they show there. A fault that has no entry
 * here exists only in the tank.
 */
import type { FaultInWorld } from '../catalogue.ts'
import type { FamilyName } from '../levels.ts'

export const REAL_FAULTS: Readonly<Partial<Record<FamilyName, FaultInWorld>>> = {}
