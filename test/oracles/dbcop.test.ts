/** dbcop's tests: tiny histories at the boundaries between isolation levels. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  causal,
  prefixConsistent,
  readAtomic,
  readCommitted,
  itemCutIsolation,
  serializable,
  snapshotIsolation,
} from '../../src/checkers/transactions/isolation.ts'
import { parseHistory } from '../../src/history/index.ts'
import { describeOracles } from './folder.ts'

interface Case {
  readonly id: string
  readonly sessions: unknown
  readonly expected: Readonly<Record<keyof typeof CHECKS, boolean>>
}

const CHECKS = {
  'read-committed': readCommitted,
  'repeatable-read': itemCutIsolation,
  'read-atomic': readAtomic,
  causal,
  prefix: prefixConsistent,
  'snapshot-isolation': snapshotIsolation,
  serializable,
}

describeOracles('dbcop', (path) => {
  const cases = JSON.parse(readFileSync(join(path, 'cases.json'), 'utf8')) as Case[]

  it('has 56 cases', () => expect(cases).toHaveLength(56))

  it.each(cases.map((each) => [each.id, each] as const))('%s', (_, { sessions, expected }) => {
    const history = parseHistory(JSON.stringify({ sessions }))
    const levels = Object.keys(expected) as (keyof typeof CHECKS)[]
    const verdicts = levels.map((level) => [level, CHECKS[level](history).verdict])
    expect(verdicts).toEqual(levels.map((level) => [level, expected[level] ? 'valid' : 'invalid']))
  })
})
