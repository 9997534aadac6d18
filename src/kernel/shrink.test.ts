import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Choices, type Choice } from './choices.ts'
import { shrink, type Attempt } from './shrink.ts'

/** An attempt over a program that asks for choices and says whether it failed. */
function attempting(program: (choices: Choices) => boolean): Attempt & { runs: number } {
  const attempt = (candidate: readonly Choice[]): readonly Choice[] | null => {
    attempt.runs++
    const choices = new Choices({ seed: 0, base: 'zero', overrides: candidate, misfit: 'bend', record: true })
    return program(choices) ? choices.made : null
  }
  attempt.runs = 0
  return attempt
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
  it('keeps only what the failure needs, as small as it may be', async () => {
    const found = findFailure(twoClients)
    expect(found.length).toBeGreaterThan(90)
    const { choices, reproduced, minimal } = await shrink(found, { attempt: attempting(twoClients) })
    expect([reproduced, minimal]).toEqual([true, true])
    expect(brief(choices)).toEqual(['client 1 wait #0 = 137', 'client 3 wait #0 = 500'])
  })

  it('of what is shrunk already changes nothing', async () => {
    const first = await shrink(findFailure(twoClients), { attempt: attempting(twoClients) })
    const second = await shrink(first.choices, { attempt: attempting(twoClients) })
    expect(second.choices).toEqual(first.choices)
  })

  it('moves what happens late to the beginning', async () => {
    const late = (choices: Choices): boolean => {
      const stream = choices.stream('client', 'operation')
      for (let i = 0; i < 200; i++) if (stream.below(50) === 49) return true
      return false
    }
    const { choices } = await shrink(findFailure(late), { attempt: attempting(late) })
    expect(brief(choices)).toEqual(['client operation #0 = 49'])
  })

  it('leaves out wholes that the caller names before anything smaller', async () => {
    const tried: number[] = []
    const program = (choices: Choices): boolean => {
      let sum = 0
      for (let i = 0; i < 64; i++) sum += choices.stream(`fault ${i}`, 'x').below(2)
      return choices.stream('fault 7', 'y').below(2) === 1 && sum >= 0
    }
    const attempt = attempting(program)
    const { choices, runs } = await shrink(findFailure(program), {
      attempt: (candidate) => {
        tried.push(candidate.length)
        return attempt(candidate)
      },
      wholes: [(choice) => (choice.entity === 'fault 7' ? null : 'all other faults')],
    })
    expect(brief(choices)).toEqual(['fault 7 y #0 = 1'])
    expect(runs).toBeLessThan(10)
    expect(tried[2]).toBeLessThanOrEqual(2)
  })

  it('prefers what weighs less to what makes fewer choices, and tells of its progress', async () => {
    // Without the fault, the same failure takes three more choices.
    const program = (choices: Choices): boolean => {
      if (choices.stream('fault', 'strike').below(2) === 1) return true
      return [0, 1, 2, 3].every((i) => choices.stream(`client ${i}`, 'wait').below(2) === 1)
    }
    const all: Choice[] = [
      { entity: 'fault', label: 'strike', index: 0, n: 2, value: 1 },
      ...[0, 1, 2, 3].map((i) => ({ entity: `client ${i}`, label: 'wait', index: 0, n: 2, value: 1 })),
    ]
    const attempt: Attempt = (candidate) => (attempting(program)(candidate) === null ? null : candidate)
    const seen: number[] = []
    const light = await shrink(all, {
      attempt,
      wholes: [(choice) => (choice.entity === 'fault' ? 'fault' : null)],
      weigh: (choices) => [choices.filter(({ entity }) => entity === 'fault').length],
      onProgress: (_runs, choices) => seen.push(choices.length),
    })
    expect(light.choices.map(({ entity }) => entity)).toEqual([
      'client 0',
      'client 1',
      'client 2',
      'client 3',
    ])
    expect(seen).toEqual([4])
    const fewest = await shrink(all, { attempt })
    expect(fewest.choices.length).toBe(1)
  })

  it('gives nothing when nothing is needed', async () => {
    const always = (choices: Choices): boolean => choices.stream('a', 'x').below(10) >= 0
    expect(await shrink(findFailure(always), { attempt: attempting(always) })).toEqual({
      choices: [],
      runs: 2,
      reproduced: true,
      minimal: true,
    })
  })

  it('returns what it was given when that does not fail', async () => {
    const given: Choice[] = [{ entity: 'a', label: 'x', index: 0, n: 5, value: 3 }]
    expect(await shrink(given, { attempt: () => null })).toEqual({
      choices: given,
      runs: 1,
      reproduced: false,
      minimal: false,
    })
  })

  it('stays within its budget, and says that there may be more', async () => {
    const attempt = attempting(twoClients)
    const result = await shrink(findFailure(twoClients), { attempt, maxRuns: 10 })
    expect([result.minimal, result.runs, attempt.runs]).toEqual([false, 10, 10])
    expect(twoClients(new Choices({ seed: 0, base: 'zero', overrides: result.choices }))).toBe(true)
  })

  it('ends in a failure of which no single choice can be left out or lowered by one, for any monotone program', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(3), fc.nat(9), fc.integer({ min: 1, max: 30 })), {
          minLength: 1,
          maxLength: 4,
        }),
        async (needs) => {
          const program = (choices: Choices): boolean => {
            const values: number[][] = []
            for (let e = 0; e < 4; e++)
              values.push(Array.from({ length: 10 }, () => choices.stream(`e${e}`, 'x').below(32)))
            return needs.every(([e, i, least]) => values[e][i] >= least)
          }
          const all: Choice[] = []
          for (let e = 0; e < 4; e++)
            for (let i = 0; i < 10; i++) all.push({ entity: `e${e}`, label: 'x', index: i, n: 32, value: 31 })
          const { choices, minimal } = await shrink(all, { attempt: attempting(program) })
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
