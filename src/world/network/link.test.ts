import { describe, expect, it } from 'vitest'
import { Kernel, type KernelOptions } from '../../kernel/kernel.ts'
import { Evidence } from '../evidence.ts'
import { World } from '../world.ts'
import { DEFERRED, Link, LinkChoices, LOST, PLAIN_LINK, type LinkConfig } from './link.ts'

function linkOf(
  config: Partial<LinkConfig>,
  options: Partial<KernelOptions> = {},
): { link: Link; choices: LinkChoices; kernel: Kernel } {
  const kernel = new Kernel({ seed: 5, record: true, ...options })
  const link = new Link(kernel, new Evidence(), 'a', 'b', { ...PLAIN_LINK, ...config })
  return { link, kernel, choices: new LinkChoices(kernel.choices, 'test') }
}

describe('a link', () => {
  it('takes its latency, plus what makes it slow', () => {
    const { link, choices } = linkOf({})
    expect(link.send(100, choices)).toBe(250)
    link.configure({ extraLatencyUs: 1_000 })
    expect(link.send(100, choices)).toBe(1_250)
    link.restore()
    expect(link.send(100, choices)).toBe(250)
  })

  it('lets packets wait for bandwidth', () => {
    const { link, choices } = linkOf({ bandwidthBytesPerS: 1_000_000 })
    expect([link.send(500, choices), link.send(500, choices)]).toEqual([750, 1_250])
  })

  it('has the least latency, no loss and whole segments when every choice is 0', () => {
    const { link, choices } = linkOf(
      {
        latency: { kind: 'uniform', minUs: 7, maxUs: 9_999 },
        lossPpm: 999_999,
        splitPpm: 1_000_000,
        reorderPpm: 900_000,
      },
      { base: 'zero' },
    )
    for (let i = 0; i < 20; i++) {
      expect(link.send(10, choices)).toBe(7)
      expect(link.segment(10, choices)).toBe(10)
    }
  })

  it('splits anywhere, often at the ends, with choices whose ranges do not depend on the length', () => {
    for (const length of [2, 3, 100, 50_000]) {
      const { link, choices, kernel } = linkOf({ splitPpm: 1_000_000 })
      const sizes: number[] = []
      for (let i = 0; i < 400; i++) sizes.push(link.segment(length, choices))
      expect(sizes.every((size) => size >= 1 && size <= length)).toBe(true)
      expect(sizes).toEqual(expect.arrayContaining([1, length - 1]))
      expect(new Set(sizes).size).toBeGreaterThan(Math.min(length - 1, 40))
      const ranges = new Map(kernel.choices.made.map(({ label, n }) => [label, n]))
      expect(Object.fromEntries(ranges)).toEqual({ segment: 5, 'segment-place': 1_000_000 })
    }
  })

  it('splits in the middle, unless something else is chosen', () => {
    const somewhere = { entity: 'test', label: 'segment', index: 0, n: 5, value: 1 }
    const { link, choices } = linkOf({ splitPpm: 1_000_000 }, { base: 'zero', overrides: [somewhere] })
    expect(link.segment(100, choices)).toBe(50)
  })

  it('drops or defers while cut, and is whole when every cut is healed', () => {
    const { link, choices } = linkOf({})
    link.cut('drop')
    link.cut('defer')
    expect(link.send(1, choices)).toBe(LOST)
    link.heal('drop')
    expect(link.send(1, choices)).toBe(DEFERRED)
    let resent = 0
    link.whenHealed(() => resent++)
    link.cut('defer')
    link.heal('defer')
    expect([resent, link.passes]).toEqual([0, false])
    link.heal('defer')
    expect([resent, link.passes, link.send(1, choices)]).toEqual([1, true, 250])
  })
})

describe('the network', () => {
  it('cuts what lies between the groups of a partition, and nothing else', () => {
    const world = new World({ seed: 1 })
    for (const name of ['a', 'b', 'c', 'd']) world.addHost(name)
    const { network } = world
    const cut = network.partition([['a', 'b'], ['c']])
    const state = (from: string, to: string): boolean => network.link(from, to).passes
    expect([state('a', 'c'), state('c', 'b'), state('a', 'b'), state('a', 'd'), state('d', 'c')]).toEqual([
      false,
      false,
      true,
      true,
      true,
    ])
    network.heal(cut)
    network.heal(cut)
    expect([state('a', 'c'), state('c', 'a')]).toEqual([true, true])
  })

  it('heals everything at once', () => {
    const world = new World({ seed: 1 })
    for (const name of ['a', 'b']) world.addHost(name)
    world.network.cut('a', 'b')
    world.network.cut('b', 'a', { oneWay: true, mode: 'defer' })
    world.network.heal()
    expect([world.network.link('a', 'b').passes, world.network.link('b', 'a').passes]).toEqual([true, true])
  })

  it('names the hosts there are when asked for one that is not', () => {
    const world = new World({ seed: 1 })
    world.addHost('a')
    expect(() => world.network.cut('a', 'z')).toThrow(/no host is named 'z'; there are a/)
    expect(() => world.addHost('a')).toThrow(/already a host 'a'/)
  })
})
