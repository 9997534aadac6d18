import { describe, expect, it } from 'vitest'
import { Choices, Divergence, type Choice } from './choices.ts'

const draw = (choices: Choices, entity: string, count: number, n = 100): number[] =>
  Array.from({ length: count }, () => choices.stream(entity, 'x').below(n))

describe('choices', () => {
  it('depend on the seed and their key, not on what else is asked', () => {
    const alone = draw(new Choices({ seed: 9 }), 'a', 20)
    const busy = new Choices({ seed: 9 })
    const among: number[] = []
    for (let i = 0; i < 20; i++) {
      draw(busy, 'other', i)
      among.push(...draw(busy, 'a', 1))
    }
    expect(among).toEqual(alone)
    expect(draw(new Choices({ seed: 10 }), 'a', 20)).not.toEqual(alone)
    expect(draw(new Choices({ seed: 9 }), 'b', 20)).not.toEqual(alone)
  })

  it('are spread evenly', () => {
    const counts = Array.from({ length: 10 }, () => 0)
    for (const value of draw(new Choices({ seed: 3 }), 'a', 100_000, 10)) counts[value]++
    // Each count is 10,000 ± 95; beyond ± 500 is past five standard deviations.
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500)
  })

  it('are independent of each other from seed to seed and from index to index', () => {
    const pairs = Array.from({ length: 16 }, () => 0)
    const first = Array.from({ length: 4 }, () => 0)
    for (let seed = 0; seed < 40_000; seed++) {
      const stream = new Choices({ seed }).stream('link n1→n2', 'loss')
      const [a, b] = [stream.below(4), stream.below(4)]
      first[a]++
      pairs[4 * a + b]++
    }
    // 10,000 ± 87 and 2,500 ± 48: five standard deviations each.
    for (const count of first) expect(Math.abs(count - 10_000)).toBeLessThan(435)
    for (const count of pairs) expect(Math.abs(count - 2_500)).toBeLessThan(242)
  })

  it('take chances in parts per million, and weights in proportion', () => {
    const stream = new Choices({ seed: 4 }).stream('a', 'x')
    let hits = 0
    for (let i = 0; i < 100_000; i++) if (stream.chance(250_000)) hits++
    expect(Math.abs(hits - 25_000)).toBeLessThan(700) // five standard deviations
    expect([stream.chance(0), stream.chance(1_000_000)]).toEqual([false, true])
    const picked = [0, 0, 0]
    for (let i = 0; i < 60_000; i++) picked[stream.weighted([1, 0, 2])]++
    expect(picked[1]).toBe(0)
    expect(Math.abs(picked[0] - 20_000)).toBeLessThan(600)
  })

  it('are all 0, the simplest, over a base of zeros', () => {
    const stream = new Choices({ seed: 4, base: 'zero' }).stream('a', 'x')
    expect([
      stream.below(9),
      stream.between(5, 9),
      stream.chance(999_999),
      stream.pick(['a', 'b']),
      stream.weighted([0, 1]),
    ]).toEqual([0, 5, false, 'a', 0])
  })

  it('replay from what was recorded, over zeros as over the seed', () => {
    const recorded = new Choices({ seed: 5, record: true })
    const values = draw(recorded, 'a', 50)
    for (const base of ['seed', 'zero'] as const) {
      const replay = new Choices({ seed: 5, base, overrides: recorded.made })
      expect(draw(replay, 'a', 50)).toEqual(values)
      expect(replay.unasked()).toEqual([])
    }
    expect(
      draw(new Choices({ seed: 6, base: 'zero', overrides: recorded.made.slice(1) }), 'a', 50),
    ).not.toEqual(values)
  })

  it('diverge when asked with another range, unless they may bend', () => {
    const overrides: Choice[] = [{ entity: 'a', label: 'x', index: 1, n: 100, value: 70 }]
    const strict = new Choices({ seed: 1, base: 'zero', overrides })
    strict.steps = { step: 42 }
    expect(draw(strict, 'a', 1)).toEqual([0])
    const error = catchError(() => draw(strict, 'a', 1, 10))
    expect(error).toBeInstanceOf(Divergence)
    expect((error as Divergence).step).toBe(42)
    expect((error as Divergence).message).toBe(
      'choice a x #1 was recorded with 100 possible values and is now asked for with 10',
    )
    expect(draw(new Choices({ seed: 1, base: 'zero', overrides, misfit: 'bend' }), 'a', 2, 10)).toEqual([
      0, 9,
    ])
  })

  it('that were recorded and not asked for are reported at the end', () => {
    const overrides: Choice[] = [
      { entity: 'a', label: 'x', index: 0, n: 2, value: 1 },
      { entity: 'a', label: 'x', index: 3, n: 2, value: 1 },
      { entity: 'gone', label: 'x', index: 0, n: 2, value: 1 },
    ]
    const choices = new Choices({ seed: 1, overrides })
    draw(choices, 'a', 3, 2)
    expect(choices.unasked()).toEqual(overrides.slice(1))
  })
})

function catchError(body: () => void): unknown {
  try {
    body()
  } catch (error) {
    return error
  }
  return null
}
