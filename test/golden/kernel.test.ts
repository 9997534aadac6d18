/**
 * Frozen vectors of everything that a seed's meaning depends on. A change here means that every seed and every trace that
 * was ever printed stands for another run: it needs a new trace version and a line in the changelog, not a new number.
 */
import { describe, expect, it } from 'vitest'
import { Choices } from '../../src/kernel/choices.ts'
import { durationUs } from '../../src/kernel/distribution.ts'
import { RunHash } from '../../src/kernel/hash.ts'
import { Entropy, keyOf, mix, seedKey } from '../../src/kernel/prng.ts'

const hex = (value: number): string => value.toString(16).padStart(8, '0')

describe('the generators', () => {
  it('mix (seed, key, index) as they always did', () => {
    expect([0, 1, 2, 3, 1_000_000].map((index) => hex(mix(1, 0, 2, 3, index)))).toEqual([
      '625cd1ba',
      'fecf895e',
      '5963ad52',
      '6aace4dd',
      '0433cebe',
    ])
  })

  it('turn text and seeds into the same keys', () => {
    const key = (text: string): string => hex(keyOf(text).lo) + hex(keyOf(text).hi)
    expect(['', 'a', 'link n1→n2\u0000latency', '💥'].map(key)).toEqual([
      '71833a37254e0759',
      'd51ff9ebc2dbdc4c',
      'e15406f8b4bc13c4',
      '0860c23c8b1dd0da',
    ])
    expect(seedKey(2 ** 53 - 1)).toEqual({ lo: 4_294_967_295, hi: 2_097_151 })
  })

  it('draw the same entropy', () => {
    const entropy = new Entropy(42, 'process n1 boot 1')
    expect([entropy.uint32(), entropy.uint32(), entropy.uint32(), entropy.float()]).toEqual([
      3_115_775_207, 2_003_035_697, 4_178_138_074, 0.024522423807014193,
    ])
    const bytes = new Uint8Array(7)
    entropy.fill(bytes) // oxlint-disable-line unicorn/no-array-fill-with-reference-type
    expect([...bytes]).toEqual([26, 18, 140, 233, 255, 236, 88])
  })
})

describe('choices', () => {
  it('have the same values', () => {
    const choices = new Choices({ seed: 7 })
    const latency = choices.stream('link n1→n2', 'latency')
    expect(Array.from({ length: 12 }, () => latency.below(1_000))).toEqual([
      989, 648, 244, 464, 662, 506, 517, 879, 16, 719, 651, 541,
    ])
    const operation = choices.stream('client 3', 'operation')
    expect([
      operation.between(5, 9),
      operation.chance(500_000),
      operation.chance(500_000),
      operation.chance(500_000),
      operation.pick(['a', 'b', 'c']),
      operation.weighted([1, 2, 3]),
      operation.below(2 ** 40),
    ]).toEqual([5, true, true, false, 'a', 2, 1_078_312_682_496])
    const greatest = new Choices({ seed: 2 ** 53 - 1 }).stream('a', 'b')
    expect(Array.from({ length: 6 }, () => greatest.below(2 ** 31))).toEqual([
      842_970_863, 1_208_156_126, 1_037_317_437, 1_680_972_504, 736_806_125, 723_343_940,
    ])
  })

  it('stand for the same durations', () => {
    const exponential = { kind: 'exponential', minUs: 100, meanUs: 3_000, maxUs: 1_000_000 } as const
    const bimodal = {
      kind: 'bimodal',
      fastMinUs: 10,
      fastMaxUs: 19,
      slowMinUs: 1_000,
      slowMaxUs: 1_999,
      slowPpm: 100_000,
    } as const
    expect([0, 1, 1_000, 32_768, 60_000, 65_535].map((value) => durationUs(exponential, value))).toEqual([
      100, 100, 161, 2_100, 7_396, 32_100,
    ])
    expect([0, 1, 500_000, 899_999, 900_000, 999_999].map((value) => durationUs(bimodal, value))).toEqual([
      10, 10, 15, 19, 1_000, 1_999,
    ])
  })
})

describe('the running hash', () => {
  it('is the same for the same run', () => {
    const hash = new RunHash()
    hash.add(1)
    hash.addWide(2 ** 52 + 5)
    hash.addBytes(new TextEncoder().encode('hello world'))
    expect([hash.digest(), hex(hash.value)]).toEqual(['cacbb6765484fafd', '7afbeb7b'])
  })
})
