import { describe, expect, it } from 'vitest'
import { Kernel } from '../../kernel/kernel.ts'
import { Evidence } from '../evidence.ts'
import { World } from '../world.ts'
import { DEFERRED, Link, LinkChoices, LOST, PLAIN_LINK, type LinkConfig } from './link.ts'

function linkOf(
  config: Partial<LinkConfig>,
  base: 'seed' | 'zero' = 'seed',
): { link: Link; choices: LinkChoices; kernel: Kernel } {
  const kernel = new Kernel({ seed: 5, base })
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
      'zero',
    )
    for (let i = 0; i < 20; i++) {
      expect(link.send(10, choices)).toBe(7)
      expect(link.segment(10, choices)).toBe(10)
    }
  })

  it('splits into a few kinds of pieces, with a choice whose range does not depend on the length', () => {
    for (const length of [2, 3, 100, 50_000]) {
      const { link, choices, kernel } = linkOf({ splitPpm: 1_000_000 })
      const sizes = new Set<number>()
      for (let i = 0; i < 200; i++) sizes.add(link.segment(length, choices))
      const kinds = [length >> 1, 1, length - 1, Math.min(length, 1_448)]
      expect([...sizes].every((size) => kinds.includes(size))).toBe(true)
      expect(sizes.has(1)).toBe(true)
      expect(kernel.choices.asked).toBe(200)
    }
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
