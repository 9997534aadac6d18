import { describe, expect, it } from 'vitest'
import { Choices } from '../../kernel/choices.ts'
import { ChoiceRng, type Rng } from '../authoring/rng.ts'
import {
  flipFlop,
  limit,
  mix,
  op,
  perClient,
  phases,
  reserve,
  stagger,
  until,
  type Generator,
} from './generators.ts'
import { hotKey, uniform, zipf } from './keys.ts'

function rng(seed: number): Rng {
  return new ChoiceRng(new Choices({ seed }), 'test', false)
}

/** What clients 0 and 1 are asked for in turn. */
function asked(generator: Generator, turns: number, clients = 2): string {
  const next = generator.begin()
  const draws = rng(1)
  const names = Array.from({ length: turns }, (_, turn) => {
    return next({ client: turn % clients, index: turn, rng: draws })?.f ?? '-'
  })
  return names.join('')
}

const a = op('a')
const b = op('b')

describe('a generator', () => {
  it('mixes by weights and goes on with what is left', () => {
    const letters = asked(mix([3, a], [1, b]), 400)
    const share = letters.split('b').length - 1
    expect(share).toBeGreaterThan(50)
    expect(share).toBeLessThan(150)
    expect(
      asked(mix([1, limit(2, a)], [1, limit(2, b)]), 6)
        .split('')
        .sort()
        .join(''),
    ).toBe('--aabb')
  })

  it('leaves each part of a mix out of half of all seeds where the level swarms, and never all parts', () => {
    const draws = (seed: number): Set<string> => {
      const swarming = new ChoiceRng(new Choices({ seed }), 'test', true)
      const next = mix([1, a], [1, stagger(1, b)], [1, perClient(() => op('c'))]).begin()
      return new Set(Array.from({ length: 60 }, (_, index) => next({ client: 0, index, rng: swarming })!.f))
    }
    const seen = Array.from({ length: 200 }, (_, seed) => [...draws(seed)].sort().join(''))
    expect([...new Set(seen)].sort()).toEqual(['a', 'ab', 'abc', 'ac', 'b', 'bc', 'c'])
    // All three in 1 of 8 seeds, and where all coins say off: 50 of 200. Outside 20…90 with a probability below 10^-6.
    const whole = seen.filter((letters) => letters === 'abc').length
    expect(whole).toBeGreaterThan(20)
    expect(whole).toBeLessThan(90)
  })

  it('goes through phases, each client at its own pace', () => {
    expect(
      asked(
        phases(
          perClient(() => limit(1, a)),
          b,
        ),
        6,
      ),
    ).toBe('aabbbb')
    expect(asked(phases(limit(3, a), limit(1, b)), 6)).toBe('aaab--')
  })

  it('keeps clients for parts of their own', () => {
    expect(asked(reserve([1, a], b), 6, 3)).toBe('abbabb')
  })

  it('takes turns', () => {
    expect(asked(flipFlop(a, b), 6)).toBe('aabbaa')
  })

  it('ends with the operation that it waited for', () => {
    expect(
      asked(
        until((_, { index }) => index === 2, a),
        5,
      ),
    ).toBe('aaa--')
  })

  it('has the state of one seed only', () => {
    const three = limit(3, a)
    expect(asked(three, 4)).toBe('aaa-')
    expect(asked(three, 4)).toBe('aaa-')
  })

  it('waits up to twice the mean', () => {
    const next = stagger(10, a).begin()
    const draws = rng(2)
    const delays = Array.from({ length: 200 }, (_, index) => next({ client: 0, index, rng: draws })!.delayMs!)
    expect(Math.min(...delays)).toBe(0)
    expect(Math.max(...delays)).toBe(20)
  })
})

describe('keys', () => {
  function counts(keys: (draws: Rng) => number): number[] {
    const draws = rng(3)
    const found = [0, 0, 0, 0]
    for (let i = 0; i < 2000; i++) found[keys(draws)]++
    return found
  }

  it('are drawn evenly, by rank, or with one that is hot', () => {
    for (const count of counts(uniform(4))) expect(Math.abs(count - 500)).toBeLessThan(120)
    const ranked = counts(zipf(4))
    expect(ranked[0]).toBeGreaterThan(ranked[1] * 1.5)
    expect(ranked[1]).toBeGreaterThan(ranked[3] * 1.3)
    expect(Math.abs(counts(hotKey(4, 0.8))[0] - 1600)).toBeLessThan(120)
  })

  it('need at least one key', () => {
    expect(() => uniform(0)).toThrow(/1 or more/)
  })
})
