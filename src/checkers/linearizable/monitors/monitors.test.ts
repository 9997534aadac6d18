/** A planted violation of every kind that a monitor names; whether a verdict is right is for the differential tests. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { History } from '../../../history/history.ts'
import type { HistoryEvent } from '../../../history/operation.ts'
import { history, sequence } from '../histories.test-support.ts'
import {
  casRegister,
  counter,
  linearizable,
  log,
  map,
  multiRegister,
  priorityQueue,
  queue,
  register,
  set,
  stack,
  type AnyModel,
} from '../index.ts'

interface Suite {
  readonly model: AnyModel
  readonly planted: Readonly<Record<string, History>>
  /** Files whose names for anomalies the monitor uses. */
  readonly files: readonly string[]
}

/** What queue, stack and priority queue have in common. */
const container = (put: string, take: string): Record<string, History> => ({
  'thin-air-value': sequence([put, 1], [take, null, 9]),
  'duplicate-value': sequence([put, 1], [take, null, 1], [take, null, 1]),
  'removed-before-inserted': sequence([take, null, 1], [put, 1]),
  'impossible-empty': sequence([put, 1], [take, null, null], [take, null, 1]),
})

const CONTAINER_FILES = ['container-values.ts', 'container-order.ts']

const SUITES: Readonly<Record<string, Suite>> = {
  register: {
    model: register(),
    planted: {
      'thin-air-read': sequence(['write', 1], ['read', null, 9]),
      'read-before-write': sequence(['read', null, 1], ['write', 1]),
      'stale-read': sequence(['write', 1], ['write', 2], ['read', null, 1]),
    },
    files: ['register.ts'],
  },
  set: {
    model: set(),
    planted: {
      'thin-air-value': sequence(['contains', 1, true]),
      'read-before-write': sequence(['contains', 1, true], ['add', 1, true]),
      'stale-read': sequence(['add', 1, true], ['remove', 1, true], ['contains', 1, true]),
      'missing-value': sequence(['add', 1, true], ['contains', 1, false], ['contains', 1, true]),
    },
    files: ['set.ts'],
  },
  queue: {
    model: queue(),
    planted: {
      ...container('enqueue', 'dequeue'),
      'out-of-order': sequence(['enqueue', 1], ['enqueue', 2], ['dequeue', null, 2], ['dequeue', null, 1]),
    },
    files: ['queue.ts', ...CONTAINER_FILES],
  },
  stack: {
    model: stack(),
    planted: {
      ...container('push', 'pop'),
      'out-of-order': sequence(['push', 1], ['push', 2], ['pop', null, 1], ['pop', null, 2]),
    },
    files: ['stack.ts', ...CONTAINER_FILES],
  },
  'priority queue': {
    model: priorityQueue(),
    planted: {
      ...container('insert', 'delete-min'),
      'out-of-order': sequence(
        ['insert', 1],
        ['insert', 2],
        ['delete-min', null, 2],
        ['delete-min', null, 1],
      ),
    },
    files: ['priority-queue.ts', ...CONTAINER_FILES],
  },
  log: {
    model: log(),
    planted: {
      'impossible-answer': sequence(['append', 'a'], ['read', null, 'a']),
      'divergent-logs': sequence(['append', 'a'], ['append', 'b'], ['read', 0, 'a'], ['read', 0, 'b']),
      'stale-read': sequence(
        ['append', 'a'],
        ['append', 'b'],
        ['read', null, ['a', 'b']],
        ['read', null, ['a']],
      ),
      'read-before-write': sequence(['read', null, ['a']], ['append', 'a']),
    },
    files: ['log.ts'],
  },
}

/** Monitors that name the operations of a contradiction, and no kind of it. */
const CONTRADICTIONS: Readonly<Record<string, [AnyModel, History, readonly number[]]>> = {
  'cas-register': [
    casRegister(),
    sequence(['write', 1], ['write', 2], ['write', 1], ['cas', [2, 3]]),
    [2, 3],
  ],
  'multi-register': [
    multiRegister(),
    sequence(
      [
        'txn',
        [
          ['w', 'x', 1],
          ['w', 'y', 1],
        ],
      ],
      [
        'txn',
        [['r', 'x', null]],
        [
          ['r', 'x', 1],
          ['r', 'y', null],
        ],
      ],
    ),
    [0, 1],
  ],
  'a map with appends': [
    map({ absent: '' }),
    sequence(['append', 'a'], ['append', 'b'], ['get', null, 'ba']),
    [1, 2],
  ],
  'a set with whole reads': [set(), sequence(['add', 1], ['add', 2], ['read', null, [2]]), [0, 2]],
  'a counter': [counter(), sequence(['add', 2], ['add', 3], ['read', null, 3]), [2]],
}

function namesIn(file: string): string[] {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8')
  return [...text.matchAll(/(?:type: |found\(\s*)'([\w-]+)'/g)].map(([, name]) => name)
}

describe.each(Object.entries(SUITES))('the monitor of a %s', (_, { model, planted, files }) => {
  it.each(Object.keys(planted))('rejects %s, as the search does', (type) => {
    const result = linearizable(planted[type], model)
    expect([result.verdict, result.anomalies.map((anomaly) => anomaly.type)]).toEqual(['invalid', [type]])
    expect(result.method).toMatch(/, O\(n/)
    expect(result.anomalies[0].operations.length).toBeGreaterThan(0)
    const searched = linearizable(planted[type], model, { monitors: false })
    expect(searched.anomalies.map((anomaly) => anomaly.type)).toEqual(['not-linearizable'])
  })

  it('has a control for every kind that it can name', () => {
    expect(Object.keys(planted).sort()).toEqual([...new Set(files.flatMap(namesIn))].sort())
  })
})

describe.each(Object.entries(CONTRADICTIONS))('the monitor of %s', (_, [model, planted, operations]) => {
  it('names operations that contradict each other', () => {
    const result = linearizable(planted, model)
    expect([result.verdict, result.anomalies[0].type]).toEqual(['invalid', 'not-linearizable'])
    expect(result.anomalies[0].operations).toEqual(expect.arrayContaining([...operations]))
    expect(result.method).not.toContain('Wing, Gong')
  })
})

describe('monitors', () => {
  it('find a value that no client put in before any search, and end within the limits without', () => {
    // 46 operations, most of unknown outcome: the general search has billions of states.
    const events = Array.from({ length: 40 }, (_, process): HistoryEvent[] => [
      { process, type: 'invoke', f: 'enqueue', value: process % 6 },
      { process, type: 'info', f: 'enqueue', value: process % 6 },
    ]).flat()
    events.push(
      { process: 99, type: 'invoke', f: 'dequeue' },
      { process: 99, type: 'ok', f: 'dequeue', value: 98 },
    )
    const found = linearizable(History.from(events), queue())
    expect([found.verdict, found.anomalies[0].type]).toEqual(['invalid', 'thin-air-value'])
    const searched = linearizable(History.from(events), queue(), { monitors: false, memoryMb: 20 })
    expect(searched.verdict).toBe('unknown')
    expect(searched.reason).toContain('memory limit of 20 MB')
  })

  it('let operations overlap that a sequence forbids', () => {
    const overlapping = history(
      [0, 'invoke', 'write', 1],
      [1, 'invoke', 'read'],
      [1, 'ok', 'read', 1],
      [0, 'ok', 'write'],
    )
    expect(linearizable(overlapping, register())).toMatchObject({ verdict: 'valid' })
  })
})
