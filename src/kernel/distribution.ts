/**
 * Distributions of durations, as plain data. A duration is one choice: an integer number of microseconds that grows
 * with the choice's value, and 0 is the minimum. So a shrunk run has the least latencies, and shrinking a choice towards
 * 0 shortens what it stands for. Only integer arithmetic that is exact in doubles, so every machine agrees.
 */
import { clz32, floor, max, min } from './arithmetic.ts'
import type { ChoiceStream } from './choices.ts'

export type Distribution =
  | { readonly kind: 'constant'; readonly us: number }
  | { readonly kind: 'uniform'; readonly minUs: number; readonly maxUs: number }
  /** `minUs` plus an exponential of the given mean, never above `maxUs`. */
  | { readonly kind: 'exponential'; readonly minUs: number; readonly meanUs: number; readonly maxUs: number }
  /** Uniform over the fast range, and with `slowPpm` over the slow one (which must not be faster). */
  | {
      readonly kind: 'bimodal'
      readonly fastMinUs: number
      readonly fastMaxUs: number
      readonly slowMinUs: number
      readonly slowMaxUs: number
      readonly slowPpm: number
    }

const MILLION = 1_000_000
const EXPONENTIAL_STEPS = 0x1_0000

/** Draws a duration. A constant asks for no choice at all. */
export function drawUs(stream: ChoiceStream, distribution: Distribution): number {
  const n = rangeOf(distribution)
  return n === 1 ? minimumUs(distribution) : durationUs(distribution, stream.below(n))
}

/** How many values the distribution's choice has; 1 where there is nothing to choose. */
export function rangeOf(distribution: Distribution): number {
  switch (distribution.kind) {
    case 'constant':
      return 1
    case 'uniform':
      return max(1, distribution.maxUs - distribution.minUs + 1)
    case 'exponential':
      return distribution.meanUs <= 0 || distribution.maxUs <= distribution.minUs ? 1 : EXPONENTIAL_STEPS
    case 'bimodal':
      return MILLION
  }
}

/** The least duration: what the choice 0 gives. */
export function minimumUs(distribution: Distribution): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.us
    case 'uniform':
    case 'exponential':
      return distribution.minUs
    case 'bimodal':
      return distribution.slowPpm >= MILLION ? distribution.slowMinUs : distribution.fastMinUs
  }
}

/** The greatest duration. */
export function maximumUs(distribution: Distribution): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.us
    case 'uniform':
    case 'exponential':
      return max(distribution.minUs, distribution.maxUs)
    case 'bimodal':
      return distribution.slowPpm > 0 ? distribution.slowMaxUs : distribution.fastMaxUs
  }
}

/** The duration that a choice's value stands for; it never falls as the value grows. */
export function durationUs(distribution: Distribution, value: number): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.us
    case 'uniform':
      return distribution.minUs + value
    case 'exponential':
      return min(distribution.maxUs, distribution.minUs + exponentialUs(distribution.meanUs, value))
    case 'bimodal': {
      const { fastMinUs, fastMaxUs, slowMinUs, slowMaxUs, slowPpm } = distribution
      const fastValues = MILLION - slowPpm
      return value < fastValues
        ? spread(fastMinUs, fastMaxUs, value, fastValues)
        : spread(slowMinUs, slowMaxUs, value - fastValues, slowPpm)
    }
  }
}

function spread(minUs: number, maxUs: number, value: number, values: number): number {
  return minUs + floor(((maxUs - minUs + 1) * value) / values)
}

/**
 * The quantile function of an exponential, linear between the points where the rest halves (1/2, 1/4, 1/8 …): no
 * logarithm, whose last bit is a matter of the library. An octave lasts mean/1.5, which keeps the mean exact up to
 * rounding.
 */
function exponentialUs(meanUs: number, value: number): number {
  const rest = EXPONENTIAL_STEPS - value // 65536 … 1
  const octave = clz32(rest) - 15 // 0 for 65536, 1 for 65535 … 32768
  if (octave === 0) return 0
  const top = EXPONENTIAL_STEPS >>> (octave - 1)
  const within = ((top - rest) * 2) / top // in (0, 1]
  return floor(((octave - 1 + within) * meanUs * 2) / 3)
}
