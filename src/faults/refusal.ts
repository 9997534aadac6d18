/** Why an aimed fault could not begin: what the budget forbids, or that there is nothing to hit now. */
import type { Arena } from './arena.ts'
import type { BudgetLedger } from './budget.ts'
import { FAULTS } from './catalogue.ts'
import type { FaultFamily } from './family.ts'
import { forbiddenBy } from './forbidden.ts'

export function refusal(
  { name, group }: FaultFamily,
  { victims, hosts }: Arena,
  ledger: BudgetLedger,
  /** Of the whole system: a fault may be aimed at some of them. */
  hostCount: number,
): string {
  const { budget } = ledger
  const limits = FAULTS.find((each) => each.name === name)?.worlds.tank?.cannot ?? ''
  const part = forbiddenBy(name, budget)
  if (part !== null) return `the budget forbids it: ${part} is ${JSON.stringify(budget[part])}`
  if (limits.includes('lyingDisks') && hosts.every((host) => !ledger.mayLie(host.name, hostCount)))
    return `the budget forbids it: lyingDisks is ${JSON.stringify(budget.lyingDisks)}`
  const alive = victims.filter(({ process }) => process.alive)
  if (alive.length === 0) return 'its target is down'
  if (group !== 'network' && group !== 'clock' && alive.every((victim) => !ledger.mayTakeOut([victim])))
    return `the budget forbids it: dead is ${JSON.stringify(budget.dead)}, and as many are out`
  return `there is nothing that it could hit. Its limits: ${limits}`
}
