/**
 * The default: no strategy dominates, so several take turns. Turns go round-robin at first; a strategy whose runs
 * keep showing new hand-offs (which task ran after which, at what) earns more turns, up to half of them. Every few
 * turns a recorded schedule that showed something new is replayed with a few of its choices changed, as Fest does it
 * (mutation of recorded random choices guided by coverage).
 */
import type { KernelEvent } from '../../kernel/event.ts'
import { Entropy } from '../../kernel/prng.ts'
import type { ExploreStrategy, RunInfo } from '../strategy.ts'
import { noisyPct } from './noisy-pct.ts'
import { pct } from './pct.ts'
import { pos } from './pos.ts'
import { below, random } from './random.ts'
import { surw } from './urw.ts'

const MUTATE_EVERY = 6
const CORPUS_LIMIT = 64

export interface PortfolioOptions {
  readonly depth?: number
  readonly members?: readonly ExploreStrategy[]
}

export function portfolio(options: PortfolioOptions = {}): ExploreStrategy {
  const members = options.members ?? [random(), pct({ depth: options.depth }), pos(), surw(), noisyPct()]
  const credit = members.map(() => 1)
  const seenHandOffs = new Set<string>()
  const corpus: number[][] = []
  let turn = 0
  let active = 0
  let mutated: number[] | null = null
  let picks: number[] = []
  let fresh = 0
  let last = ''
  let keyOf: RunInfo['taskKey'] = String

  /** A member drawn in proportion to its credit, after each had one turn. */
  function choose(entropy: Entropy): number {
    if (turn <= members.length) return turn - 1
    let rest = entropy.float() * credit.reduce((sum, value) => sum + value, 0)
    return Math.max(
      0,
      credit.findIndex((value) => (rest -= value) < 0),
    )
  }

  function mutate(entropy: Entropy): number[] {
    const schedule = [...corpus[below(entropy, corpus.length)]]
    const changes = 1 + below(entropy, 3)
    for (let i = 0; i < changes; i++) schedule[below(entropy, schedule.length)] = entropy.uint32()
    return schedule
  }

  return {
    name: 'portfolio',
    begin(seed, info) {
      const entropy = new Entropy(seed, 'portfolio')
      turn++
      keyOf = info?.taskKey ?? String
      picks = []
      fresh = 0
      last = ''
      active = choose(entropy)
      mutated = turn % MUTATE_EVERY === 0 && corpus.length > 0 ? mutate(entropy) : null
      members[active].begin(seed, info)
    },
    pick(ready, step) {
      const own = members[active].pick(ready, step)
      const wanted = mutated?.[picks.length]
      const picked = wanted === undefined ? own : wanted % ready.length
      picks.push(picked)
      return picked
    },
    ran(event, step) {
      members[active].ran?.(event, step)
      const here = describe(event)
      const handOff = `${last}>${here}`
      last = here
      if (seenHandOffs.has(handOff)) return
      seenHandOffs.add(handOff)
      fresh++
    },
    end(outcome) {
      members[active].end?.(outcome)
      if (fresh > 0 && picks.length > 0) {
        corpus.push(picks)
        if (corpus.length > CORPUS_LIMIT) corpus.shift()
      }
      const limit = credit.reduce((sum, value) => sum + value, 0) - credit[active]
      credit[active] = Math.min(Math.max(1, limit), credit[active] * 0.9 + (fresh > 0 ? 1 : 0) + 0.1)
    },
  }

  function describe(event: KernelEvent): string {
    return `${keyOf(event.task)} ${event.access?.resource ?? event.kind}`
  }
}
