/** Every shape of a partition cuts exactly the links that it says, and no shape cuts where it has no sense. */
import { describe, expect, it } from 'vitest'
import type { PartitionShape } from './levels.ts'
import { runFor, stage } from './stage.test-support.ts'

interface Cut {
  /** For every host of the system, those of the system that it reaches, itself included. */
  readonly sees: Readonly<Record<string, string>>
  /** Hosts of the system that the client reaches. */
  readonly client: readonly string[]
  readonly text: string
}

/** Cuts a system with a client beside it, once, and looks at the links; null if nothing was cut. */
function cut(shape: PartitionShape, count: number, seed: number, leader?: string): Cut | null {
  const set = stage({
    seed,
    count: count + 1,
    weather: { families: {} },
    more: (all) => ({
      victims: all.slice(0, count),
      hosts: all.slice(0, count).map(({ host }) => host),
      holders: (role) => all.filter(({ name }) => role === 'leader' && name === leader),
    }),
  })
  set.nemesis.begin(10_000_000)
  const strike = set.nemesis.aim({
    family: 'partition',
    index: seed,
    durationUs: null,
    victims: null,
    given: { shape },
  })
  runFor(set, 1)
  if (typeof strike === 'string') return null
  const names = set.arena.hosts.map(({ name }) => name)
  const reaches = (a: string, b: string): boolean => {
    const there = set.world.network.link(a, b).isCut
    expect(set.world.network.link(b, a).isCut).toBe(there)
    return !there
  }
  const sees = names.map((a) => [a, names.filter((b) => a === b || reaches(a, b)).join(' ')])
  const client = names.filter((name) => reaches(`n${count + 1}`, name))
  return { sees: Object.fromEntries(sees), client, text: set.nemesis.records[0].text }
}

const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1)

/** The sizes of what each host sees, sorted. */
function views({ sees }: Cut): number[] {
  return Object.values(sees)
    .map((seen) => seen.split(' ').length)
    .sort((a, b) => a - b)
}

describe('a partition of the shape', () => {
  it('isolate cuts one host off from all others and from clients', () => {
    for (const seed of SEEDS) {
      const found = cut('isolate', 5, seed)!
      expect(views(found)).toEqual([1, 4, 4, 4, 4])
      expect(found.client).toHaveLength(4)
    }
  })

  it('halves has two sides that do not see each other', () => {
    for (const seed of SEEDS) {
      const found = cut('halves', 5, seed)
      if (found === null) continue // one side was empty
      const sides = new Set(Object.values(found.sees))
      expect([...sides].join(' ').split(' ').sort()).toEqual(['n1', 'n2', 'n3', 'n4', 'n5'])
      expect(sides.size).toBeLessThanOrEqual(2)
      expect([...sides, '']).toContain(found.client.join(' '))
    }
  })

  it.each([
    ['minority', 5, [2, 2, 3, 3, 3], 3],
    ['minority', 4, [1, 3, 3, 3], 3],
    ['majority', 5, [2, 2, 3, 3, 3], 2],
    ['majority', 4, [1, 3, 3, 3], 1],
    ['majority', 1, [1], 0],
  ] as const)('%s of %i parts this many from all others and from clients', (shape, count, sizes, reached) => {
    for (const seed of SEEDS) {
      const found = cut(shape, count, seed)!
      expect(views(found)).toEqual(sizes)
      expect(found.client).toHaveLength(reached)
    }
  })

  it('bridge leaves one host that sees both sides', () => {
    for (const seed of SEEDS) {
      const found = cut('bridge', 5, seed)!
      expect(views(found)).toEqual([3, 3, 3, 3, 5])
    }
  })

  it.each([4, 5, 6, 7, 9])(
    'majorities-ring of %i shows every host a majority, and no two the same',
    (count) => {
      for (const seed of SEEDS) {
        const found = cut('majorities-ring', count, seed)!
        expect(new Set(Object.values(found.sees)).size).toBe(count)
        for (const size of views(found)) {
          expect(size).toBeGreaterThan(count / 2)
          expect(size).toBeLessThan(count)
        }
        expect(found.client).toHaveLength(count)
      }
    },
  )

  it('leader cuts off who leads now', () => {
    const found = cut('leader', 5, 1, 'n3')!
    expect(found.sees).toMatchObject({ n3: 'n3', n1: 'n1 n2 n4 n5' })
    expect(found.client).not.toContain('n3')
  })

  it('split-brain parts the system, and clients reach both sides', () => {
    for (const seed of SEEDS) {
      const found = cut('split-brain', 5, seed)!
      expect(views(found)).toEqual([2, 2, 3, 3, 3])
      expect(found.client).toHaveLength(5)
    }
  })

  it.each([
    ['leader', 5],
    ['minority', 2],
    ['majorities-ring', 3],
    ['split-brain', 1],
  ] as const)('%s cuts nothing in a system of %i that has no such side', (shape, count) => {
    expect(cut(shape, count, 1)).toBeNull()
  })
})
