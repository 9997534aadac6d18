/**
 * Clock faults: a host's wall clock jumps, or runs fast or slow. Monotonic time is never touched. Evidence is a program on that
 * host reading the wrong time.
 *
 * Budget: no clock is ever further off than `clockSkewMs`. After an episode the clock is right again, as NTP would make
 * it: that is a second jump.
 */
import { abs, floor, max, round } from '../kernel/arithmetic.ts'
import type { Host } from '../world/host.ts'
import { Since } from './evidence-tally.ts'
import { chooseAllowed, type Episode, type FaultFamily, type Strike } from './family.ts'

/** How fast a bad quartz may be: far beyond what real ones do, so that a short window shows it. */
const MOST_DRIFT_PPM = 50_000

export const clockJump: FaultFamily = {
  name: 'clock-jump',
  group: 'clock',
  begin(strike) {
    const boundUs = strike.ledger.budget.clockSkewMs * 1000
    const host = chooseAllowed(
      strike.choose('target'),
      strike.arena.hosts,
      (each) => each.clock.offsetUs === 0,
    )
    if (host === null || boundUs === 0) return null
    const back = strike.choose('back').below(2) === 1
    const offsetUs = strike.choose('offset').between(1000, max(1000, boundUs)) * (back ? -1 : 1)
    host.clock.setOffset(offsetUs)
    return clockEpisode(
      strike,
      host,
      `clock of ${host.name} ${abs(round(offsetUs / 1000))} ms ${back ? 'back' : 'ahead'}`,
    )
  },
}

/** Back, and never ahead: a program that takes time for something that only grows is wrong twice. */
export const clockBack: FaultFamily = {
  name: 'clock-back',
  group: 'clock',
  begin(strike) {
    const boundUs = strike.ledger.budget.clockSkewMs * 1000
    const host = chooseAllowed(strike.choose('target'), strike.arena.hosts, isRight)
    if (host === null || boundUs === 0) return null
    const offsetUs = strike.choose('offset').between(1000, max(1000, boundUs))
    host.clock.setOffset(-offsetUs)
    return clockEpisode(strike, host, `clock of ${host.name} ${round(offsetUs / 1000)} ms back`)
  },
}

/** A clock that loses up to half of every second, as in a virtual machine that gets too little time. */
export const clockSlow: FaultFamily = {
  name: 'clock-slow',
  group: 'clock',
  begin(strike) {
    const boundUs = strike.ledger.budget.clockSkewMs * 1000
    const host = chooseAllowed(strike.choose('target'), strike.arena.hosts, isRight)
    if (host === null || boundUs === 0) return null
    const percent = strike.choose('percent').between(10, 50)
    host.clock.setDrift(-percent * 10_000)
    strike.later(floor((boundUs * 100) / percent), () => host.clock.setDrift(0)) // the bound is reached
    return clockEpisode(strike, host, `clock of ${host.name} ${percent} % slow`)
  },
}

function isRight({ clock }: Host): boolean {
  return clock.offsetUs === 0 && clock.driftPpm === 0
}

export const clockDrift: FaultFamily = {
  name: 'clock-drift',
  group: 'clock',
  begin(strike) {
    const boundUs = strike.ledger.budget.clockSkewMs * 1000
    const host = chooseAllowed(
      strike.choose('target'),
      strike.arena.hosts,
      (each) => each.clock.driftPpm === 0,
    )
    if (host === null || boundUs === 0 || host.clock.offsetUs !== 0) return null
    const slow = strike.choose('slow').below(2) === 1
    const driftPpm = strike.choose('drift').between(1000, MOST_DRIFT_PPM) * (slow ? -1 : 1)
    host.clock.setDrift(driftPpm)
    strike.later(floor((boundUs * 1_000_000) / abs(driftPpm)), () => host.clock.setDrift(0)) // the bound is reached
    return clockEpisode(
      strike,
      host,
      `clock of ${host.name} ${abs(driftPpm) / 10_000} % ${slow ? 'slow' : 'fast'}`,
    )
  },
}

function clockEpisode(strike: Strike, host: Host, text: string): Episode {
  const landed = new Since(() => strike.arena.tally.at(host.name, ['skewed-clock-read']))
  return {
    targets: [host.name],
    text,
    end() {
      landed.end()
      host.clock.synchronise()
    },
    victims: () => landed.count,
  }
}
