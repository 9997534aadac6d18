/**
 * A parameter of a strike that a script gives in place of a draw. It asks for no choice, so the strike has one thing less
 * to shrink.
 */
import { max, min } from '../kernel/arithmetic.ts'
import { FAULTS, type FaultParameter } from './catalogue.ts'
import type { Draw } from './family.ts'

/** Answers every question with one value: its place in a list, or a number. */
class GivenChoice implements Draw {
  private readonly value: number

  constructor(value: number) {
    this.value = value
  }

  below(n: number): number {
    return min(this.value, n - 1)
  }

  between(lo: number, hi: number): number {
    return max(lo, min(hi, this.value))
  }

  chance(): boolean {
    return this.value > 0
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]
  }

  weighted(weights: readonly number[]): number {
    return this.below(weights.length)
  }
}

/** The draw that a given value stands for; null if the fault has no such parameter, or not with this value. */
export function givenChoice(fault: string, name: string, value: string | number): Draw | null {
  const parameter = parametersOf(fault).find((each) => each.name === name)
  if (parameter === undefined) return null
  const { drawn, unit } = parameter
  if ('of' in drawn) {
    const at = drawn.of.indexOf(String(value))
    return at < 0 ? null : new GivenChoice(at)
  }
  if (typeof value !== 'number' || value < drawn.least || value > drawn.most) return null
  return new GivenChoice(unit === 'ms' ? value * 1000 : value)
}

export function parametersOf(fault: string): readonly FaultParameter[] {
  return FAULTS.find((each) => each.name === fault)?.parameters ?? []
}
