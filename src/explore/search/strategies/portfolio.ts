/**
 * The default: no strategy dominates, so five take turns, and in a world with event loops a sixth, which stalls. Which is
 * best depends on the bug: orders of places where many tasks do the same, an ordinary run with one very late event,
 * priorities of causal chains, partial orders for tight read-modify-writes, uniform random walks for deadlocks and crowds,
 * slow machines for timers. (A plain random walk is not among them: with one process and no declared accesses, partial
 * order sampling is one.)
 *
 * Turns go round; after every second round there is one adaptive turn. It goes to the member that lately showed most new
 * hand-offs (what ran right after what, in the same task or in another). Every other adaptive turn begins with a recorded
 * schedule that had shown a new hand-off, with a few of its choices changed, as in Fest: mutation of recorded random
 * choices, guided by coverage. So the best member costs at most 6.5 times what it costs alone, and usually far less, since
 * the others find most bugs too.
 */
import { max } from '../../../kernel/arithmetic.ts'
import type { KernelEvent } from '../../../kernel/event.ts'
import { Entropy } from '../../../kernel/prng.ts'
import type { ExploreStrategy } from '../strategy.ts'
import { delayBound } from './delay-bound.ts'
import { pctcp } from './pctcp.ts'
import { places } from './places.ts'
import { pos } from './pos.ts'
import { below } from './random.ts'
import { slow } from './slow.ts'
import { urw } from './urw.ts'

const ROUNDS_PER_CYCLE = 2
/** The share of a member's credit that remains after each of its turns. */
const MEMORY = 0.8
const CORPUS_LIMIT = 64
const MOST_MUTATIONS = 3

/** Schedules that showed something new, to be changed a little. */
class Corpus {
  private readonly schedules: number[][] = []

  get empty(): boolean {
    return this.schedules.length === 0
  }

  keep(schedule: number[]): void {
    this.schedules.push(schedule)
    if (this.schedules.length > CORPUS_LIMIT) this.schedules.shift()
  }

  mutant(entropy: Entropy): number[] {
    const schedule = [...this.schedules[below(entropy, this.schedules.length)]]
    const changes = 1 + below(entropy, MOST_MUTATIONS)
    for (let i = 0; i < changes; i++) schedule[below(entropy, schedule.length)] = entropy.uint32()
    return schedule
  }
}

/** The hand-offs seen so far; tasks that do the same have the same hand-offs. */
class HandOffs {
  private readonly seen = new Set<string>()
  private last = ''
  private lastTask = 0
  /** New ones in this run. */
  fresh = 0

  begin(): void {
    this.last = ''
    this.fresh = 0
  }

  ran(event: KernelEvent): void {
    const { kind, task } = event
    const resource = (event.access ?? event.also)?.resource
    const here = resource === undefined ? kind : `${kind} ${resource}`
    const handOff = `${this.last}${task === this.lastTask ? '>' : '|'}${here}`
    this.last = here
    this.lastTask = task
    if (this.seen.has(handOff)) return
    this.seen.add(handOff)
    this.fresh++
  }
}

export interface PortfolioOptions {
  readonly depth?: number
  readonly members?: readonly ExploreStrategy[]
}

export function portfolio({ depth = 3, members }: PortfolioOptions = {}): ExploreStrategy {
  const team = members ?? [
    places({ depth }),
    pos(),
    delayBound({ delays: depth - 1 }),
    urw(),
    pctcp({ depth }),
    slow({ delays: depth - 1 }),
  ]
  const credit = team.map(() => 0)
  const corpus = new Corpus()
  const handOffs = new HandOffs()
  let size = team.length
  let turn = -1
  let active = 0
  let mutant: readonly number[] = []
  let picks: number[] = []

  /** The member that lately showed most; equal ones take turns. */
  function promising(nth: number): number {
    const most = max(...credit)
    const best = credit.flatMap((value, i) => (value === most && i < size ? [i] : []))
    return best[nth % best.length]
  }

  return {
    name: 'portfolio',
    get member() {
      return team[active].name
    },
    begin(seed, info) {
      turn++
      // The last member is for worlds with event loops; without one it would only be another delayBound.
      size = members === undefined && (info?.stallUs ?? 0) === 0 ? team.length - 1 : team.length
      const cycle = ROUNDS_PER_CYCLE * size + 1
      const place = turn % cycle
      const adaptations = (turn - place) / cycle
      const adaptive = place === cycle - 1
      active = adaptive ? promising(adaptations) : place % size
      const mutating = adaptive && adaptations % 2 === 1 && !corpus.empty
      mutant = mutating ? corpus.mutant(new Entropy(seed, 'mutant')) : []
      picks = []
      handOffs.begin()
      team[active].begin(seed, info)
    },
    pick(ready, step) {
      const own = team[active].pick(ready, step)
      const wanted = picks.length < mutant.length ? mutant[picks.length] % ready.length : own
      picks.push(wanted)
      return wanted
    },
    stall: (step) => team[active].stall?.(step) ?? 0,
    ran(event, step) {
      team[active].ran?.(event, step)
      handOffs.ran(event)
    },
    end(outcome) {
      team[active].end?.(outcome)
      credit[active] = credit[active] * MEMORY + (handOffs.fresh > 0 ? 1 - MEMORY : 0)
      if (handOffs.fresh > 0 && picks.length > 0) corpus.keep(picks)
    },
  }
}
