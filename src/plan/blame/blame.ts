/**
 * Who is to blame for a violation: the system under test, the harness, the checker or the environment. The argument is
 * always the same: change one thing, keep the rest, and see whether the violation is still there.
 *
 * - It survives another generator, another checker and another host: the system.
 * - It goes away with the generator: the harness sent something it must not send.
 * - It goes away with the checker, or the checker flags a system that is known to be right: the checker.
 * - It goes away on another host: the environment.
 *
 * A swap that did not run, or did much less than the original, says nothing. What is missing leaves the blame unknown.
 */

export const SWAPS = ['generator', 'checker', 'host', 'known-good'] as const
export type Swap = (typeof SWAPS)[number]

export interface Observation {
  readonly swap: Swap | 'none'
  /** What ran in its place. */
  readonly what: string
  /** The run completed, and did about as much as the original. */
  readonly counts: boolean
  readonly violated: boolean
  readonly note: string
}

export type Blamed = 'SUT' | 'harness' | 'checker' | 'environment' | 'unknown'

export interface Blame {
  readonly blamed: Blamed
  /** One sentence per step of the argument. */
  readonly argument: readonly string[]
  /** What would decide, if the blame is unknown. */
  readonly pending: readonly string[]
}

const GOES_AWAY: Readonly<Record<Exclude<Swap, 'known-good'>, Exclude<Blamed, 'SUT' | 'unknown'>>> = {
  generator: 'harness',
  checker: 'checker',
  host: 'environment',
}

const SWAPPED = Object.keys(GOES_AWAY) as (keyof typeof GOES_AWAY)[]

export function blameFor(observations: readonly Observation[]): Blame {
  const usable = observations.filter(({ counts }) => counts)
  const of = (swap: Observation['swap']): Observation | undefined => usable.find((each) => each.swap === swap)
  const argument = observations.map(sentence)
  const unknown = (why: string, pending: readonly string[]): Blame => ({
    blamed: 'unknown',
    argument: [...argument, why],
    pending,
  })
  const baseline = of('none')
  const host = of('host')
  if (baseline === undefined)
    return unknown('The original could not be run again.', ['run the original again'])
  if (!baseline.violated)
    return unknown('The original does not fail again, so a swap that passes says nothing.', ['a reproducer'])
  const gone = SWAPPED.filter((swap) => of(swap)?.violated === false)
  const missing = SWAPPED.filter((swap) => of(swap) === undefined)
  const knownGood = of('known-good')
  if (gone.length === 1)
    return {
      blamed: GOES_AWAY[gone[0]],
      argument: [...argument, `Only the ${gone[0]} makes a difference: ${GOES_AWAY[gone[0]]}.`],
      pending: [],
    }
  if (gone.length > 1)
    return unknown(
      `It goes away with the ${gone.join(' and with the ')}: one change at a time must decide.`,
      gone.map((swap) => `another ${swap}`),
    )
  if (knownGood?.violated === true) {
    const survives = of('generator')?.violated === true
    if (survives)
      return {
        blamed: 'checker',
        argument: [
          ...argument,
          'A system that is known to be right is flagged, whatever is sent to it: checker.',
        ],
        pending: [],
      }
    return unknown('A system that is known to be right is flagged: the checker or the harness.', [
      'another generator',
      'another checker',
    ])
  }
  const needed = missing.filter((swap) => swap !== 'host' || host === undefined)
  if (needed.length > 0)
    return unknown(
      `It survives what was swapped; ${needed.join(' and ')} were not.`,
      needed.map((swap) => `another ${swap}`),
    )
  return {
    blamed: 'SUT',
    argument: [...argument, 'It survives every swap: the system under test.'],
    pending: [],
  }
}

function sentence({ swap, what, counts, violated, note }: Observation): string {
  const subject =
    swap === 'none'
      ? 'The original'
      : swap === 'known-good'
        ? 'What is known to be right'
        : `With another ${swap}, it`
  const result = !counts ? 'says nothing' : violated ? 'fails' : 'does not fail'
  return `${subject} ${result} (\`${what}\`)${note === '' ? '' : `: ${note}`}.`
}
