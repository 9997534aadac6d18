/** File times as the kernel keeps them: seconds since 1970 and nanoseconds, both integers. Values, never changed. */
import { floor, trunc } from '../../kernel/arithmetic.ts'
export interface Timestamp {
  readonly sec: number
  readonly nsec: number
}

export function fromMicroseconds(us: number): Timestamp {
  const sec = floor(us / 1_000_000)
  return { sec, nsec: (us - sec * 1_000_000) * 1000 }
}

/** Seconds as a double, as `utimes` takes them, cut to steps of some nanoseconds in the way of libuv. */
export function fromSeconds(seconds: number, stepNs: number): Timestamp {
  let sec = trunc(seconds)
  let nsec = trunc((seconds - sec) * 1e9)
  nsec -= nsec % stepNs
  if (nsec < 0) {
    nsec += 1e9
    sec -= 1
  }
  return { sec, nsec }
}

export function isBefore(a: Timestamp, b: Timestamp): boolean {
  return a.sec < b.sec || (a.sec === b.sec && a.nsec < b.nsec)
}
