/**
 * `Date` on the wall clock of the current process's host. It shares the real `Date.prototype`, so dates are dates
 * everywhere; only "now" differs. Reading it takes a microsecond.
 */
import { running } from '../current.ts'

const RealDate = Date

function nowMs(): number {
  return running === null ? RealDate.now() : running.wallMs()
}

function SimulatedDate(this: unknown, ...args: unknown[]): unknown {
  if (new.target === undefined) return new RealDate(nowMs()).toString()
  return Reflect.construct(
    RealDate,
    args.length === 0 ? [nowMs()] : args,
    (new.target as unknown) === SimulatedDate ? RealDate : new.target,
  )
}

Object.defineProperties(SimulatedDate, {
  name: { value: 'Date', configurable: true },
  length: { value: 7, configurable: true },
  prototype: { value: RealDate.prototype, writable: false },
  now: {
    value: { now: () => nowMs() }.now,
    writable: true,
    configurable: true,
  },
  parse: { value: RealDate.parse, writable: true, configurable: true },
  UTC: { value: RealDate.UTC, writable: true, configurable: true },
})

export const VirtualDate = SimulatedDate as unknown as DateConstructor
