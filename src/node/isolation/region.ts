/**
 * The region of the running process: its time zone and its default locale. The engine has one of each per OS process,
 * taken from the real environment, and a worker thread cannot change them. So both are ours: the globals that depend on
 * them (globals/local-time.ts, globals/locales.ts, globals/intl.ts) ask here, and use the engine's own only where it is the
 * same. A simulated process is in UTC and speaks American English unless its environment says otherwise: `TZ` counts
 * whenever it is set, `LC_ALL`, `LC_MESSAGES` and `LANG` when the process starts, as in Node.
 */
import process from 'node:process'
import { registers } from '../library/registers.ts'

// Taken when this module loads: during a burst, `process.env` is a simulated process's, and `Intl` too.
const hostEnv = process.env
const { DateTimeFormat, NumberFormat, getCanonicalLocales } = Intl

const DEFAULT_ZONE = 'UTC'
const DEFAULT_LOCALE = 'en-US'

/** The engine's own locale, which it takes when it starts. */
const ENGINE_LOCALE = new NumberFormat().resolvedOptions().locale

let zone = DEFAULT_ZONE
let locale = DEFAULT_LOCALE
let engineZone = new DateTimeFormat().resolvedOptions().timeZone
let hostTz = hostEnv.TZ

registers.add({ get: () => zone, set: (value) => (zone = value as string), initial: DEFAULT_ZONE })
registers.add({ get: () => locale, set: (value) => (locale = value as string), initial: DEFAULT_LOCALE })

export const region = {
  /** A name that `Intl` takes. */
  get zone(): string {
    return zone
  },
  get locale(): string {
    return locale
  },
  /** Whether the engine's own time zone is the running process's. */
  get hasEngineZone(): boolean {
    return zone === engineZone
  },
  get hasEngineLocale(): boolean {
    return locale === ENGINE_LOCALE
  },

  /** A process sets its `TZ`; undefined: it has none. */
  setZone(owner: object, tz: string | undefined): void {
    registers.dirty = true
    registers.switchTo(owner)
    zone = zoneOf(tz)
  },

  /** A process starts with these variables. */
  setLocale(owner: object, env: Readonly<Record<string, string>>): void {
    // oxlint-disable-next-line typescript/prefer-nullish-coalescing -- an empty variable counts as none
    const name = env.LC_ALL || env.LC_MESSAGES || env.LANG
    if (!name) return
    registers.dirty = true
    registers.switchTo(owner)
    locale = localeOf(name)
  },

  /** The host has run: it may have changed its own zone. */
  refresh(): void {
    if (hostEnv.TZ === hostTz) return
    hostTz = hostEnv.TZ
    engineZone = new DateTimeFormat().resolvedOptions().timeZone
  },
}

/** As ICU reads `TZ`; UTC where it knows no such zone. */
function zoneOf(tz: string | undefined): string {
  const name = tz?.replace(/^:/, '')
  if (!name) return DEFAULT_ZONE
  try {
    return new DateTimeFormat(DEFAULT_LOCALE, { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return DEFAULT_ZONE
  }
}

/** The tag of a POSIX name such as `de_DE.UTF-8`. */
function localeOf(name: string): string {
  const tag = name.replace(/[.@].*$/s, '').replaceAll('_', '-')
  if (tag === 'C' || tag === 'POSIX') return DEFAULT_LOCALE
  try {
    const [canonical] = getCanonicalLocales(tag)
    return NumberFormat.supportedLocalesOf(canonical).length > 0 ? canonical : DEFAULT_LOCALE
  } catch {
    return DEFAULT_LOCALE
  }
}
