/**
 * The histogram of event-loop delays: a timer of the process's loop that records how long after its predecessor it ran.
 * The histogram is Node's own native one; only the timer is simulated. It does not keep the process alive. Follows
 * `IntervalHistogram` of src/histogram.cc.
 */
import { KernelEvent } from '../../kernel/event.ts'
import { takeInternals } from '../library/internals.ts'
import type { RunningProcess } from '../process/running-process.ts'

const LOWEST_NS = 1000
const FIGURES = 3

interface NativeHistogram {
  record(valueNs: number): void
  reset(): void
  start?: (reset: boolean) => void
  stop?: () => void
}

export function createDelayHistogram(process: RunningProcess, intervalMs: number): NativeHistogram {
  const { kernel, loop } = process
  const { Histogram } = takeInternals().internalBinding('performance')
  const histogram: NativeHistogram = new Histogram(LOWEST_NS, Number.MAX_SAFE_INTEGER, FIGURES)
  let previousUs = 0
  const event = new KernelEvent('loop-delay', process.actor, () => loop.receive(tick))
  const arm = (): void => kernel.arm(event, kernel.now + intervalMs * 1000)
  const tick = (): void => {
    if (!enabled) return
    if (previousUs > 0 && kernel.now > previousUs) histogram.record((kernel.now - previousUs) * 1000)
    previousUs = kernel.now
    arm()
  }
  let enabled = false
  histogram.start = (reset) => {
    if (enabled) return
    enabled = true
    if (reset) {
      histogram.reset()
      previousUs = 0
    }
    arm()
  }
  histogram.stop = () => {
    enabled = false
    kernel.cancel(event)
  }
  return histogram
}
