/** Histories of real databases that PolySI judged: three violations of snapshot isolation, 31 that satisfy it. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { causal, readAtomic, snapshotIsolation } from '../../src/checkers/transactions/isolation.ts'
import { parseHistory } from '../../src/history/index.ts'
import { describeOracles, filesUnder, readText } from './folder.ts'

describeOracles('polysi', (path) => {
  const valid = filesUnder(join(path, 'valid'), /\.jsonl\.gz$/)

  it('has 31 histories of PostgreSQL', () => expect(valid).toHaveLength(31))

  it.each(valid)('%s satisfies snapshot isolation, and what is weaker', (file) => {
    const history = parseHistory(readText(join(path, 'valid', file)))
    const result = snapshotIsolation(history)
    expect(result.verdict).toBe('valid')
    expect(result.details['order']).toHaveLength(history.length)
    expect([causal(history).verdict, readAtomic(history).verdict]).toEqual(['valid', 'valid'])
  })

  it.each([
    ['MariaDB Galera', 'galera/galera.txt'],
    ['YugabyteDB', 'yugabyte/yugabyte.txt'],
    ['Dgraph', 'dgraph/history.jsonl.gz'],
  ])('%s violated snapshot isolation', (_, file) => {
    const result = snapshotIsolation(parseHistory(readText(join(path, file))))
    expect(result.verdict).toBe('invalid')
    expect(result.anomalies[0].operations.length).toBeGreaterThan(1)
  })
})
