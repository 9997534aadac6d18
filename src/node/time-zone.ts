/** Simulated hosts are in UTC. The engine has one time zone per process, so the host's own is put aside during a burst. */
import process from 'node:process'

// Taken when this module loads: during a burst, `process.env` is a simulated process's.
const hostEnv = process.env

/** The host's `TZ` (undefined: it had none); null when there was nothing to do. */
export function pinTimeZone(): string | null | undefined {
  if (new Date(0).getTimezoneOffset() === 0 && hostEnv.TZ === 'UTC') return null
  const before = hostEnv.TZ
  hostEnv.TZ = 'UTC'
  return before
}

export function restoreTimeZone(before: string | null | undefined): void {
  if (before === null) return
  if (before === undefined) delete hostEnv.TZ
  else hostEnv.TZ = before
}
