/**
 * `Date` on the wall clock of the current process's host and in the process's time zone. It shares the real
 * `Date.prototype`, so dates are dates everywhere; "now" and local time differ. Reading the clock takes a microsecond.
 */
import { running } from '../process/current.ts'
import { isElsewhere, isForeign, keepLocalTime, localInstant, parsedInstant, textOf } from './local-time.ts'
import { disguised } from './own-members.ts'

const realNow = Date.now

function nowMs(): number {
  return running === null ? realNow() : running.wallMs()
}

/** The arguments with which the engine's constructor makes the date that a process means. */
function engineArguments(args: readonly unknown[]): readonly unknown[] {
  if (args.length === 0) return [nowMs()]
  if (!isElsewhere()) return args
  if (args.length > 1) return [localInstant(args)]
  const [value] = args
  if (typeof value === 'string') return [parsedInstant(value)]
  if (typeof value !== 'object' || value === null || isDate(value)) return args
  const primitive = primitiveOf(value)
  return [typeof primitive === 'string' ? parsedInstant(primitive) : primitive]
}

const { getTime } = Date.prototype

function isDate(value: object): boolean {
  try {
    Reflect.apply(getTime, value, [])
    return true
  } catch {
    return false
  }
}

/** As the constructor converts an object: without a hint. */
function primitiveOf(value: object): unknown {
  const convert = (value as any)[Symbol.toPrimitive] as unknown
  if (typeof convert === 'function') return Reflect.apply(convert, value, ['default'])
  const plain = (value as { valueOf(): unknown }).valueOf()
  // oxlint-disable-next-line typescript/no-base-to-string -- as the constructor does
  return typeof plain === 'object' && plain !== null ? String(value) : plain
}

/** The `Date` of a realm as processes see it. */
export function virtualDate(RealDate: DateConstructor): DateConstructor {
  keepLocalTime(RealDate.prototype)
  function SimulatedDate(this: unknown, ...args: unknown[]): unknown {
    if (new.target === undefined) return isForeign() ? textOf(nowMs()) : new RealDate(nowMs()).toString()
    const made = (new.target as unknown) === SimulatedDate ? RealDate : new.target
    return Reflect.construct(RealDate, engineArguments(args), made)
  }
  disguised(SimulatedDate, RealDate)
  const { now, parse } = {
    now: () => nowMs(),
    parse: (text: unknown) => {
      return isElsewhere() ? parsedInstant(String(text)) : RealDate.parse(text as string)
    },
  }
  Object.defineProperties(SimulatedDate, {
    ...Object.getOwnPropertyDescriptors(RealDate),
    now: { value: disguised(now, RealDate.now), writable: true, configurable: true },
    parse: { value: disguised(parse, RealDate.parse as () => unknown), writable: true, configurable: true },
  })
  return SimulatedDate as unknown as DateConstructor
}

export const VirtualDate = virtualDate(Date)
