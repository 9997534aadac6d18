/**
 * The local-time methods of `Date`, in the time zone of the running process. A *shadow* is a date whose UTC fields are the
 * local fields of another; so every method is one of the engine's own, on the shadow. Where the process's zone is the
 * engine's, and outside of processes, the engine's own method runs.
 */
import { abs, floor, trunc } from '../../kernel/arithmetic.ts'
import { running } from '../process/current.ts'
import { region } from '../isolation/region.ts'
import { ownMethod } from './own-members.ts'
import { instantOf, offsetMs, zoneNameAt } from './zone-offsets.ts'

const MINUTE_MS = 60_000

const GETTERS = ['Date', 'Day', 'FullYear', 'Hours', 'Milliseconds', 'Minutes', 'Month', 'Seconds']
const SETTERS = ['Date', 'FullYear', 'Hours', 'Milliseconds', 'Minutes', 'Month', 'Seconds']

const RealDate = Date
const { getTime, setTime } = Date.prototype

/** Whether the running process's local time is not the engine's. */
export function isElsewhere(): boolean {
  return running !== null && !region.hasEngineZone
}

/** Whether the engine's zone or locale is not the running process's: texts name the zone in the words of the locale. */
export function isForeign(): boolean {
  return running !== null && !(region.hasEngineZone && region.hasEngineLocale)
}

/** Checks that `this` is a date, as the engine's own methods do. */
function timeOf(date: unknown): number {
  return Reflect.apply(getTime, date as Date, [])
}

function shadowOf(utcMs: number): Date {
  const shadow = new RealDate(utcMs + (Number.isNaN(utcMs) ? 0 : offsetMs(region.zone, utcMs)))
  // On the last day that a date can have, the shadow may lie beyond it.
  return Number.isNaN(timeOf(shadow)) ? new RealDate(utcMs) : shadow
}

/** The instant of a shadow. */
function instantOfShadow(localMs: number): number {
  return Number.isNaN(localMs) ? localMs : instantOf(region.zone, localMs)
}

/** The instant of local fields, given as to `Date.UTC`. */
export function localInstant(fields: readonly unknown[]): number {
  return instantOfShadow(Reflect.apply(RealDate.UTC, RealDate, fields as number[]))
}

/** A text that names its zone, or a date of ISO 8601 without a time, which is in UTC. */
const ABSOLUTE =
  /(?:\b(?:Z|UTC?|GMT|[ECMP][SD]T)\b|\d{1,2}:\d\d\S*\s*\(?[+-]\d|[T\d]Z\s*$|^\s*[+-]?\d{4,6}(?:-\d\d){0,2}\s*$)/i

/** The instant that a text means: without a zone of its own it is in the process's. */
export function parsedInstant(text: string): number {
  const engineMs = RealDate.parse(text)
  if (Number.isNaN(engineMs) || ABSOLUTE.test(text)) return engineMs
  const date = new RealDate(engineMs)
  const localMs = engineMs - native.getTimezoneOffset.call(date) * MINUTE_MS
  return instantOfShadow(localMs)
}

const native = { getTimezoneOffset: Date.prototype.getTimezoneOffset }

interface Texts {
  readonly date: string
  readonly time: string
}

function textsOf(utcMs: number): Texts {
  const [, weekday, day, month, year, time] = /^(\w+), (\d+) (\w+) (-?\d+) (\S+)/.exec(
    shadowOf(utcMs).toUTCString(),
  )!
  const minutes = trunc(offsetMs(region.zone, utcMs) / MINUTE_MS)
  const distance = abs(minutes)
  const two = (number: number): string => String(number).padStart(2, '0')
  const offset = `${minutes < 0 ? '-' : '+'}${two(floor(distance / 60))}${two(distance % 60)}`
  const name = zoneNameAt(region.zone, region.locale, utcMs)
  return { date: `${weekday} ${month} ${day} ${year}`, time: `${time} GMT${offset} (${name})` }
}

/** The text of a date as `toString` gives it. */
export function textOf(utcMs: number): string {
  const { date, time } = textsOf(utcMs)
  return `${date} ${time}`
}

type Method = (this: Date, ...args: any[]) => unknown

/** Makes the methods of a realm's dates those of the running process's zone. */
export function keepLocalTime(prototype: Date): void {
  const elsewhere = (name: string, method: Method, differs = isElsewhere): void => {
    ownMethod(prototype, name, (real: Method) => {
      return function (this: Date, ...args: unknown[]): unknown {
        return Reflect.apply(differs() ? method : real, this, args)
      }
    })
  }
  for (const field of GETTERS) {
    const inUtc = RealDate.prototype[`getUTC${field}` as 'getUTCDate']
    elsewhere(`get${field}`, function () {
      return Reflect.apply(inUtc, shadowOf(timeOf(this)), [])
    })
  }
  for (const field of SETTERS) {
    const inUtc = RealDate.prototype[`setUTC${field}` as 'setUTCDate']
    elsewhere(`set${field}`, function (...args) {
      const shadow = shadowOf(timeOf(this))
      Reflect.apply(inUtc, shadow, args)
      return Reflect.apply(setTime, this, [instantOfShadow(timeOf(shadow))])
    })
  }
  elsewhere('getYear', function () {
    return shadowOf(timeOf(this)).getUTCFullYear() - 1900
  })
  elsewhere('setYear', function (given: unknown) {
    const shadow = shadowOf(timeOf(this))
    const year = trunc(Number(given))
    shadow.setUTCFullYear(year >= 0 && year <= 99 ? 1900 + year : year)
    return Reflect.apply(setTime, this, [instantOfShadow(timeOf(shadow))])
  })
  elsewhere('getTimezoneOffset', function () {
    const utcMs = timeOf(this)
    if (Number.isNaN(utcMs)) return utcMs
    return 0 - trunc(offsetMs(region.zone, utcMs) / MINUTE_MS)
  })
  const texts: Readonly<Record<string, (utcMs: number) => string>> = {
    toString: textOf,
    toDateString: (utcMs) => textsOf(utcMs).date,
    toTimeString: (utcMs) => textsOf(utcMs).time,
  }
  for (const [name, write] of Object.entries(texts)) {
    const text = function (this: Date): string {
      const utcMs = timeOf(this)
      return Number.isNaN(utcMs) ? 'Invalid Date' : write(utcMs)
    }
    elsewhere(name, text, isForeign)
  }
}
