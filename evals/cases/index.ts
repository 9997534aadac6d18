/** All cases: at least three for each skill. */
import type { EvalCase } from '../case.ts'
import { CLUSTER_CASES } from './clusters.ts'
import { PLAN_CASES } from './plans.ts'
import { SIMULATION_CASES } from './simulations.ts'
import { SOURCE_CASES } from './sources.ts'

export const CASES: readonly EvalCase[] = [
  ...SIMULATION_CASES,
  ...SOURCE_CASES,
  ...PLAN_CASES,
  ...CLUSTER_CASES,
]
