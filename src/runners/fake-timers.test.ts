import { mock } from 'node:test'
import { describe, expect, it, vi } from 'vitest'
import { mockInWorld, viInWorld } from './fake-timers.ts'

describe('fake timers in a world', () => {
  const setTimeoutOutside = globalThis.setTimeout

  it('of vitest are switched on and off without effect', () => {
    const inWorld = viInWorld(vi as never) as typeof vi
    expect(inWorld.useFakeTimers()).toBe(inWorld)
    expect([inWorld.isFakeTimers(), vi.isFakeTimers()]).toEqual([false, false])
    expect(globalThis.setTimeout).toBe(setTimeoutOutside)
    expect(inWorld.useRealTimers()).toBe(inWorld)
  })

  it('of node:test are switched on and off without effect', () => {
    const inWorld = mockInWorld(mock as never) as typeof mock
    inWorld.timers.enable()
    expect(globalThis.setTimeout).toBe(setTimeoutOutside)
    inWorld.timers.reset()
  })

  it.each(['advanceTimersByTime', 'runAllTimersAsync', 'runOnlyPendingTimers', 'setSystemTime'] as const)(
    'refuse vi.%s, with what to do instead',
    (name) => {
      const inWorld = viInWorld(vi as never) as unknown as Record<string, () => void>
      expect(() => inWorld[name]()).toThrow(
        new RegExp(`^vi\\.${name}: in a race .* Await what the timer does`),
      )
    },
  )

  it('refuse the clock of node:test', () => {
    const inWorld = mockInWorld(mock as never) as typeof mock
    expect(() => inWorld.timers.tick(5)).toThrow(/^mock\.timers\.tick: in a race time is the world's/)
  })

  it('leave everything else to the runner', () => {
    const spy = (viInWorld(vi as never) as typeof vi).fn(() => 7)
    expect([spy(), spy.mock.calls.length]).toEqual([7, 1])
    const counted = (mockInWorld(mock as never) as typeof mock).fn(() => 8)
    expect([counted(), counted.mock.callCount()]).toEqual([8, 1])
  })
})
