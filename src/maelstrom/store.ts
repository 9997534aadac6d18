/**
 * The files of a test, where Maelstrom has them: `store/WORKLOAD/TIME/`, with `latest` links beside it. Everything but
 * the name of the folder is a pure function of the run.
 */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { printEdn } from '../history/formats/edn.ts'
import { printExactJson, printJson } from '../history/formats/json.ts'
import type { LoggedOperation } from './running/operation-log.ts'
import type { TestRun } from './running/test.ts'

/** What was tested, and how: the part that results do not say. */
export interface TestFacts {
  readonly version: 1
  readonly workload: string
  readonly program: readonly string[]
  readonly nodes: readonly string[]
  readonly concurrency: number
  readonly nemesis: readonly string[]
  /** The share of operations that had to succeed, or null. */
  readonly availability: 'total' | number | null
  readonly seed: number
  /** Where times come from: virtual in the tank, monotonic for real processes. */
  readonly clock: 'virtual' | 'monotonic'
}

export interface StoredTest extends TestRun {
  readonly facts: TestFacts
  /** Lines of stderr, by node. */
  readonly logs: ReadonlyMap<string, readonly string[]>
  readonly report: string
  /** Name and content of each picture. */
  readonly pictures: readonly (readonly [string, string])[]
}

/** Writes the files of a test; returns its folder. */
export function storeTest(store: string, workload: string, time: string, test: StoredTest): string {
  const folder = join(store, workload, time)
  mkdirSync(join(folder, 'node-logs'), { recursive: true })
  for (const [name, text] of testFiles(test)) writeFileSync(join(folder, name), text)
  link(join(store, 'latest'), join(workload, time))
  link(join(store, workload, 'latest'), time)
  return folder
}

/** Name and content of every file. */
export function testFiles(test: StoredTest): [string, string][] {
  const { facts, faults, results, operations, logs, report, pictures } = test
  return [
    ['test.json', `${JSON.stringify(facts, null, 2)}\n`],
    ['faults.jsonl', lines(faults, (fault) => JSON.stringify(fault))],
    ['results.json', `${printJson(results, 2)}\n`],
    ['results.edn', `${printEdn(results, isKeyword)}\n`],
    ['report.txt', report],
    ['history.jsonl', lines(operations, printExactJson)],
    ['history.edn', lines(operations, ednOperation)],
    ['history.txt', lines(operations, textOperation)],
    ...pictures.map(([name, text]): [string, string] => [name, text]),
    ...[...logs].map(([node, log]): [string, string] => [
      join('node-logs', `${node}.log`),
      lines(log, (line) => line),
    ]),
  ]
}

function lines<T>(items: readonly T[], print: (item: T) => string): string {
  return items.map((item) => `${print(item)}\n`).join('')
}

/** Keys of the results whose text is a keyword in Maelstrom's EDN. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'f',
  'outcome',
  'anomaly-types',
  'not',
  'also-not',
  'bad-error-types',
  'error-types',
  'info-txn-causes',
])

function isKeyword(text: string, key: string): boolean {
  return KEYWORDS.has(key) || (key === 'valid?' && text === 'unknown')
}

const MICRO_OPERATIONS: ReadonlySet<string> = new Set(['r', 'w', 'append', 'send', 'poll'])

function ednOperation(operation: LoggedOperation): string {
  const fields = Object.entries(operation).map(([key, value]) => {
    const keyword = (text: string): boolean =>
      key === 'type' || key === 'f' || key === 'process' || (key === 'value' && MICRO_OPERATIONS.has(text))
    return `:${key} ${printEdn(value, keyword)}`
  })
  return `{${fields.join(', ')}}`
}

function textOperation({ process, type, f, value, error }: LoggedOperation): string {
  const columns = [process, `:${type}`, `:${f}`, printEdn(value), error === undefined ? '' : printEdn(error)]
  return columns.join('\t').trimEnd()
}

function link(path: string, target: string): void {
  rmSync(path, { force: true })
  symlinkSync(target, path)
}
