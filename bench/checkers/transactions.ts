/**
 * The speed of the transaction checkers against `JSON.parse` of the same history, line by line, and against each other;
 * and the memory of a process of its own that reads such a history from a file and checks it.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { listAppend, rwRegister } from '../../src/checkers/transactions/index.ts'
import type { History } from '../../src/history/index.ts'
import { linesOf, load, parseMs, writeLines } from './lines.ts'
import { compared, processorMs, type Row } from './row.ts'
import { transactionHistory, type TransactionHistoryOptions } from './transaction-histories.ts'

setFlagsFromString('--expose-gc')
/** Lets go of the text, which is the bench's and not the checker's. */
const collect = runInNewContext('gc') as () => void

const SEED = 1

function measure(
  options: TransactionHistoryOptions,
  check: (history: History) => { verdict: string },
): { checkMs: number; parse: number } {
  let bytes: Buffer | null = linesOf((visit) => transactionHistory(options, visit))
  const parse = parseMs(bytes)
  const history = load(bytes)
  bytes = null
  collect()
  const checkMs = processorMs(() => {
    const { verdict } = check(history)
    if (verdict !== 'valid') throw new Error(`expected a valid history, and it is ${verdict}`)
  })
  return { checkMs, parse }
}

/** Strict serializability of list-append transactions. */
export function listAppends(transactions: number): Row {
  const { checkMs, parse } = measure({ seed: SEED, transactions, writes: 'append' }, (history) =>
    listAppend(history),
  )
  const what = `list-append, ${transactions.toLocaleString('en')} transactions`
  return compared({ what, ours: checkMs, peer: parse, peerName: 'JSON.parse', bar: 2 })
}

/** Registers with linearizable keys against lists. */
export function registers(transactions: number): Row {
  const lists = measure({ seed: SEED, transactions, writes: 'append' }, (history) => listAppend(history))
  const { checkMs } = measure({ seed: SEED, transactions, writes: 'w' }, (history) =>
    // What inference takes; the rows of blind writes measure the search.
    rwRegister(history, { linearizableKeys: true, search: false }),
  )
  const what = `rw-register, linearizable keys, ${transactions.toLocaleString('en')}`
  return compared({ what, ours: checkMs, peer: lists.checkMs, peerName: 'list-append', bar: 10 })
}

const LIMIT_MB = 2000

/** The most memory that a process takes which reads list-append transactions from a file and checks them. */
export function memory(transactions: number): Row {
  const folder = mkdtempSync(join(tmpdir(), 'wavetank-bench-'))
  try {
    const file = join(folder, 'history.jsonl')
    writeLines(file, (visit) => transactionHistory({ seed: SEED, transactions, writes: 'append' }, visit))
    const root = join(import.meta.dirname, '../..')
    const program = join(import.meta.dirname, 'memory-of-a-check.ts')
    const loader = join(root, 'scripts/typescript.mjs')
    const run = spawnSync(process.execPath, ['--import', loader, program, file], {
      cwd: root,
      encoding: 'utf8',
    })
    if (run.status !== 0) throw new Error(run.stderr)
    const { verdict, maxMb } = JSON.parse(run.stdout) as { verdict: string; maxMb: number }
    if (verdict !== 'valid') throw new Error(`expected a valid history, and it is ${verdict}`)
    return {
      what: `memory of reading and checking ${transactions.toLocaleString('en')}`,
      ours: `${maxMb.toLocaleString('en')} MB`,
      peer: '–',
      ratio: null,
      bar: `< ${LIMIT_MB.toLocaleString('en')} MB`,
      met: maxMb < LIMIT_MB,
      note: '',
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
