/**
 * The real clock, for what is allowed to know it: reports, stop rules by time, the watchdog. The host's functions are
 * taken when this file is loaded, before a fake clock replaces them.
 */
import type { HostClock } from '../sim/campaign/executor.ts'

const { setInterval: hostSetInterval, clearInterval: hostClearInterval, performance } = globalThis
const hostNow = performance.now.bind(performance)

export const hostClock: HostClock = {
  nowMs: () => hostNow(),
  processorMs() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  },
  every(ms, callback) {
    const timer = hostSetInterval(callback, ms)
    timer.unref()
    return () => hostClearInterval(timer)
  },
}
