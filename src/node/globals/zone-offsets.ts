/**
 * Offsets of time zones from UTC, from the engine's own tables by way of `Intl`, and the way back from local time
 * (ECMA-262, LocalTime and UTC): a local time that occurs twice is the first, one that is skipped is taken with the
 * offset before the change.
 */
import { floor, max, min } from '../../kernel/arithmetic.ts'

// Taken now: these are the engine's own.
const { DateTimeFormat } = Intl
const { format } = Object.getOwnPropertyDescriptors(DateTimeFormat.prototype)

const DAY_MS = 86_400_000

/** Since 1970 every change has been at a multiple of this. */
const SLOT_MS = 900_000
const MOST_SLOTS = 10_000

/** The greatest distance from 1970 that a date can have. */
const MOST_MS = 8.64e15

class Zone {
  private readonly offsets = new Map<number, number>()
  private readonly writeOffset: (date: number) => string

  constructor(timeZone: string) {
    this.writeOffset = writer('en-US', { timeZone, timeZoneName: 'longOffset', year: 'numeric' })
  }

  /** In milliseconds, positive to the east. */
  offsetMs(utcMs: number): number {
    const clamped = min(max(utcMs, -MOST_MS), MOST_MS)
    if (clamped < 0) return this.read(clamped)
    const slot = floor(clamped / SLOT_MS)
    let offset = this.offsets.get(slot)
    if (offset === undefined) {
      if (this.offsets.size >= MOST_SLOTS) this.offsets.clear()
      this.offsets.set(slot, (offset = this.read(slot * SLOT_MS)))
    }
    return offset
  }

  private read(utcMs: number): number {
    const found = /GMT(?:([+\-−])(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?)?$/.exec(this.writeOffset(utcMs))
    if (found?.[1] === undefined) return 0
    const [, sign, hours, minutes = '0', seconds = '0'] = found
    const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
    return sign === '+' ? ms : -ms
  }
}

function writer(locale: string, options: object): (date: number) => string {
  return format.get!.call(new DateTimeFormat(locale, options))
}

const zones = new Map<string, Zone>()

function zoneNamed(name: string): Zone {
  let zone = zones.get(name)
  if (zone === undefined) zones.set(name, (zone = new Zone(name)))
  return zone
}

/** How far the local time of a zone is ahead of UTC at an instant. */
export function offsetMs(zone: string, utcMs: number): number {
  return zone === 'UTC' ? 0 : zoneNamed(zone).offsetMs(utcMs)
}

const names = new Map<string, Intl.DateTimeFormat>()
const { formatToParts } = DateTimeFormat.prototype

/** Times in a northern winter and summer: the engine names all times of a zone as it names those of the present. */
const WINTER_MS = Date.UTC(2024, 0, 1)
const SUMMER_MS = Date.UTC(2024, 6, 1)

function presentTime(zone: string, utcMs: number): number {
  const [offset, winter, summer] = [utcMs, WINTER_MS, SUMMER_MS].map((ms) => offsetMs(zone, ms))
  return offset === summer && offset !== winter ? SUMMER_MS : WINTER_MS
}

/** The long name of a zone at a time, in the words of a locale: `Central European Summer Time`. */
export function zoneNameAt(zone: string, locale: string, utcMs: number): string {
  const key = `${zone} ${locale}`
  let name = names.get(key)
  if (name === undefined)
    names.set(key, (name = new DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'long' })))
  return formatToParts.call(name, presentTime(zone, utcMs)).find(({ type }) => type === 'timeZoneName')!.value
}

/** The instant of a local time. */
export function instantOf(zone: string, localMs: number): number {
  const before = offsetMs(zone, localMs - DAY_MS)
  if (offsetMs(zone, localMs - before) === before) return localMs - before
  const after = offsetMs(zone, localMs + DAY_MS)
  return offsetMs(zone, localMs - after) === after ? localMs - after : localMs - before
}
