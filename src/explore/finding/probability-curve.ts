/**
 * The probability curve of a failing run: for each decision, how likely the failure is if the run up to there is as recorded
 * and the rest is random. A decision at which the curve jumps made the run fail; once the curve stays at 1, the run was
 * doomed. (Antithesis draws such curves of a bug's likelihood over time; this is the plain estimate, by running prefixes
 * with fresh suffixes.)
 *
 * A value is a share of runs: with 100 of them its standard error is at most 5 percentage points. The suffixes are drawn
 * from seeds of their own, the same ones at every decision, so neighbouring values are compared on equal terms.
 */
import { min, round } from '../../kernel/arithmetic.ts'
import { iterationSeed } from '../search/iteration-seed.ts'
import type { RaceFinding } from './finding.ts'
import { picksOf } from './picks.ts'
import type { RaceProgram } from '../running/program.ts'
import type { ScheduleStep } from '../running/recording.ts'
import { random } from '../search/strategies/random.ts'
import type { ExploreStrategy } from '../search/strategy.ts'

export interface CurvePoint {
  /** The last decision that was made as recorded; 0 if none was. */
  readonly step: number
  readonly probability: number
}

export interface ProbabilityCurve {
  readonly runsPerPoint: number
  /** In the order of their steps; the first is the chance of the whole run. */
  readonly points: readonly CurvePoint[]
  /** The decision after which every run failed; null if some run passed even after the last decision. */
  readonly doomedAfter: number | null
  /** The decision that added most to the probability; null if none added anything. */
  readonly decisive: number | null
}

export interface CurveOptions {
  readonly runsPerPoint: number
  readonly seed: number
}

/** If there are more decisions, only this number of them is examined, in equal distances. */
const MAX_POINTS = 40

/** Computed a point at a time, so that the caller can say how far it is. Must be driven from a macrotask. */
export function* probabilityCurve(
  program: RaceProgram,
  finding: RaceFinding,
  { runsPerPoint, seed }: CurveOptions,
): Generator<CurvePoint, ProbabilityCurve> {
  const points: CurvePoint[] = []
  for (const step of pointsOf(finding)) {
    let failed = 0
    for (let run = 1; run <= runsPerPoint; run++) {
      const strategy = recordedUpTo(finding, step, iterationSeed(seed, run))
      const overrides = finding.choices.filter(({ entity }) => entity !== 'schedule')
      const { failure } = program({ seed: finding.seed, strategy, base: 'zero', overrides, misfit: 'bend' })
      if (failure?.key === finding.failure.key) failed++
    }
    const point = { step, probability: failed / runsPerPoint }
    points.push(point)
    yield point
  }
  return { runsPerPoint, points, ...verdictOf(points) }
}

/** The recorded picks up to a step, then any. The run's own seed stays: its entropy is part of the prefix. */
function recordedUpTo(finding: RaceFinding, last: number, suffixSeed: number): ExploreStrategy {
  const picks = picksOf(finding)
  const after = random()
  return {
    name: 'branch',
    begin: () => after.begin(suffixSeed),
    pick: (ready, step) =>
      step <= last ? min(picks.get(step) ?? 0, ready.length - 1) : after.pick(ready, step),
  }
}

/** The decisions to examine; 0 stands for the beginning of the run. */
function pointsOf(finding: RaceFinding): number[] {
  const steps = decisions(finding).map(({ step }) => step)
  if (steps.length <= MAX_POINTS) return [0, ...steps]
  const every = (steps.length - 1) / (MAX_POINTS - 1)
  return [0, ...Array.from({ length: MAX_POINTS }, (_, i) => steps[round(i * every)])]
}

/** Steps at which something else could have happened, without those that load the file. */
export function decisions({ schedule, bodyStep }: RaceFinding): ScheduleStep[] {
  return schedule.filter(({ step, ready }) => step > bodyStep && ready.length > 1)
}

function verdictOf(points: readonly CurvePoint[]): Pick<ProbabilityCurve, 'doomedAfter' | 'decisive'> {
  const open = points.findLastIndex(({ probability }) => probability < 1)
  let decisive: number | null = null
  let most = 0
  for (let i = 1; i < points.length; i++) {
    const rise = points[i].probability - points[i - 1].probability
    if (rise > most) [most, decisive] = [rise, points[i].step]
  }
  return { doomedAfter: points[open + 1]?.step ?? null, decisive }
}
