/** A fault that is aimed at some of the system hits those, and counts what it may hit by the whole system. */
import { describe, expect, it } from 'vitest'
import type { FaultBudget } from './budget.ts'
import type { Aim } from './nemesis.ts'
import { stage, type Stage } from './stage.test-support.ts'

function ready(seed: number, budget: FaultBudget = {}, more?: Parameters<typeof stage>[0]['more']): Stage {
  const set = stage({ seed, count: 5, weather: { families: {} }, budget, ...(more && { more }) })
  for (const { host, process } of set.arena.victims)
    host.net.bindUdp(process.actor, { address: '0.0.0.0', port: 5000 })
  set.nemesis.begin(10_000_000)
  return set
}

/** What comes of it: whom it hits, or why nothing was struck. */
function aim(set: Stage, fault: Pick<Aim, 'family'> & Partial<Aim>, ...names: readonly string[]): string {
  const victims = names.length === 0 ? null : set.arena.victims.filter(({ name }) => names.includes(name))
  const index = set.nemesis.records.length
  const struck = set.nemesis.aim({ index, durationUs: null, given: {}, ...fault, victims })
  return typeof struck === 'string' ? struck : set.nemesis.records.at(-1)!.targets.join(' ')
}

const SEEDS = Array.from({ length: 30 }, (_, i) => i + 1)

describe('an aimed fault', () => {
  it.each(['slow-link', 'loss', 'bandwidth', 'reorder', 'duplicate', 'corrupt'] as const)(
    '%s strikes links of its target only, unless it says everywhere',
    (family) => {
      const budget = { byzantineLinks: true }
      const hit = SEEDS.map((seed) => aim(ready(seed, budget), { family }, 'n2'))
      for (const targets of hit) {
        expect(targets.split(' ')).toContain('n2')
        expect(targets.split(' ')).toHaveLength(2)
      }
      const everywhere = aim(ready(1, budget), { family, given: { everywhere: 'yes' } }, 'n2')
      expect(everywhere).toBe('n1 n2 n3 n4 n5')
      // Without a target, all links are struck in a quarter of the seeds: never or always has a probability below 0.001.
      const sizes = SEEDS.map((seed) => aim(ready(seed, budget), { family }).split(' ').length)
      expect(new Set(sizes)).toEqual(new Set([2, 5]))
    },
  )

  it('cuts off the leader only if that is its target', () => {
    const holders: Stage['arena']['holders'] = () => []
    for (const leader of ['n1', 'n2']) {
      const set = ready(1, {}, (all) => ({
        holders: (role) => (role === 'leader' ? all.filter(({ name }) => name === leader) : holders(role)),
      }))
      const found = aim(set, { family: 'partition', given: { shape: 'leader' } }, 'n2')
      expect(found).toMatch(leader === 'n2' ? /^n2 / : /^there is nothing that it could hit/)
    }
  })

  it.each(['lying-sync', 'disk-wipe'] as const)(
    '%s may hit a minority of the disks of the system, one by one',
    (family) => {
      const set = ready(1, { lyingDisks: 'minority', dead: 'all' })
      expect(['n1', 'n2', 'n3'].map((name) => aim(set, { family }, name))).toEqual([
        'n1',
        'n2',
        'the budget forbids it: lyingDisks is "minority"',
      ])
    },
  )

  it('has a host say something else to half of its peers when it equivocates', () => {
    for (const seed of SEEDS) {
      const set = ready(seed, { byzantineLinks: true })
      const [liar, ...deceived] = aim(
        set,
        { family: 'byzantine', given: { kind: 'equivocate' } },
        'n3',
      ).split(' ')
      expect(liar).toBe('n3')
      expect([deceived.join(' ')]).toEqual([expect.stringMatching(/^(?:n1 n4|n2 n5)$/)])
      const forges = (to: string): boolean => set.world.network.link('n3', to).config.forgePpm > 0
      expect(['n1', 'n2', 'n4', 'n5'].filter(forges)).toEqual(deceived)
    }
  })
})
