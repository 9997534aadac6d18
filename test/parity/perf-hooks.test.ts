/** Performance: marks, measures, observers, histograms. Durations are compared with bounds, never with each other. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('perf_hooks', () => {
  same('marks and measures are entries, and observers hear of them', async (log, require) => {
    const { performance, PerformanceObserver } = require('node:perf_hooks')
    const observer = new PerformanceObserver((list: any, self: any) => {
      for (const { name, entryType, detail } of list.getEntries()) log('observed', name, entryType, detail)
      log(self === observer, list.getEntriesByType('mark').length)
    })
    observer.observe({ entryTypes: ['mark', 'measure'] })
    performance.mark('a', { detail: { n: 1 } })
    performance.mark('b', { startTime: 1_000_000 })
    const measure = performance.measure('a to b', 'a', 'b')
    log(measure.name, measure.entryType, measure.duration > 0, Object.keys(measure.toJSON()))
    log(performance.getEntries().map(({ name }: any) => name))
    log(
      performance.getEntriesByName('a').length,
      performance.clearMarks('a'),
      performance.getEntriesByType('mark').length,
    )
    await new Promise((resolve) => setTimeout(resolve, 20))
    observer.disconnect()
    try {
      performance.measure('x', 'missing')
    } catch ({ name, code, message }: any) {
      log(name, code, message)
    }
  })

  same('time moves on and never back', async (log, require) => {
    const { performance } = require('node:perf_hooks')
    const first = performance.now()
    await new Promise((resolve) => setTimeout(resolve, 30))
    const second = performance.now()
    log(second - first >= 29, Math.abs(performance.timeOrigin + second - Date.now()) < 1_000)
    const { nodeTiming } = performance
    log(nodeTiming.name, nodeTiming.entryType, nodeTiming.bootstrapComplete > 0, nodeTiming.loopStart > 0)
    const { idle, active, utilization } = performance.eventLoopUtilization()
    log(idle >= 0, active >= 0, utilization >= 0 && utilization <= 1)
    log(
      performance.toJSON().timeOrigin === performance.timeOrigin,
      Object.prototype.toString.call(performance),
    )
  })

  same('timerify measures functions, also asynchronous ones', async (log, require) => {
    const { performance, PerformanceObserver, createHistogram } = require('node:perf_hooks')
    const histogram = createHistogram()
    const wrapped = performance.timerify(async (n: number) => n + 1, { histogram })
    const observer = new PerformanceObserver((list: any) => {
      log(list.getEntries().map(({ entryType, duration }: any) => [entryType, duration >= 0]))
      observer.disconnect()
    })
    observer.observe({ type: 'function' })
    log(await wrapped(1), wrapped.length, wrapped.name)
    await new Promise((resolve) => setTimeout(resolve, 20))
    log(histogram.count)
  })

  same('histograms count, and refuse what they cannot hold', (log, require) => {
    const { createHistogram, monitorEventLoopDelay } = require('node:perf_hooks')
    const histogram = createHistogram({ lowest: 1, highest: 1000 })
    for (const value of [1, 2, 3, 10, 500]) histogram.record(value)
    log(
      histogram.min,
      histogram.max,
      histogram.mean,
      histogram.count,
      histogram.percentile(50),
      histogram.exceeds,
    )
    for (const call of [
      () => histogram.record(0),
      () => histogram.record('x'),
      () => histogram.percentile(101),
    ]) {
      try {
        call()
      } catch ({ code }: any) {
        log(code)
      }
    }
    histogram.reset()
    log(histogram.count, [...histogram.percentiles.entries()])
    const delay = monitorEventLoopDelay({ resolution: 10 })
    log(delay.enable(), delay.enable(), delay.disable(), delay.disable())
  })

  same('observers take one kind or many, and what was buffered', async (log, require) => {
    const { performance, PerformanceObserver } = require('node:perf_hooks')
    performance.mark('early')
    const observer = new PerformanceObserver((list: any) => {
      log(list.getEntries().map(({ name }: any) => name))
      observer.disconnect()
    })
    observer.observe({ type: 'mark', buffered: true })
    await new Promise((resolve) => setTimeout(resolve, 20))
    log(PerformanceObserver.supportedEntryTypes.includes('mark'))
    const silent = new PerformanceObserver(() => {})
    for (const options of [{}, { entryTypes: ['mark'], type: 'mark' }, { entryTypes: 'x' }]) {
      try {
        silent.observe(options)
      } catch ({ code }: any) {
        log(code)
      }
    }
  })
})
