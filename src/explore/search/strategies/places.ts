/**
 * Priorities of places in the program instead of tasks. A place is what a task is about to do, given what it has done. Tasks
 * that do the same thing (a hundred clients, the workers of a pool) are at the same places, so "all tasks read before any
 * task writes" or "no task passes here until the one reader is through" is as likely among a hundred tasks as among three;
 * with PCT or a random walk it becomes less likely with every further task. The idea of ordering abstract events, named by
 * what they do and where, comes from Wolff, Shi, Duck, Mathur, Roychoudhury, "Greybox Fuzzing for Concurrency Testing",
 * ASPLOS 2024; the priorities and their change points are PCT's.
 *
 * How much of a task's past belongs to its place changes from run to run: all of it (in half of the runs), the last step,
 * or nothing. A place without a past holds back each use of one lock or file; a place with all of it, one step of a loop.
 *
 * Departures: a place is known by the names and accesses of events, since source positions would cost stack traces; the
 * order is drawn, not fuzzed from observed reads.
 */
import { imul, max } from '../../../kernel/arithmetic.ts'
import type { KernelEvent } from '../../../kernel/event.ts'
import { Entropy, keyOf } from '../../../kernel/prng.ts'
import type { ExploreStrategy } from '../strategy.ts'
import { below } from './random.ts'
import { RunLength } from './run-length.ts'

type Past = 'none' | 'last step' | 'all'
const PASTS: readonly Past[] = ['all', 'all', 'last step', 'none']

const DEFAULT_DEPTH = 3

interface Place {
  priority: number
}

export function places({ depth = DEFAULT_DEPTH }: { readonly depth?: number } = {}): ExploreStrategy {
  const length = new RunLength()
  const names = new Map<string, number>()
  let entropy = new Entropy(0, 'places')
  let past: Past = 'all'
  let byHash = new Map<number, Place>()
  let placeOf = new Map<number, Place>() // by event
  let pastOf = new Map<number, number>() // by task
  let changePoints: number[] = []
  let contested = 0
  let nextLow = 0

  function nameOf({ kind, access, also }: KernelEvent): number {
    const resource = (access ?? also)?.resource ?? ''
    return hashed(kind) ^ imul(hashed(resource), 0x9e3779b1)
  }

  function hashed(name: string): number {
    let hash = names.get(name)
    if (hash === undefined) names.set(name, (hash = keyOf(name).lo))
    return hash
  }

  /** The place of an event. It is fixed when the event is first seen, even if its task goes on meanwhile. */
  function placed(event: KernelEvent): Place {
    let place = placeOf.get(event.seq)
    if (place !== undefined) return place
    const hash = chained(past === 'none' ? 0 : (pastOf.get(event.task) ?? 0), nameOf(event))
    place = byHash.get(hash)
    if (place === undefined) byHash.set(hash, (place = { priority: 1 + entropy.float() }))
    placeOf.set(event.seq, place)
    return place
  }

  /** One of the events at the place of highest priority, drawn at random. */
  function highest(ready: readonly KernelEvent[]): number {
    let best = Number.NEGATIVE_INFINITY
    let ties = 0
    let picked = 0
    for (let i = 0; i < ready.length; i++) {
      const { priority } = placed(ready[i])
      if (priority < best) continue
      ties = priority > best ? 1 : ties + 1
      best = priority
      if (ties === 1 || below(entropy, ties) === 0) picked = i
    }
    return picked
  }

  return {
    name: 'places',
    begin(seed) {
      entropy = new Entropy(seed, 'places')
      byHash = new Map()
      placeOf = new Map()
      pastOf = new Map()
      contested = 0
      nextLow = 0
      past = PASTS[below(entropy, PASTS.length)]
      // An order of places is already most of what a bug's depth asks for: fewer change points than PCT has.
      const changes = below(entropy, max(1, depth - 1))
      changePoints = Array.from({ length: changes }, () => 1 + below(entropy, length.estimate))
    },
    pick(ready) {
      contested++
      let best = highest(ready)
      for (const point of changePoints) {
        if (point !== contested) continue
        placed(ready[best]).priority = --nextLow
        best = highest(ready)
      }
      return best
    },
    ran(event) {
      const { task } = event
      placeOf.delete(event.seq)
      pastOf.set(task, past === 'all' ? chained(pastOf.get(task) ?? 0, nameOf(event)) : nameOf(event))
    },
    end(outcome) {
      length.learn(outcome.contested)
    },
  }
}

function chained(past: number, name: number): number {
  return imul((past << 7) ^ (past >>> 25) ^ name, 0x85ebca6b)
}
