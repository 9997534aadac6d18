/** The real clock, for what is allowed to know it: reports, stop rules by time, the watchdog. */
import type { HostClock } from './sim/campaign/executor.ts'

export const hostClock: HostClock = {
  nowMs: () => performance.now(),
  processorMs() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  },
  every(ms, callback) {
    const timer = setInterval(callback, ms)
    timer.unref()
    return () => clearInterval(timer)
  },
}
