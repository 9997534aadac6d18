/**
 * Simulated hosts are in UTC, unless a process says otherwise with `TZ`. The engine has one time zone per OS process, so
 * the host's own is put aside during a burst, and a process that has chosen one gets it back in each of its steps.
 */
import process from 'node:process'
import { registers } from './registers.ts'

// Taken when this module loads: during a burst, `process.env` is a simulated process's.
const hostEnv = process.env

const DEFAULT = 'UTC'

const register = {
  get: () => hostEnv.TZ,
  set: (zone: unknown) => {
    hostEnv.TZ = zone as string
  },
  initial: DEFAULT,
}
registers.add(register)

export const timeZone = {
  /** A process chooses its time zone; undefined: the default. */
  set(owner: object, zone: string | undefined): void {
    registers.dirty = true
    registers.switchTo(owner)
    register.set(zone ?? DEFAULT)
  },
}

/** The host's `TZ` (undefined: it had none); null when there was nothing to do. */
export function pinTimeZone(): string | null | undefined {
  if (new Date(0).getTimezoneOffset() === 0 && hostEnv.TZ === DEFAULT) return null
  const before = hostEnv.TZ
  hostEnv.TZ = DEFAULT
  return before
}

export function restoreTimeZone(before: string | null | undefined): void {
  if (before === null) return
  if (before === undefined) delete hostEnv.TZ
  else hostEnv.TZ = before
}
