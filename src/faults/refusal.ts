/** Why an aimed fault could not begin: what the budget forbids, or that there is nothing to hit now. */
import type { Arena } from './arena.ts'
import type { BudgetLedger } from './budget.ts'
import { FAULTS } from './catalogue.ts'
import type { FaultFamily } from './family.ts'

const CUTS: ReadonlySet<string> = new Set(['partition', 'one-way-cut', 'clog', 'swizzle'])

export function refusal(
  { name, group }: FaultFamily,
  { victims, hosts }: Arena,
  ledger: BudgetLedger,
): string {
  const { budget } = ledger
  const limits = FAULTS.find((each) => each.name === name)?.worlds.tank?.cannot ?? ''
  if (CUTS.has(name) && !budget.partitions) return 'the budget forbids it: partitions is false'
  if ((name === 'corrupt' || name === 'byzantine') && !budget.byzantineLinks)
    return 'the budget forbids it: byzantineLinks is false'
  if (group === 'clock' && budget.clockSkewMs === 0) return 'the budget forbids it: clockSkewMs is 0'
  if (limits.includes('lyingDisks') && hosts.every((host) => !ledger.mayLie(host.name, hosts.length)))
    return `the budget forbids it: lyingDisks is ${budget.lyingDisks}`
  const alive = victims.filter(({ process }) => process.alive)
  if (alive.length === 0) return 'its target is down'
  if (group !== 'network' && group !== 'clock' && alive.every((victim) => !ledger.mayTakeOut([victim])))
    return `the budget forbids it: dead is ${JSON.stringify(budget.dead)}, and as many are out`
  return `there is nothing that it could hit. Its limits: ${limits}`
}
