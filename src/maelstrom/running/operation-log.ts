/**
 * The history of a test in Jepsen's operation maps, as Maelstrom writes them: one map per event, times in nanoseconds
 * since the test began. Checkers get it through the reader that other tools' files go through.
 */
import { addOpMap } from '../../history/formats/op-map.ts'
import { HistoryBuilder } from '../../history/history-builder.ts'
import type { History } from '../../history/history.ts'

export interface LoggedOperation {
  readonly index: number
  readonly time: number
  readonly type: 'invoke' | 'ok' | 'fail' | 'info'
  readonly process: number | 'nemesis'
  readonly f: string
  readonly value: unknown
  readonly error?: unknown
  readonly 'final?'?: true
  /** The node that was asked. Maelstrom does not record it. */
  readonly node?: string
}

export class OperationLog {
  readonly operations: LoggedOperation[] = []
  readonly #nowUs: () => number
  readonly #startUs: number

  constructor(nowUs: () => number) {
    this.#nowUs = nowUs
    this.#startUs = nowUs()
  }

  add(operation: Omit<LoggedOperation, 'index' | 'time'>): void {
    const time = (this.#nowUs() - this.#startUs) * 1000
    this.operations.push({ index: this.operations.length, time, ...operation })
  }

  history(): History {
    return historyOf(this.operations)
  }
}

export function historyOf(operations: readonly LoggedOperation[]): History {
  const builder = new HistoryBuilder()
  for (const operation of operations) addOpMap(builder, operation, { line: operation.index + 1, column: 1 })
  return builder.finish('maelstrom')
}
