/**
 * `performance`: the monotonic clock of a process, its milestones and the counters of its observers. Garbage collection
 * is never reported. Histograms are Node's own native ones: they hold numbers and read no clock, except the one of
 * event-loop delays, which is fed by a timer here.
 */
import { max } from '../../kernel/arithmetic.ts'
import { current } from '../process/current.ts'
import { takeInternals, type Binding } from '../library/internals.ts'
import type { RunningProcess } from '../process/running-process.ts'
import { closed } from './binding.ts'
import { createDelayHistogram } from './event-loop-delay.ts'

/** Node's library takes the entries of a process's observers here. */
type NotifyObservers = (type: string, entry: unknown) => void

export function performance(process: RunningProcess): Binding {
  const real = takeInternals().internalBinding('performance')
  const { kernel } = process
  const { constants } = real
  let notifyObservers: NotifyObservers | null = null
  const bootUs = kernel.now
  const milestones = new Float64Array(real.milestones.length).fill(bootUs * 1000)
  // Booting takes no virtual time; a program sees that one thing came after the other, within a microsecond.
  const early = (stage: number): number => bootUs * 1000 + stage * 100
  milestones[constants.NODE_PERFORMANCE_MILESTONE_TIME_ORIGIN_TIMESTAMP] = process.placement.wallMs() * 1000
  milestones[constants.NODE_PERFORMANCE_MILESTONE_NODE_START] = early(1)
  milestones[constants.NODE_PERFORMANCE_MILESTONE_V8_START] = early(2)
  milestones[constants.NODE_PERFORMANCE_MILESTONE_ENVIRONMENT] = early(3)
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
    /** Of ours: when the loop began, in milliseconds of its own time; negative before. */
    loopStartMs() {
      const startNs = milestones[constants.NODE_PERFORMANCE_MILESTONE_LOOP_START]
      return startNs < 0 ? -1 : (startNs - bootUs * 1000) / 1e6
    },
    markBootstrapComplete() {
      milestones[constants.NODE_PERFORMANCE_MILESTONE_BOOTSTRAP_COMPLETE] = max(early(4), kernel.now * 1000)
    },
    /** Of ours: the loop begins or has ended. */
    markLoop(milestone: 'START' | 'EXIT') {
      milestones[constants[`NODE_PERFORMANCE_MILESTONE_LOOP_${milestone}`]] = max(early(5), kernel.now * 1000)
    },
    setupObservers(notify: NotifyObservers) {
      notifyObservers = notify
    },
    notify(type: string, entry: unknown) {
      notifyObservers?.(type, entry)
    },
    installGarbageCollectionTracking() {},
    removeGarbageCollectionTracking() {},
    uvMetricsInfo: () => [process.loop.turns, process.loop.turns, 0],
    createELDHistogram: (intervalMs: number) => createDelayHistogram(current(), intervalMs),
    Histogram: real.Histogram,
  })
}
