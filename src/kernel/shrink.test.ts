import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Choices, type Choice } from './choices.ts'
import { normal, shrink, shrinkAsync, type Candidate, type ShrinkMeasure, type Shrunk } from './shrink.ts'

interface Run {
  readonly made: readonly Choice[]
  readonly fails: boolean
}

type Attempt = (candidate: Candidate) => Run

/** An attempt over a program that asks for choices and says whether it failed. */
function attempting(program: (choices: Choices) => boolean): Attempt & { runs: number } {
  const attempt = ({ choices: overrides }: Candidate): Run => {
    attempt.runs++
    const choices = new Choices({ seed: 0, base: 'zero', overrides, misfit: 'bend', record: true })
    return { fails: program(choices), made: choices.made }
  }
  attempt.runs = 0
  return attempt
}

const MEASURE: ShrinkMeasure<Run> = {
  choicesOf: ({ made }) => made,
  isAlike: ({ fails }) => fails,
  weigh: () => [],
  closesGaps: true,
}

interface Given extends Partial<ShrinkMeasure<Run>> {
  readonly attempt: Attempt
  readonly maxRuns?: number
  readonly onProgress?: (runs: number, best: Run) => void
}

function shrinks(
  made: readonly Choice[],
  { attempt, maxRuns = 2_000, onProgress, ...more }: Given,
): Shrunk<Run> & { choices: readonly Choice[] } {
  const measure = { ...MEASURE, ...more }
  const shrunk = shrink({ made, fails: true }, attempt, { measure, maxRuns, onProgress })
  return { ...shrunk, choices: normal(shrunk.run.made) }
}

/** The choices of the first seed that fails. */
function findFailure(program: (choices: Choices) => boolean): Choice[] {
  for (let seed = 0; seed < 1_000; seed++) {
    const choices = new Choices({ seed, record: true })
    if (program(choices)) return choices.made
  }
  throw new Error('no seed fails')
}

const brief = (choices: readonly Choice[]): string[] =>
  choices.map(({ entity, label, index, value }) => `${entity} ${label} #${index} = ${value}`)

/** Fails when two clients both waited long enough, whatever else happened. */
function twoClients(choices: Choices): boolean {
  const waits: number[] = []
  for (let client = 0; client < 5; client++) {
    for (let i = 0; i < 20; i++) choices.stream(`client ${client}`, 'noise').below(1_000)
    waits.push(choices.stream(`client ${client}`, 'wait').below(1_000))
  }
  return waits[1] >= 137 && waits[3] >= 500
}

describe('shrinking', () => {
  it('keeps only what the failure needs, as small as it may be', () => {
    const found = findFailure(twoClients)
    expect(found.length).toBeGreaterThan(90)
    const { choices, minimal } = shrinks(found, { attempt: attempting(twoClients) })
    expect(minimal).toBe(true)
    expect(brief(choices)).toEqual(['client 1 wait #0 = 137', 'client 3 wait #0 = 500'])
  })

  it('of what is shrunk already changes nothing', () => {
    const first = shrinks(findFailure(twoClients), { attempt: attempting(twoClients) })
    const second = shrinks(first.choices, { attempt: attempting(twoClients) })
    expect(second.choices).toEqual(first.choices)
  })

  it('moves what happens late to the beginning', () => {
    const late = (choices: Choices): boolean => {
      const stream = choices.stream('client', 'operation')
      for (let i = 0; i < 200; i++) if (stream.below(50) === 49) return true
      return false
    }
    const { choices } = shrinks(findFailure(late), { attempt: attempting(late) })
    expect(brief(choices)).toEqual(['client operation #0 = 49'])
  })

  it('leaves out wholes that the caller names before anything smaller', () => {
    const tried: number[] = []
    const program = (choices: Choices): boolean => {
      let sum = 0
      for (let i = 0; i < 64; i++) sum += choices.stream(`fault ${i}`, 'x').below(2)
      return choices.stream('fault 7', 'y').below(2) === 1 && sum >= 0
    }
    const attempt = attempting(program)
    const { choices, runs } = shrinks(findFailure(program), {
      attempt: (candidate) => {
        tried.push(candidate.choices.length)
        return attempt(candidate)
      },
      wholes: [(choice) => (choice.entity === 'fault 7' ? null : 'all other faults')],
    })
    expect(brief(choices)).toEqual(['fault 7 y #0 = 1'])
    expect(runs).toBeLessThan(10)
    expect(tried[1]).toBeLessThanOrEqual(2)
  })

  it('prefers what weighs less to what makes fewer choices, and tells of its progress', () => {
    // Without the fault, the same failure takes three more choices.
    const program = (choices: Choices): boolean => {
      if (choices.stream('fault', 'strike').below(2) === 1) return true
      return [0, 1, 2, 3].every((i) => choices.stream(`client ${i}`, 'wait').below(2) === 1)
    }
    const all: Choice[] = [
      { entity: 'fault', label: 'strike', index: 0, n: 2, value: 1 },
      ...[0, 1, 2, 3].map((i) => ({ entity: `client ${i}`, label: 'wait', index: 0, n: 2, value: 1 })),
    ]
    const attempt: Attempt = (candidate) => ({ ...attempting(program)(candidate), made: candidate.choices })
    const seen: number[] = []
    const light = shrinks(all, {
      attempt,
      wholes: [(choice) => (choice.entity === 'fault' ? 'fault' : null)],
      weigh: ({ made }) => [made.filter(({ entity }) => entity === 'fault').length],
      onProgress: (_runs, { made }) => seen.push(made.length),
    })
    expect(light.choices.map(({ entity }) => entity)).toEqual([
      'client 0',
      'client 1',
      'client 2',
      'client 3',
    ])
    expect(seen).toEqual([4])
    const fewest = shrinks(all, { attempt })
    expect(fewest.choices.length).toBe(1)
  })

  it('gives nothing when nothing is needed', () => {
    const always = (choices: Choices): boolean => choices.stream('a', 'x').below(10) >= 0
    expect(shrinks(findFailure(always), { attempt: attempting(always) })).toMatchObject({
      choices: [],
      runs: 1,
      minimal: true,
    })
  })

  it('gives the same when runs are made in another thread', async () => {
    const first = { made: findFailure(twoClients), fails: true }
    const attempt = attempting(twoClients)
    const options = { measure: MEASURE, maxRuns: 2_000 }
    const later = await shrinkAsync(first, (candidate) => Promise.resolve(attempt(candidate)), options)
    expect(later).toEqual(shrink(first, attempt, options))
  })

  it('does not take a run that is out of all proportion for a simpler one', () => {
    // Without its one choice the program fails too, after a thousand steps.
    const attempt = attempting(() => true)
    const one: Choice[] = [{ entity: 'a', label: 'x', index: 0, n: 2, value: 1 }]
    const lengthOf = ({ made }: Run): number => (made.length === 0 ? 1_000 : 10)
    const asGiven: Attempt = (candidate) => ({ ...attempt(candidate), made: candidate.choices })
    expect(shrinks(one, { attempt: asGiven, lengthOf }).choices).toEqual(one)
    expect(shrinks(one, { attempt: asGiven }).choices).toEqual([])
  })

  it('stays within its budget, and says that there may be more', () => {
    const attempt = attempting(twoClients)
    const result = shrinks(findFailure(twoClients), { attempt, maxRuns: 10 })
    expect([result.minimal, result.runs, attempt.runs]).toEqual([false, 10, 10])
    expect(twoClients(new Choices({ seed: 0, base: 'zero', overrides: result.choices }))).toBe(true)
  })

  it('ends in a failure of which no single choice can be left out or lowered by one, for any monotone program', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(3), fc.nat(9), fc.integer({ min: 1, max: 30 })), {
          minLength: 1,
          maxLength: 4,
        }),
        (needs) => {
          const program = (choices: Choices): boolean => {
            const values: number[][] = []
            for (let e = 0; e < 4; e++)
              values.push(Array.from({ length: 10 }, () => choices.stream(`e${e}`, 'x').below(32)))
            return needs.every(([e, i, least]) => values[e][i] >= least)
          }
          const all: Choice[] = []
          for (let e = 0; e < 4; e++)
            for (let i = 0; i < 10; i++) all.push({ entity: `e${e}`, label: 'x', index: i, n: 32, value: 31 })
          const { choices, minimal } = shrinks(all, { attempt: attempting(program) })
          expect(minimal).toBe(true)
          const least = new Map<string, number>()
          for (const [e, i, value] of needs)
            least.set(`e${e} x #${i}`, Math.max(value, least.get(`e${e} x #${i}`) ?? 0))
          expect(brief(choices).sort()).toEqual(
            [...least].map(([name, value]) => `${name} = ${value}`).sort(),
          )
        },
      ),
      { numRuns: 50 },
    )
  })
})
