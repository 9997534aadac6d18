import { describe, expect, it } from 'vitest'
import { reportText } from './report-text.ts'
import type { NodeFault } from './running/node-fault.ts'
import type { LoggedOperation } from './running/operation-log.ts'
import type { Results } from './running/results.ts'
import { DEFAULTS, type TestSettings } from './running/settings.ts'

const SETTINGS: TestSettings = {
  ...DEFAULTS,
  nodes: ['n1', 'n2'],
  concurrency: 2,
  program: { command: 'node', args: [] },
}

const VALID = { 'valid?': true } as const

function results(
  errors: readonly NodeFault[],
  counts: Record<string, number>,
  valid: Results['valid?'],
): Results {
  const none = { 'send-count': 0, 'recv-count': 0, 'msg-count': 0 }
  return {
    perf: VALID,
    timeline: VALID,
    stats: { ...VALID, count: 2, 'ok-count': 2, 'fail-count': 0, 'info-count': 0 },
    availability: { ...VALID, 'ok-fraction': 1 },
    exceptions: VALID,
    net: {
      all: { ...none, 'msgs-per-op': 0 },
      clients: none,
      servers: { ...none, 'msgs-per-op': 0 },
      ...VALID,
    },
    nodes: { 'valid?': errors.length === 0, counts, errors: [...errors] },
    workload: VALID,
    'valid?': valid,
  }
}

const MS = 1e6

function operation(
  index: number,
  type: LoggedOperation['type'],
  process: number,
  ms: number,
): LoggedOperation {
  return { index, type, process, time: ms * MS, f: 'read', value: null }
}

describe('the report', () => {
  it('has the latencies of what succeeded', () => {
    const operations = [
      operation(0, 'invoke', 0, 1),
      operation(1, 'invoke', 1, 2),
      operation(2, 'ok', 0, 4),
      operation(3, 'info', 1, 5000),
      operation(4, 'invoke', 0, 6000),
      operation(5, 'ok', 0, 6007.5),
    ]
    const text = reportText(SETTINGS, { results: results([], {}, true), operations }, 'again')
    expect(text).toContain('latency       p50 7.5 ms, p95 7.5 ms, p99 7.5 ms, all 7.5 ms')
    expect(reportText(SETTINGS, { results: results([], {}, true), operations: [] }, 'again')).not.toContain(
      'p50',
    )
  })

  it('shows two faults of a kind, with the nodes that have them, and how many there were', () => {
    const garbage = (node: string, text: string): NodeFault => ({ kind: 'malformed-message', node, text })
    const errors = [garbage('n1', 'A'), garbage('n2', 'A'), garbage('n1', 'B'), garbage('n1', 'C')]
    const all = results(errors, { 'malformed-message': 40 }, false)
    const [, found] = reportText(SETTINGS, { results: all, operations: [] }, 'again').split('  anomalies\n')
    expect(found.split('\n').slice(0, 4)).toEqual([
      '    malformed-message: n1, n2 A',
      '    malformed-message: n1 B',
      '    malformed-message: 40 in all',
      '  again         again',
    ])
  })

  it('of a test that was ended early has no anomalies if there were none', () => {
    const early: Results = { ...results([], {}, 'unknown'), interrupted: true }
    const text = reportText(SETTINGS, { results: early, operations: [] }, 'again')
    expect(text).toContain('UNKNOWN (interrupted)')
    expect(text).not.toContain('anomalies')
  })
})
