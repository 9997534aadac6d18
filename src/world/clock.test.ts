import { describe, expect, it } from 'vitest'
import { EPOCH_US } from './clock.ts'
import { World } from './world.ts'

describe('a wall clock', () => {
  it('shows the epoch plus virtual time', () => {
    const { clock } = new World({ seed: 1 }).addHost('a')
    expect(clock.nowUs()).toBe(EPOCH_US)
    expect(new Date(clock.nowMs()).toISOString()).toBe('2027-01-01T00:00:00.000Z')
  })

  it('drifts, jumps and is set right, without moving another host’s clock or monotonic time', () => {
    const world = new World({ seed: 1 })
    const [a, b] = [world.addHost('a'), world.addHost('b')]
    const pass = (us: number): void => {
      world.kernel.schedule(a.actor, 'pass', us, () => {})
      world.kernel.run()
    }
    a.clock.setDrift(100)
    pass(10_000_000)
    expect(a.clock.offsetUs).toBe(1_000)
    a.clock.jump(-5_000_000)
    expect(a.clock.offsetUs).toBe(-4_999_000)
    a.clock.setDrift(-1_000_000)
    pass(1_000_000)
    expect(a.clock.offsetUs).toBe(-5_999_000) // stands still
    a.clock.setOffset(7)
    expect(a.clock.offsetUs).toBe(7)
    a.clock.synchronise()
    expect([a.clock.offsetUs, a.clock.driftPpm, b.clock.offsetUs]).toEqual([0, 0, 0])
    expect(world.kernel.now).toBe(11_000_000)
  })

  it('counts as skewed only when it is read', () => {
    const world = new World({ seed: 1 })
    const { clock } = world.addHost('a')
    clock.jump(1_000)
    expect(world.reports.count('skewed-clock-read')).toBe(0)
    clock.nowMs()
    clock.nowMs()
    expect(world.reports.count('skewed-clock-read')).toBe(1)
  })
})
