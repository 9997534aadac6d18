/** Which questions of the audits a scenario must answer itself, because what it binds leaves no evidence for them. */
import { GREEN_BUT_BROKEN, WEAK_ORACLE } from '../catalog/audits.ts'
import type { Binding } from '../model/binding.ts'
import type { Scenario } from '../model/plan.ts'
import { PARTITIONS } from '../verdict/audits.ts'
import { nemesesOutOfReach } from './binding-problems.ts'

const FOR_THE_PLAN = [...GREEN_BUT_BROKEN, ...WEAK_ORACLE]
  .filter(({ decides }) => decides === 'plan')
  .map(({ id }) => id)

/** A command may write anything; the others write the same evidence for every scenario. */
const SILENT: Readonly<Record<Binding['kind'], readonly string[]>> = {
  simulation: ['one-topology'],
  race: ['clocks-did-not-mask', 'recovery-completed', 'wall-clock', 'one-topology'],
  maelstrom: ['one-topology'],
  real: ['one-topology'],
  command: [],
}

/** Those without an answer in the Audit field. */
export function unanswered({ arms, nemeses, audit }: Scenario): string[] {
  const asked = [...FOR_THE_PLAN, ...arms.flatMap(({ binding }) => silentOf(binding, nemeses))]
  return [...new Set(asked)].filter((id) => !audit.some(({ question }) => question === id))
}

function silentOf(binding: Binding, nemeses: readonly string[]): readonly string[] {
  const isOneSided =
    nemeses.some((nemesis) => PARTITIONS.has(nemesis)) &&
    nemesesOutOfReach(binding, ['asymmetric-partition']).length > 0
  return [...SILENT[binding.kind], ...(isOneSided ? ['symmetric-partitions-only'] : [])]
}
