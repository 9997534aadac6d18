/** Checkers of how well a system serves: measured always, judged where a bound is given. */
import { checker, NO_OPTIONS, type CheckerEntry } from './entry.ts'

export const SERVICE: readonly CheckerEntry[] = [
  {
    name: 'availability',
    family: 'service',
    question: 'how much of what was asked was answered?',
    looksAt: 'all outcomes',
    anomalies: 'unavailable',
    load: async () => {
      const { availability, AVAILABILITY_OPTIONS } = await import('../service/availability.ts')
      return checker('availability', availability, AVAILABILITY_OPTIONS)
    },
  },
  {
    name: 'latency',
    family: 'service',
    question: 'how long do operations take?',
    looksAt: 'ok operations with times',
    anomalies: 'too-slow',
    load: async () => {
      const { latency, LATENCY_OPTIONS } = await import('../service/latency.ts')
      return checker('latency', latency, LATENCY_OPTIONS)
    },
  },
  {
    name: 'rate',
    family: 'service',
    question: 'how many operations complete per second?',
    looksAt: 'completions with times',
    anomalies: 'too-few',
    load: async () => {
      const { rate, RATE_OPTIONS } = await import('../service/rate.ts')
      return checker('rate', rate, RATE_OPTIONS)
    },
  },
  {
    name: 'fairness',
    family: 'service',
    question: 'is the service shared out fairly?',
    looksAt: 'outcomes and times by client, node, key or your own group',
    anomalies: 'slow-group, starved-group, failing-group, uneven',
    load: async () => {
      const { fairness, FAIRNESS_OPTIONS } = await import('../service/fairness.ts')
      return checker('fairness', fairness, FAIRNESS_OPTIONS)
    },
  },
  {
    name: 'stats',
    family: 'service',
    question: 'did every kind of operation succeed at least once?',
    looksAt: 'all outcomes',
    anomalies: 'never-succeeded',
    load: async () => {
      const { stats, STATS_OPTIONS } = await import('../service/stats.ts')
      return checker('stats', stats, STATS_OPTIONS)
    },
  },
  {
    name: 'unhandled-exceptions',
    family: 'service',
    question: 'which errors made outcomes unknown?',
    looksAt: 'operations of unknown outcome',
    anomalies: 'none: it only informs',
    load: async () => {
      const { unhandledExceptions } = await import('../service/unhandled-exceptions.ts')
      return checker('unhandled-exceptions', unhandledExceptions, NO_OPTIONS)
    },
  },
]
