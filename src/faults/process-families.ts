/**
 * Process faults: pauses (a long collection, a stopped container), loops that are late, and attrition (processes and
 * machines that go down and come back). Patterns of restarts are in `restart-families.ts`. A process that is out counts against the budget until it is back. Evidence: a pause held something back;
 * a reboot hit a process that was alive.
 */
import { round } from '../kernel/arithmetic.ts'
import type { Victim } from './arena.ts'
import { chooseAllowed, type Draw, type Episode, type FaultFamily, type Strike } from './family.ts'
import type { Attrition } from './levels.ts'

export const pause: FaultFamily = {
  name: 'pause',
  group: 'process',
  begin({ arena, ledger, choose }) {
    const victim = chooseAllowed(choose('target'), arena.victims, (each) => {
      return each.process.state === 'running' && ledger.mayTakeOut([each])
    })
    if (victim === null) return null
    const back = ledger.takeOut([victim])
    const { process } = victim
    const { boots } = process
    process.pause()
    let held = 0
    const stands = (): boolean => process.state === 'paused' && process.boots === boots
    return {
      targets: [victim.name],
      text: `pause ${victim.name}`,
      end() {
        if (stands()) {
          held = process.actor.held.length
          process.resume()
        }
        back()
      },
      victims: () => (stands() ? process.actor.held.length : held),
    }
  },
}

/** The process runs, but its event loop is late: now and then a callback takes long, and everything behind it waits. */
export const loopStall: FaultFamily = {
  name: 'loop-stall',
  group: 'process',
  begin(strike) {
    const { arena, choose } = strike
    const victim = chooseAllowed(choose('target'), arena.victims, (each) => each.process.state === 'running')
    if (victim === null) return null
    const stallUs = choose('stall').between(20_000, 80_000)
    const everyUs = stallUs + choose('gap').between(20_000, 100_000)
    const { process } = victim
    let held = 0
    let stalled: number | null = null
    const goOn = (): void => {
      if (stalled === process.boots && process.state === 'paused') {
        held += process.actor.held.length
        process.resume()
      }
      stalled = null
    }
    const stall = (): void => {
      if (process.state === 'running') {
        stalled = process.boots
        process.pause()
        strike.later(stallUs, goOn)
      }
      strike.later(everyUs, stall)
    }
    stall()
    return {
      targets: [victim.name],
      text: `event loop of ${victim.name} ${round(stallUs / 1000)} ms late again and again`,
      end: goOn,
      victims: () => held,
    }
  },
}

type RebootKind = 'stop' | 'kill' | 'power-loss' | 'wipe'

const KINDS: readonly RebootKind[] = ['stop', 'kill', 'power-loss', 'wipe']

/** Down by one of four ways, and up again when the episode ends. */
export const reboot: FaultFamily = {
  name: 'reboot',
  group: 'process',
  begin(strike) {
    const { arena, ledger, weather, choose } = strike
    const kind = KINDS[choose('kind').weighted(kindWeights(weather.attrition))]
    const scope = chooseScope(choose('scope'), weather.attrition)
    const together = (victim: Victim): readonly Victim[] => membersOf(victim, scope, kind, arena.victims)
    const victim = chooseAllowed(choose('target'), arena.victims, (each) => {
      return each.process.alive && mayHit(together(each), kind, strike)
    })
    if (victim === null) return null
    const members = together(victim)
    const back = ledger.takeOut(members)
    const alive = members.filter((each) => each.process.alive).length
    const episode =
      kind === 'stop' || kind === 'kill'
        ? endProcesses(members, kind, strike)
        : cutPower(members, kind, strike)
    return {
      targets: members.map((each) => each.name),
      kind,
      text: `${TEXT[kind]} ${members.map((each) => each.name).join(' ')}`,
      end() {
        episode()
        for (const { process, host } of members) if (!process.alive && host.up) process.start()
        back()
      },
      victims: () => alive,
    } satisfies Episode
  },
}

const TEXT: Readonly<Record<RebootKind, string>> = {
  stop: 'stop (SIGTERM)',
  kill: 'kill',
  'power-loss': 'power loss at',
  wipe: 'disk lost at',
}

function kindWeights({ stop, kill, powerLoss, wipe }: Attrition): number[] {
  return stop + kill + powerLoss + wipe === 0 ? [0, 1, 0, 0] : [stop, kill, powerLoss, wipe]
}

function chooseScope(stream: Draw, { scope }: Attrition): 'process' | 'machine' | 'zone' {
  const weights = [scope.process, scope.machine, scope.zone]
  return (['process', 'machine', 'zone'] as const)[
    weights.every((weight) => weight === 0) ? 0 : stream.weighted(weights)
  ]
}

/** Who goes down with a victim. Power is a matter of whole hosts. */
function membersOf(
  victim: Victim,
  scope: string,
  kind: RebootKind,
  all: readonly Victim[],
): readonly Victim[] {
  if (scope === 'zone') return all.filter((each) => each.zone === victim.zone)
  if (scope === 'machine' || kind === 'power-loss' || kind === 'wipe') {
    return all.filter((each) => each.host === victim.host)
  }
  return [victim]
}

function mayHit(members: readonly Victim[], kind: RebootKind, { system, ledger }: Strike): boolean {
  if (!ledger.mayTakeOut(members)) return false
  return kind !== 'wipe' || members.every((each) => ledger.mayLie(each.host.name, system.hosts.length))
}

function endProcesses(members: readonly Victim[], kind: RebootKind, strike: Strike): () => void {
  // Only the boots that were hit: another fault may end one and start the next in the meantime.
  const hit = members
    .filter(({ process }) => process.alive)
    .map(({ process }) => ({ process, boot: process.boots }))
  const killThose = (): void => {
    for (const { process, boot } of hit) if (process.alive && process.boots === boot) process.kill()
  }
  for (const { process } of hit) strike.arena.ordered.order(process)
  if (kind === 'kill') {
    killThose()
    return () => {}
  }
  const [least, most] = strike.weather.attrition.graceMs
  for (const { process } of hit) process.signal('SIGTERM')
  strike.later(strike.choose('grace').between(least * 1000, most * 1000), killThose)
  return killThose
}

function cutPower(members: readonly Victim[], kind: RebootKind, { arena, ledger }: Strike): () => void {
  const hosts = arena.hosts.filter((host) => members.some((each) => each.host === host))
  for (const { process } of members) arena.ordered.order(process)
  for (const host of hosts) {
    if (kind === 'wipe') ledger.recordLie(host.name)
    host.powerOff()
  }
  return () => {
    for (const host of hosts) host.powerOn({ wipe: kind === 'wipe' })
  }
}
