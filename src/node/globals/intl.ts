/**
 * `Intl` and `Temporal` whose "now" is the wall clock of the current process's host, and whose default locale and time zone
 * are the process's. The classes share the real prototypes, as `Date` does.
 */
import { region } from '../isolation/region.ts'
import { running } from '../process/current.ts'
import { isForeign } from './local-time.ts'
import { withZone } from './locales.ts'
import { disguised, ownConstructor, ownMethod } from './own-members.ts'

type IntlClass = (new (...args: any[]) => object) & ((...args: any[]) => unknown)
type Format = (date?: unknown) => unknown

function orNow(date: unknown): unknown {
  return date === undefined && running !== null ? running.wallMs() : date
}

/** A class of `Intl` with the process's defaults. */
function virtualClass(name: string, Real: IntlClass): IntlClass {
  const complete = name === 'DateTimeFormat' ? withZone : (options: unknown) => options
  function Simulated(this: unknown, ...args: unknown[]): unknown {
    const [locales = region.locale, options, ...rest] = args
    const whole = isForeign() ? [locales, complete(options), ...rest] : args
    if (new.target === undefined) return Reflect.apply(Real, this, whole)
    return Reflect.construct(Real, whole, (new.target as unknown) === Simulated ? Real : new.target)
  }
  disguised(Simulated, Real)
  Object.defineProperties(Simulated, Object.getOwnPropertyDescriptors(Real))
  return Simulated as unknown as IntlClass
}

/** Formats of dates take the process's clock where they are given no date. */
function keepClock(prototype: object): void {
  const { get: real, ...attributes } = Object.getOwnPropertyDescriptor(prototype, 'format')!
  const formats = new WeakMap<object, Format>()
  const { get } = Object.getOwnPropertyDescriptor(
    {
      get format(): Format {
        const format = Reflect.apply(real!, this, []) as Format
        let own = formats.get(format)
        if (own === undefined) formats.set(format, (own = disguised((date) => format(orNow(date)), format)))
        return own
      },
    },
    'format',
  )!
  Object.defineProperty(prototype, 'format', { ...attributes, get: disguised(get!, real!) })
  ownMethod(prototype, 'formatToParts', (formatToParts: Format) => {
    return function (this: unknown, date: unknown): unknown {
      return Reflect.apply(formatToParts, this, [orNow(date)])
    }
  })
}

/** Classes without a default locale. */
const EXPLICIT: ReadonlySet<string> = new Set(['Locale'])

/** The classes of a realm's `Intl` as processes see them. */
export function virtualIntlClasses(real: object): Record<string, IntlClass> {
  const classes: Record<string, IntlClass> = {}
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(real))) {
    if (typeof value !== 'function' || value.prototype === undefined || EXPLICIT.has(name)) continue
    classes[name] = virtualClass(name, value as IntlClass)
    if (name === 'DateTimeFormat') keepClock(value.prototype as object)
  }
  return classes
}

const hidden = (value: unknown): PropertyDescriptor => {
  return { value, writable: true, configurable: true, enumerable: false }
}

export const VirtualIntl: object = intl()

function intl(): object {
  const members = Object.getOwnPropertyDescriptors(Intl) as PropertyDescriptorMap
  for (const [name, Simulated] of Object.entries(virtualIntlClasses(Intl))) {
    ownConstructor(Simulated.prototype as object, members[name].value, Simulated)
    members[name] = hidden(Simulated)
  }
  return Object.create(Object.prototype, members) as object
}

const RealTemporal = (globalThis as any).Temporal

/** Undefined where the engine has none. */
export const VirtualTemporal: object | undefined = RealTemporal === undefined ? undefined : temporal()

function temporal(): object {
  const instant = (): any => {
    if (running === null) return RealTemporal.Now.instant()
    return RealTemporal.Instant.fromEpochMilliseconds(running.wallMs())
  }
  const zoned = (zone: unknown = region.zone): any => instant().toZonedDateTimeISO(zone)
  const now = {
    instant,
    timeZoneId: () => region.zone,
    zonedDateTimeISO: zoned,
    plainDateTimeISO: (zone?: unknown) => zoned(zone).toPlainDateTime(),
    plainDateISO: (zone?: unknown) => zoned(zone).toPlainDate(),
    plainTimeISO: (zone?: unknown) => zoned(zone).toPlainTime(),
  }
  Object.defineProperty(now, Symbol.toStringTag, { value: 'Temporal.Now', configurable: true })
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(RealTemporal as object),
    Now: hidden(now),
  }) as object
}
