/**
 * The fake timers of test runners, inside a world. Time there is the world's already: it costs nothing and is explored. So
 * switching fake timers on or off, as hooks do for the other tests of a file, does nothing. A test that moves their clock
 * by hand would wait forever; it gets an error.
 */
import { UnsupportedError } from '../node/index.ts'

type Members = Readonly<Record<PropertyKey, unknown>>

const VI_SWITCHES = new Set(['useFakeTimers', 'useRealTimers'])
const VI_HANDS =
  /^(?:advanceTimers|runAll(?:Timers|Ticks)|runOnlyPendingTimers|setSystemTime$|setTimerTickMode$|getTimerCount$|clearAllTimers$)/

/** `vi` of vitest. */
export function viInWorld(vi: Members): object {
  const inWorld: object = new Proxy(vi, {
    get(_, key) {
      if (key === 'isFakeTimers') return () => false
      if (VI_SWITCHES.has(String(key))) return () => inWorld
      if (VI_HANDS.test(String(key))) return refusing(`vi.${String(key)}`)
      return vi[key]
    },
  })
  return inWorld
}

const MOCK_SWITCHES = new Set<PropertyKey>(['enable', 'reset', Symbol.dispose])

/** `mock` of node:test. */
export function mockInWorld(mock: Members): object {
  const timers = new Proxy(
    {},
    {
      get: (_, key) => (MOCK_SWITCHES.has(key) ? () => undefined : refusing(`mock.timers.${String(key)}`)),
    },
  )
  return new Proxy(mock, {
    get(_, key) {
      if (key === 'timers') return timers
      const value = mock[key]
      return typeof value === 'function' ? (value.bind(mock) as unknown) : value // it has private members
    },
  })
}

function refusing(what: string): () => never {
  return () => {
    throw new UnsupportedError(
      `${what}: in a race time is the world's, not that of fake timers: it passes by itself when all code waits. ` +
        'Await what the timer does instead, or move this test out of the race.',
    )
  }
}
