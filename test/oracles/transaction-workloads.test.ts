/** Bank and long fork histories of elle-cli, long fork and causal reverse cases of Jepsen's own tests. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bank, causalReverse, longFork } from '../../src/checkers/transactions/index.ts'
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
