/**
 * The speed of the transaction checkers, as ratios in one run against `JSON.parse` of the same history, line by line:
 *
 * - list-append, strict serializability: at most 2 times, and under 2 GB;
 * - rw-register with linearizable keys on a tenth of it: at most 10 times the list-append check of the same size.
 *
 * Run with `node --import ./scripts/typescript.mjs bench/checkers-transactions.ts [transactions]` or after a build.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { HistoryBuilder, type History, type HistoryEvent } from '../src/history/index.ts'
import { listAppend, rwRegister } from '../src/checkers/transactions/index.ts'
import { transactionHistory, type TransactionHistoryOptions } from './transaction-histories.ts'

const transactions = Number(process.argv[2] ?? 1_000_000)

function timed<T>(work: () => T): { ms: number; value: T } {
  const begin = performance.now()
  const value = work()
  return { ms: performance.now() - begin, value }
}

function lines(options: TransactionHistoryOptions): Buffer {
  const chunks: Buffer[] = []
  let text = ''
  transactionHistory(options, (event) => {
    text += `${JSON.stringify(event)}\n`
    if (text.length < 1 << 20) return
    chunks.push(Buffer.from(text))
    text = ''
  })
  chunks.push(Buffer.from(text))
  return Buffer.concat(chunks)
}

function eachLine(bytes: Buffer, visit: (line: string) => void): void {
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at)
    visit(bytes.toString('latin1', at, end))
    at = end + 1
  }
}

/** Without what it takes to find the lines. */
function parseTime(bytes: Buffer): number {
  let length = 0
  const finding = timed(() => eachLine(bytes, (line) => (length += line.length))).ms
  const both = timed(() =>
    eachLine(bytes, (line) => (length += (JSON.parse(line) as HistoryEvent).type.length)),
  ).ms
  return both - finding
}

function load(bytes: Buffer): History {
  const builder = new HistoryBuilder()
  eachLine(bytes, (line) => builder.event(JSON.parse(line) as HistoryEvent))
  return builder.finish()
}

setFlagsFromString('--expose-gc')
/** Lets go of the text, which is the bench's and not the checker's. */
const collect = runInNewContext('gc') as () => void

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`

function measure(
  name: string,
  options: TransactionHistoryOptions,
  check: (history: History) => { verdict: string },
) {
  let bytes: Buffer | null = lines(options)
  const size = bytes.length
  const parse = parseTime(bytes)
  const history = load(bytes)
  bytes = null
  collect()
  const before = process.memoryUsage().rss
  const { ms, value } = timed(() => check(history))
  const after = process.memoryUsage().rss
  console.log(
    `${name}: ${options.transactions} transactions, ${megabytes(size)} of JSON; ` +
      `JSON.parse ${Math.round(parse)} ms; check ${Math.round(ms)} ms (${value.verdict}), ` +
      `${(ms / parse).toFixed(2)} times; memory ${megabytes(before)} before, ${megabytes(after)} after`,
  )
  return ms
}

const seed = 1
measure('list-append', { seed, transactions, writes: 'append' }, (history) => listAppend(history))
const small = Math.ceil(transactions / 10)
const append = measure('list-append', { seed, transactions: small, writes: 'append' }, (history) =>
  listAppend(history),
)
const register = measure(
  'rw-register, linearizable keys',
  { seed, transactions: small, writes: 'w' },
  (history) => rwRegister(history, { linearizableKeys: true }),
)
console.log(`rw-register takes ${(register / append).toFixed(2)} times the list-append check`)
