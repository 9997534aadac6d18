/**
 * elle-cli's histories with its verdicts, for the checkers of the shelf, through the readers for EDN and JSON. The
 * transactional ones are in the transaction checkers' suite, the others here.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  type Checker,
  linearizable,
  models,
  objects,
  transactions,
  type Verdict,
} from '../../src/checkers/index.ts'
import { parseHistory } from '../../src/history/read.ts'
import { describeOracles } from './folder.ts'

const { bank, listAppend, longFork, rwRegister } = transactions
const { counter, set, setFull } = objects

const mutex: Checker = (history) => linearizable(history, models.mutex())
const casRegister: Checker = (history) =>
  linearizable(history, models.casRegister({ initial: null, nullReadMatchesAll: true }))
const serializable: Checker = (history) => listAppend(history, { consistencyModels: ['serializable'] })

/**
 * Where ours is sharper, and why: `counter` has adds and no reads, so elle-cli's "valid" checked nothing; ours says so.
 * `rw-register` reads a 3 that no transaction wrote: Elle infers nothing from it, ours finds that no order explains it.
 */
const CASES: [string, Checker, Verdict][] = [
  ['elle/rw-register.edn', rwRegister, 'invalid'],
  ['elle/rw-register.json', rwRegister, 'invalid'],
  ['elle/paper-example.edn', listAppend, 'invalid'],
  ['elle/paper-example.json', listAppend, 'invalid'],
  ['elle/list-append-gh-30.edn', serializable, 'invalid'],
  ['jepsen/counter.edn', counter, 'unknown'],
  ['jepsen/counter.json', counter, 'unknown'],
  ['jepsen/set_full.edn', setFull, 'invalid'],
  ['jepsen/set_full.json', setFull, 'invalid'],
  ['jepsen/set.edn', set, 'valid'],
  ['jepsen/bank.edn', bank, 'valid'],
  ['jepsen/bank.json', bank, 'valid'],
  ['jepsen/bank-tidb.edn', bank, 'invalid'],
  ['jepsen/bank-neg.edn', bank, 'valid'],
  ['jepsen/bank-negative-balances.json', bank, 'invalid'],
  ['jepsen/long-fork.edn', (history) => longFork(history, { groupSize: 3 }), 'invalid'],
  ['knossos-json/memstress3-9.json', casRegister, 'valid'],
  ['knossos-json/etcd.json', mutex, 'invalid'],
]

describeOracles('elle-cli', (path) => {
  it.each(CASES)('%s', (file, check, verdict) => {
    const result = check(parseHistory(readFileSync(join(path, file))))
    expect(result).toMatchObject({ verdict })
  })
})
