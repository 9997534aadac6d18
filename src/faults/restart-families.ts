/**
 * Restarts in patterns: all of a group at once, one after the other, the same process again and again, one failure that
 * brings others after it; and ends of another kind: out of memory. Evidence is counted in processes that were alive.
 *
 * Budget: a process counts as out from its end to its next start, so all of these stay inside `dead`; a mass restart
 * needs a budget under which a whole group may be out. Every end here is ordered: it is never the system's failure.
 */
import { floor, max } from '../kernel/arithmetic.ts'
import { ppmOf } from './levels.ts'
import type { Propagation, Victim } from './arena.ts'
import { chooseAllowed, type FaultFamily, type Strike } from './family.ts'

/** A process that is down by our order until it is started again. */
class Outage {
  private readonly victim: Victim
  private readonly boots: number
  private back: (() => void) | null

  constructor(strike: Strike, victim: Victim, how: 'stop' | 'kill' | 'abort') {
    const { process } = victim
    this.victim = victim
    this.back = strike.ledger.takeOut([victim])
    this.boots = process.boots
    strike.arena.ordered.order(process)
    if (how === 'stop') process.signal('SIGTERM')
    else if (how === 'kill') process.kill()
    else process.exit({ code: null, signal: 'SIGABRT' })
  }

  /** Ends what did not stop, and starts the process again. Does nothing the second time. */
  over(): void {
    if (this.back === null) return
    const { process, host } = this.victim
    if (process.alive && process.boots === this.boots) process.kill()
    if (!process.alive && host.up) process.start()
    this.back()
    this.back = null
  }
}

function mayGo({ ledger }: Strike, victim: Victim): boolean {
  return victim.process.alive && ledger.mayTakeOut([victim])
}

export const massRestart: FaultFamily = {
  name: 'mass-restart',
  group: 'process',
  begin(strike) {
    const { arena, ledger, choose } = strike
    const groups = [...new Set(arena.victims.map(({ group }) => group))]
    const of = (group: string): Victim[] => arena.victims.filter((each) => each.group === group)
    const how = choose('how').pick(['stop', 'kill'] as const)
    const group = chooseAllowed(choose('target'), groups, (each) => {
      return ledger.mayTakeOut(of(each)) && of(each).some(({ process }) => process.alive)
    })
    if (group === null) return null
    const alive = of(group).filter(({ process }) => process.alive)
    const outages = alive.map((victim) => new Outage(strike, victim, how))
    return {
      targets: alive.map(({ name }) => name),
      kind: how,
      text: `mass restart of ${group} (${how})`,
      end: () => outages.forEach((outage) => outage.over()),
      victims: () => alive.length,
    }
  },
}

/** In the right order each is back before the next goes; in the wrong one the next goes first. */
export const rollingRestart: FaultFamily = {
  name: 'rolling-restart',
  group: 'process',
  begin(strike) {
    const { arena, ledger, choose } = strike
    const groups = [...new Set(arena.victims.map(({ group }) => group))]
    const order = choose('order').pick(['right', 'wrong'] as const)
    const group = chooseAllowed(choose('target'), groups, (each) => ledger.allowedOut(each) > 0)
    if (group === null) return null
    const members = arena.victims.filter((each) => each.group === group)
    if (order === 'wrong') members.reverse()
    const slotUs = max(1, floor(strike.durationUs / members.length))
    const downUs = order === 'right' ? floor(slotUs / 2) : floor(slotUs * 1.5)
    const outages: Outage[] = []
    let restarted = 0
    const restart = (victim: Victim): void => {
      if (!mayGo(strike, victim)) return
      restarted++
      const outage = new Outage(strike, victim, 'stop')
      outages.push(outage)
      strike.later(downUs, () => outage.over())
    }
    members.forEach((victim, i) =>
      i === 0 ? restart(victim) : strike.later(i * slotUs, () => restart(victim)),
    )
    return {
      targets: members.map(({ name }) => name),
      kind: order,
      text: `rolling restart of ${group} (${order} order)`,
      end: () => outages.forEach((outage) => outage.over()),
      victims: () => restarted,
    }
  },
}

export const crashLoop: FaultFamily = {
  name: 'crash-loop',
  group: 'process',
  begin(strike) {
    const { arena, choose } = strike
    const victim = chooseAllowed(choose('target'), arena.victims, (each) => mayGo(strike, each))
    if (victim === null) return null
    const times = choose('times').between(3, 6)
    const slotUs = max(2, floor(strike.durationUs / times))
    let crashes = 0
    let outage: Outage | null = null
    const crash = (): void => {
      if (!mayGo(strike, victim)) return
      crashes++
      const own = (outage = new Outage(strike, victim, 'kill'))
      strike.later(floor(slotUs / 2), () => own.over())
    }
    crash()
    for (let i = 1; i < times; i++) strike.later(i * slotUs, crash)
    return {
      targets: [victim.name],
      text: `${victim.name} crashes ${times} times`,
      end: () => outage?.over(),
      victims: () => crashes,
    }
  },
}

/** As V8 ends a process whose heap is full: SIGABRT, and nothing is closed by the program. */
export const outOfMemory: FaultFamily = {
  name: 'out-of-memory',
  group: 'process',
  begin(strike) {
    const { arena, choose } = strike
    const victim = chooseAllowed(choose('target'), arena.victims, (each) => mayGo(strike, each))
    if (victim === null) return null
    const outage = new Outage(strike, victim, 'abort')
    return {
      targets: [victim.name],
      text: `${victim.name} runs out of memory`,
      end: () => outage.over(),
      victims: () => 1,
    }
  },
}

/** If the simulation has no rules: the load of a process that failed falls on one of its group. */
function usualRules(victims: readonly Victim[]): Propagation[] {
  const groups = [...new Set(victims.map(({ group }) => group))]
  return groups.map((group) => ({ from: group, to: group, afterMs: [50, 500], chance: 0.7 }))
}

/** One failure brings others after it, by the simulation's rules and within the budget. */
export const cascade: FaultFamily = {
  name: 'cascade',
  group: 'process',
  begin(strike) {
    const { arena, system, choose } = strike
    const first = chooseAllowed(choose('target'), arena.victims, (each) => mayGo(strike, each))
    if (first === null) return null
    const rules = arena.propagation.length > 0 ? arena.propagation : usualRules(system.victims)
    const outages: Outage[] = []
    const failed: string[] = []
    const fail = (victim: Victim): void => {
      failed.push(victim.name)
      outages.push(new Outage(strike, victim, 'kill'))
      for (const rule of rules) if (rule.from === victim.group) propagate(rule)
    }
    const propagate = ({ to, afterMs: [least, most], chance }: Propagation): void => {
      const delayUs = choose('delay').between(least * 1000, most * 1000)
      const spreads = choose('spreads').chance(ppmOf(chance))
      const start = choose('next').below(1000)
      if (!spreads) return
      strike.later(delayUs, () => {
        const pool = system.victims.filter((each) => each.group === to && !failed.includes(each.name))
        for (let i = 0; i < pool.length; i++) {
          const victim = pool[(start + i) % pool.length]
          if (mayGo(strike, victim)) return fail(victim)
        }
      })
    }
    fail(first)
    return {
      targets: system.victims.map(({ name }) => name),
      text: `cascading failure from ${first.name}`,
      end: () => outages.forEach((outage) => outage.over()),
      // The first one alone is no cascade.
      victims: () => failed.length - 1,
    }
  },
}
