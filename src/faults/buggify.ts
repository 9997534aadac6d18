/**
 * Buggify: places in a program where its author says "here something unlikely, but allowed, may happen": return the
 * error path, wait a little, take the slow branch, use a tiny buffer. Inside the tank such a *site* is active in half of
 * all seeds, and an active site fires a quarter of the time; outside the tank it never does, so it may ship.
 *
 * Activation per seed and firing per call are choices (entity `buggify <site>`), so shrinking turns off every site that
 * the failure does not need. A *knob* is a constant that takes another value in some seeds. The idea is FoundationDB's.
 */
import type { Choices, ChoiceStream } from '../kernel/choices.ts'
import { checkedChance } from '../kernel/expectation.ts'
import type { FaultRecord } from './fault-record.ts'
import { ppmOf } from './levels.ts'

const ACTIVE_PPM = 500_000
const FIRE_CHANCE = 0.25

interface Site {
  readonly active: boolean
  readonly fire: ChoiceStream
  fired: number
}

/** The buggify sites and knobs of one run. */
export class Buggify {
  private readonly choices: Choices
  private readonly enabled: () => boolean
  private readonly sites = new Map<string, Site>()
  private readonly knobs = new Map<string, number>()
  private readonly onFire: ((site: string) => void) | null

  /** `enabled` says whether faults are allowed now: sites sleep outside the chaos window. */
  constructor(choices: Choices, enabled: () => boolean, onFire: ((site: string) => void) | null = null) {
    this.choices = choices
    this.enabled = enabled
    this.onFire = onFire
  }

  fire(name: string, firePpm: number): boolean {
    if (!this.enabled()) return false
    let site = this.sites.get(name)
    if (site === undefined) {
      const active = this.choices.stream(`buggify ${name}`, 'active').chance(ACTIVE_PPM)
      site = { active, fire: this.choices.stream(`buggify ${name}`, 'fire'), fired: 0 }
      this.sites.set(name, site)
    }
    if (!site.active || !site.fire.chance(firePpm)) return false
    site.fired++
    this.onFire?.(name)
    return true
  }

  knob(name: string, usual: number, lo: number, hi: number): number {
    let value = this.knobs.get(name)
    if (value === undefined) {
      const turned = this.choices.stream(`knob ${name}`, 'turned').chance(ACTIVE_PPM)
      value = turned ? this.choices.stream(`knob ${name}`, 'value').between(lo, hi) : usual
      this.knobs.set(name, value)
    }
    return value
  }

  /** How often each site fired, in order of their first call. */
  counts(): Pick<FaultRecord, 'family' | 'victims'>[] {
    return [...this.sites].map(([name, site]) => ({ family: `buggify ${name}`, victims: site.fired }))
  }
}

let current: Buggify | null = null

/** Set by the simulation layer while a run is on, null otherwise. */
export function useBuggify(buggify: Buggify | null): void {
  current = buggify
}

/** True, sometimes, inside the tank; never outside. `chance`: how often an active site fires, a fraction. */
export function buggify(site: string, chance = FIRE_CHANCE): boolean {
  return current !== null && current.fire(site, ppmOf(checkedChance('buggify()', chance)))
}

/** `usual`, or in some seeds of the tank an integer in lo … hi. */
export function knob(name: string, usual: number, range: readonly [lo: number, hi: number]): number {
  return current === null ? usual : current.knob(name, usual, range[0], range[1])
}
