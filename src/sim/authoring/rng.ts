/**
 * Randomness for workloads. Every draw is a choice, so it replays, and it shrinks towards the first element, the lower
 * bound, `false`: put the simple things first.
 */
import { ppmOf } from '../../faults/levels.ts'
import type { Choices, ChoiceStream } from '../../kernel/choices.ts'
import { checkedChance } from '../../kernel/expectation.ts'

export interface Rng {
  /** One of 0 … n−1. */
  below(n: number): number
  /** An integer in lo … hi, both included. */
  between(lo: number, hi: number): number
  /** True with this probability: a fraction, 0 to 1. */
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  /** A key, drawn in proportion to integer weights. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K
  /**
   * Like `weighted`, for a workload's alphabet of operations: where the level swarms, each operation is left out of
   * half of all seeds, because some bugs only show when something else does not happen.
   */
  operation<K extends string>(weights: Readonly<Record<K, number>>): K
  shuffle<T>(list: readonly T[]): T[]
}

export class ChoiceRng implements Rng {
  private readonly stream: ChoiceStream
  private readonly choices: Choices
  private readonly swarm: boolean

  constructor(choices: Choices, entity: string, swarm: boolean) {
    this.choices = choices
    this.stream = choices.stream(entity, 'draw')
    this.swarm = swarm
  }

  below(n: number): number {
    return this.stream.below(n)
  }

  between(lo: number, hi: number): number {
    return this.stream.between(lo, hi)
  }

  chance(probability: number): boolean {
    return this.stream.chance(ppmOf(checkedChance('rng.chance()', probability)))
  }

  pick<T>(list: readonly T[]): T {
    return this.stream.pick(list)
  }

  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const keys = Object.keys(weights) as K[]
    return keys[this.stream.weighted(keys.map((key) => weights[key]))]
  }

  operation<K extends string>(weights: Readonly<Record<K, number>>): K {
    if (!this.swarm) return this.weighted(weights)
    const keys = Object.keys(weights) as K[]
    const enabled = keys.map((key) => (operationEnabled(this.choices, key) ? weights[key] : 0))
    const none = enabled.every((weight) => weight === 0)
    return keys[this.stream.weighted(none ? keys.map((key) => weights[key]) : enabled)]
  }

  /** Fisher–Yates; all zeros leave the list as it is. */
  shuffle<T>(list: readonly T[]): T[] {
    const shuffled = [...list]
    for (let i = 0; i < shuffled.length - 1; i++) {
      const j = i + this.below(shuffled.length - i)
      ;[shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]]
    }
    return shuffled
  }
}

/** Asked once per seed and operation; 0 leaves it in. */
function operationEnabled(choices: Choices, operation: string): boolean {
  const name = `swarm operation ${operation}`
  let decided = decisions.get(choices)
  if (decided === undefined) decisions.set(choices, (decided = new Map()))
  let enabled = decided.get(name)
  if (enabled === undefined) {
    enabled = !choices.stream(name, 'off').chance(500_000)
    decided.set(name, enabled)
  }
  return enabled
}

const decisions = new WeakMap<Choices, Map<string, boolean>>()
