/**
 * Power losses that leave a disk in one chosen state: the last page torn, pages in another order than they were written,
 * no name that was not synced, or nothing at all. A reboot by power loss draws among these; here a simulation asks for
 * one. Evidence is counted where it is lost: pages and names of the host's disk, or files of a disk that is new.
 *
 * Budget: the processes of the host are out until it has power again. A new disk breaks the promise to keep what was
 * synced, so it needs `lyingDisks`.
 */
import type { Host } from '../world/host.ts'
import type { Survival } from '../world/disk/disk-faults.ts'
import { Since } from './evidence-tally.ts'
import { chooseAllowed, type FaultFamily, type Strike } from './family.ts'
import type { FamilyName } from './levels.ts'
import type { Victim } from './arena.ts'

export const tornWrite = crashFamily('torn-write', 'torn', ['disk-torn-write'], 'power loss tears a write at')
export const reorderedWrites = crashFamily(
  'reordered-writes',
  'reordered',
  ['disk-reordered-write'],
  'power loss reorders writes at',
)
export const lostRename = crashFamily(
  'lost-rename',
  'nameless',
  ['disk-lost-name'],
  'power loss takes unsynced names at',
)

function crashFamily(
  name: FamilyName,
  survival: Survival,
  evidence: readonly string[],
  text: string,
): FaultFamily {
  return {
    name,
    group: 'disk',
    begin(strike) {
      const victims = chooseHost(strike, () => true)
      if (victims === null) return null
      const [{ host }] = victims
      const landed = new Since(() => strike.arena.tally.at(host.name, evidence))
      host.disk.faults.survival = survival
      const back = lose(strike, victims)
      host.disk.faults.survival = 'drawn'
      landed.end()
      return {
        targets: victims.map((each) => each.name),
        text: `${text} ${host.name}`,
        end: () => back(false),
        victims: () => landed.count,
      }
    },
  }
}

/** The host comes back with a new disk. */
export const diskWipe: FaultFamily = {
  name: 'disk-wipe',
  group: 'disk',
  begin(strike) {
    const { system, ledger } = strike
    const victims = chooseHost(strike, (host) => ledger.mayLie(host.name, system.hosts.length))
    if (victims === null) return null
    const [{ host }] = victims
    ledger.recordLie(host.name)
    const pages = host.disk.space.usedPages
    const back = lose(strike, victims)
    return {
      targets: victims.map((each) => each.name),
      text: `disk of ${host.name} replaced`,
      end: () => back(true),
      victims: () => pages,
    }
  },
}

/** The processes of a host that may lose power now. */
function chooseHost({ arena, ledger, choose }: Strike, allowed: (host: Host) => boolean): Victim[] | null {
  const on = (host: Host): Victim[] => arena.victims.filter((each) => each.host === host)
  const host = chooseAllowed(choose('target'), arena.hosts, (each) => {
    return (
      each.up && on(each).some(({ process }) => process.alive) && ledger.mayTakeOut(on(each)) && allowed(each)
    )
  })
  return host === null ? null : on(host)
}

/** Cuts the power of a host; the function returned gives it back and starts the processes. */
function lose({ arena, ledger }: Strike, victims: readonly Victim[]): (wipe: boolean) => void {
  const [{ host }] = victims
  const back = ledger.takeOut(victims)
  for (const { process } of victims) arena.ordered.order(process)
  host.powerOff()
  return (wipe) => {
    host.powerOn({ wipe })
    for (const { process } of victims) if (!process.alive && host.up) process.start()
    back()
  }
}
