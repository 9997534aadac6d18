/** `Intl` and `Temporal` whose "now" is the wall clock of the current process's host. */
import { running } from '../current.ts'

const RealDateTimeFormat = Intl.DateTimeFormat

function orNow(date: unknown): any {
  return date === undefined && running !== null ? running.wallMs() : date
}

type Format = (date?: unknown) => unknown

const realFormat = Object.getOwnPropertyDescriptor(RealDateTimeFormat.prototype, 'format')!.get as (
  this: unknown,
) => Format

class SimulatedDateTimeFormat extends RealDateTimeFormat {
  override formatToParts(date?: Date | number): Intl.DateTimeFormatPart[] {
    return super.formatToParts(orNow(date))
  }
}
Object.defineProperty(SimulatedDateTimeFormat, 'name', { value: 'DateTimeFormat' })
Object.defineProperty(SimulatedDateTimeFormat.prototype, 'format', {
  configurable: true,
  get(this: unknown): Format {
    const format = realFormat.call(this)
    return (date) => format(orNow(date))
  },
})

/** It may be called without `new`. */
const DateTimeFormat = new Proxy(SimulatedDateTimeFormat, {
  apply: (target, _self, args) => Reflect.construct(target, args) as object,
})

export const VirtualIntl: object = Object.create(Object.prototype, {
  ...Object.getOwnPropertyDescriptors(Intl),
  DateTimeFormat: { value: DateTimeFormat, writable: true, configurable: true, enumerable: false },
})

const RealTemporal = (globalThis as any).Temporal

/** Undefined where the engine has none. */
export const VirtualTemporal: object | undefined = RealTemporal === undefined ? undefined : temporal()

function temporal(): object {
  const instant = (): any => {
    if (running === null) return RealTemporal.Now.instant()
    return RealTemporal.Instant.fromEpochMilliseconds(running.wallMs())
  }
  const zoned = (zone: unknown = 'UTC'): any => instant().toZonedDateTimeISO(zone)
  const now = {
    instant,
    timeZoneId: () => 'UTC',
    zonedDateTimeISO: zoned,
    plainDateTimeISO: (zone?: unknown) => zoned(zone).toPlainDateTime(),
    plainDateISO: (zone?: unknown) => zoned(zone).toPlainDate(),
    plainTimeISO: (zone?: unknown) => zoned(zone).toPlainTime(),
  }
  Object.defineProperty(now, Symbol.toStringTag, { value: 'Temporal.Now', configurable: true })
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(RealTemporal as object),
    Now: { value: now, writable: true, configurable: true, enumerable: false },
  }) as object
}
