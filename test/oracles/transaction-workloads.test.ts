/**
 * Bank and long fork histories of elle-cli, long fork and causal reverse cases of Jepsen's own tests, and the
 * transactional runs of Maelstrom.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  bank,
  causalReverse,
  listAppend,
  longFork,
  rwRegister,
} from '../../src/checkers/transactions/index.ts'
import { causal, prefixConsistent, readCommitted } from '../../src/checkers/transactions/isolation.ts'
import { parseHistory } from '../../src/history/index.ts'
import { describeOracles, readText } from './folder.ts'

describeOracles('elle-cli', (path) => {
  it.each([
    ['bank.edn', 'valid'],
    ['bank.json', 'valid'],
    ['bank-tidb.edn', 'invalid'],
    ['bank-neg.edn', 'valid'],
    ['bank-negative-balances.json', 'invalid'],
  ])('bank: %s is %s', (file, verdict) => {
    const result = bank(parseHistory(readText(join(path, 'jepsen', file))))
    expect(result.verdict).toBe(verdict)
    expect(result.checks).toBeGreaterThan(0)
  })

  it('long fork: long-fork.edn is invalid', () => {
    const result = longFork(parseHistory(readText(join(path, 'jepsen', 'long-fork.edn'))), { groupSize: 3 })
    expect(result.verdict).toBe('invalid')
    expect(result.anomalies.map(({ type }) => type)).toEqual(['long-fork'])
  })
})

interface Case {
  readonly id: string
  readonly args: readonly number[]
  readonly history: readonly unknown[]
  readonly expected: { readonly 'valid?': boolean }
}

describeOracles('jepsen-checkers', (path) => {
  const casesOf = (name: string): [string, Case][] =>
    (JSON.parse(readFileSync(join(path, `${name}.json`), 'utf8')) as Case[]).map((one) => [one.id, one])
  const historyOf = ({ history }: Case) => parseHistory(JSON.stringify(history), { format: 'jepsen-json' })
  const verdictOf = ({ expected }: Case) => (expected['valid?'] ? 'valid' : 'invalid')

  it.each(casesOf('causal-reverse'))('%s', (_, one) => {
    expect(causalReverse(historyOf(one)).verdict).toBe(verdictOf(one))
  })

  it.each(casesOf('long-fork'))('%s', (_, one) => {
    expect(longFork(historyOf(one), { groupSize: one.args[0] }).verdict).toBe(verdictOf(one))
  })
})

describeOracles('maelstrom-runs', (path) => {
  const read = (run: string) => parseHistory(readText(join(path, run, 'history.jsonl.gz')))

  it.each(['txnla-datomic-ruby', 'txnla-multi-js'])('%s is strictly serializable', (run) => {
    expect(listAppend(read(run)).verdict).toBe('valid')
  })

  it.each([
    ['txnrw-hat-clj-rc', 'read-committed'],
    ['txnrw-noiso-clj-ru', 'read-uncommitted'],
  ])('%s satisfies %s, as Maelstrom found by writes that follow reads', (run, model) => {
    const result = rwRegister(read(run), { consistencyModels: [model], wfrKeys: true })
    expect(result.verdict).toBe('valid')
  })

  it('and the levels they were written for are decided, not just not refuted', () => {
    const hat = read('txnrw-hat-clj-rc')
    expect([readCommitted(hat).verdict, causal(hat).verdict]).toEqual(['valid', 'valid'])
    expect(prefixConsistent(hat).verdict).toBe('invalid')
    expect(readCommitted(read('txnrw-noiso-clj-ru')).verdict).toBe('invalid')
  })
})
