/**
 * Porcupine's own test data: 103 Jepsen logs of etcd (one CAS register) and 6 key-value logs, with the verdicts that
 * Porcupine's test suite asserts. The search alone decides them (no monitor applies); the easy key-value logs are
 * decided without partition too.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { casRegister, linearizable, map } from '../../src/checkers/linearizable/index.ts'
import { parseHistory, type History } from '../../src/history/index.ts'
import { describeOracles, ORACLES } from './folder.ts'

interface Verdict {
  readonly file: string
  readonly ops: number
  readonly linearizable: boolean | null
}

const index = join(ORACLES, 'porcupine/verdicts.json')
const verdicts = existsSync(index)
  ? (JSON.parse(readFileSync(index, 'utf8')) as { jepsen: Verdict[]; kv: Verdict[] })
  : { jepsen: [], kv: [] }

function read(file: string): History {
  const format = file.endsWith('.log') ? 'jepsen-log' : 'jepsen-edn'
  return parseHistory(readFileSync(join(ORACLES, 'porcupine', file)), { format })
}

describeOracles('porcupine', () => {
  it('are all here', () => {
    expect(verdicts.jepsen).toHaveLength(103)
    expect(verdicts.kv).toHaveLength(6)
  })

  for (const { file, ops, linearizable: expected } of verdicts.jepsen) {
    it(`${file} is ${expected === null ? 'empty' : expected ? 'linearizable' : 'not linearizable'}`, () => {
      const history = read(file)
      expect(history.length).toBe(ops)
      const result = linearizable(history, casRegister())
      // Nothing was checked in an empty history, so that Porcupine's yes is an unknown here.
      expect(result.verdict).toBe(expected === false ? 'invalid' : ops === 0 ? 'unknown' : 'valid')
      expect(result.anomalies).toHaveLength(expected === false ? 1 : 0)
    })
  }

  for (const { file, ops, linearizable: expected } of verdicts.kv) {
    it(`${file} is ${expected === true ? 'linearizable' : 'not linearizable'}`, () => {
      const history = read(file)
      expect(history.length).toBe(ops)
      expect(linearizable(history, map({ absent: '' })).verdict).toBe(expected === true ? 'valid' : 'invalid')
    })
  }

  it.each(['kv/c01-ok.txt', 'kv/c01-bad.txt', 'kv/c10-ok.txt', 'kv/c10-bad.txt'])(
    '%s has the same verdict without partition',
    (file) => {
      const result = linearizable(read(file), map({ absent: '' }), { partition: 'none' })
      expect(result.verdict).toBe(file.endsWith('-ok.txt') ? 'valid' : 'invalid')
    },
  )
})
