/**
 * Cluster faults: a process that runs another version of its program or another configuration than its peers, and
 * members that leave and join. What the other version and configuration are, and how members leave and join, the
 * simulation says; without that, these families find no victim.
 *
 * Budget: a process counts as out while it restarts, and a member while it is not in the cluster. Evidence: the process
 * booted as something else; the simulation's `leave` came to its end.
 */
import { floor, min } from '../kernel/arithmetic.ts'
import type { Variant, Victim } from './arena.ts'
import { chooseAllowed, type FaultFamily, type Strike } from './family.ts'
import type { FamilyName } from './levels.ts'

/** How long a process is down between two programs, at most. */
const SWITCH_US = 200_000

function variantFamily(name: FamilyName, kind: Variant['kind'], text: string): FaultFamily {
  return {
    name,
    group: 'cluster',
    begin(strike) {
      const { arena, ledger, choose } = strike
      const variantsOf = (each: Victim): Variant[] => each.variants.filter((variant) => variant.kind === kind)
      const victim = chooseAllowed(choose('target'), arena.victims, (each) => {
        return (
          each.process.alive &&
          each.process.variant === null &&
          variantsOf(each).length > 0 &&
          ledger.mayTakeOut([each])
        )
      })
      if (victim === null) return null
      const options = variantsOf(victim)
      const variant = options[choose('variant').below(MOST_VARIANTS) % options.length]
      const { process } = victim
      process.variant = variant.program
      const first = restart(strike, victim)
      strike.later(min(SWITCH_US, floor(strike.durationUs / 2)), first)
      const { boots } = process
      const booted = (): number => (process.boots > boots ? 1 : 0)
      let landed: number | null = null
      return {
        targets: [victim.name],
        kind: variant.name,
        text: `${victim.name} ${text} ${variant.name}`,
        end() {
          first()
          landed = booted()
          process.variant = null
          restart(strike, victim)()
        },
        victims: () => landed ?? booted(),
      }
    },
  }
}

const MOST_VARIANTS = 60

export const mixedVersion = variantFamily('mixed-version', 'version', 'runs version')
export const configDivergence = variantFamily('config-divergence', 'config', 'has configuration')

/** Ends a process by our order; the function returned starts it again, once. */
function restart({ arena, ledger }: Strike, victim: Victim): () => void {
  const { process, host } = victim
  let back: (() => void) | null = ledger.takeOut([victim])
  arena.ordered.order(process)
  process.kill()
  return () => {
    if (back === null) return
    if (!process.alive && host.up) process.start()
    back()
    back = null
  }
}

/** A member leaves the cluster, and joins again when the episode ends. */
export const membership: FaultFamily = {
  name: 'membership',
  group: 'cluster',
  begin({ arena, ledger, choose }) {
    const { membership: rules } = arena
    if (rules === null) return null
    const victim = chooseAllowed(choose('target'), arena.victims, (each) => {
      return each.process.state === 'running' && ledger.mayTakeOut([each])
    })
    if (victim === null) return null
    const back = ledger.takeOut([victim])
    let left = 0
    rules.leave(victim.name, () => left++)
    return {
      targets: [victim.name],
      text: `${victim.name} leaves the cluster`,
      end() {
        rules.join(victim.name, () => {})
        back()
      },
      victims: () => left,
    }
  },
}
