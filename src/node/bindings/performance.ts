/**
 * `performance`: the monotonic clock of a process, its milestones and the counters of its observers. Garbage collection
 * is never reported. Histograms are Node's own native ones: they hold numbers and read no clock, except the one of
 * event-loop delays, which is fed by a timer here.
 */
import { current } from '../current.ts'
import { takeInternals, type Binding } from '../internals.ts'
import type { NodeProcess } from '../process.ts'
import { closed } from './binding.ts'

export function performance(process: NodeProcess): Binding {
  const real = takeInternals().internalBinding('performance')
  const { kernel } = process
  const { constants } = real
  const bootUs = kernel.now
  const milestones = new Float64Array(real.milestones.length).fill(bootUs * 1000)
  milestones[constants.NODE_PERFORMANCE_MILESTONE_TIME_ORIGIN_TIMESTAMP] = process.site.wallMs() * 1000
  milestones[constants.NODE_PERFORMANCE_MILESTONE_LOOP_START] = -1
  milestones[constants.NODE_PERFORMANCE_MILESTONE_LOOP_EXIT] = -1
  return closed('performance', {
    constants,
    milestones,
    observerCounts: new Uint32Array(real.observerCounts.length),
    now: () => {
      current()
      return (kernel.readClock() - bootUs) / 1000
    },
    loopIdleTime: () => process.loop.idleUs / 1000,
    markBootstrapComplete() {
      milestones[constants.NODE_PERFORMANCE_MILESTONE_BOOTSTRAP_COMPLETE] = kernel.now * 1000
      milestones[constants.NODE_PERFORMANCE_MILESTONE_LOOP_START] = kernel.now * 1000
    },
    setupObservers(notify: unknown) {
      process.state.set('performance observers', notify)
    },
    notify(type: string, entry: unknown) {
      const notify = process.state.get('performance observers') as
        ((type: string, entry: unknown) => void) | undefined
      notify?.(type, entry)
    },
    installGarbageCollectionTracking() {},
    removeGarbageCollectionTracking() {},
    uvMetricsInfo: () => [process.loop.turns, process.loop.turns, 0],
    createHistogram: real.createHistogram,
    Histogram: real.Histogram,
  })
}
