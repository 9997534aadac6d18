/**
 * Jepsen's text logs: process, type, function and value, separated by tabs or blanks.
 *
 * - `jepsen.log` and what Jepsen prints: after a date, a level, a thread and `jepsen.util`. Such a line is an operation map
 *   in other words and is read as one, with an error after the value. Everything else in the log is skipped: lines of
 *   other names, and lines without a date, which continue a message. The dates are those of the logger, in milliseconds;
 *   they are not taken for the times of operations.
 * - `history.txt` and the logs of Porcupine's tests: after `INFO  jepsen.util -` or alone. Porcupine's reading of its etcd
 *   logs is kept, since their verdicts depend on it: `:ok` and `:fail` of a `:cas` both saw the register (a failed one is an
 *   *observation* that the value differed, so it is an ok with output `false`); a read that failed with `:timed-out` tells
 *   nothing and stays unknown; whatever has no completion stays open.
 */
import type { History } from '../history.ts'
import type { HistoryBuilder } from '../history-builder.ts'
import type { HistoryEvent } from '../operation.ts'
import { EdnReader, printEdn } from './edn.ts'
import type { HistoryFormat, LineReader } from './format.ts'
import { addOpMap, opMaps } from './op-map.ts'
import { HistorySyntaxError } from './syntax-error.ts'

const OPERATION = /(-?\d+|:[\w-]+)[ \t]+:(invoke|ok|fail|info)[ \t]+:([\w-]+)(?:[ \t]+(.*))?$/.source

const LINE = new RegExp(`^(?:INFO\\s+\\S+\\s+-\\s+)?${OPERATION}`)

/** The beginning of every message of a `jepsen.log`, in either of its two layouts. */
const DATED =
  /^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}(?:\{\w+\})?\t[A-Z]+\t\[|[A-Z]+ +\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] )/

/** The rest of such a message when it is an operation: the thread, the name of the logger, the operation. */
const DATED_OPERATION = new RegExp(`^(?:[^\\]]*\\] jepsen\\.util: |[^-]* - jepsen\\.util )${OPERATION}`)

export const jepsenLog: HistoryFormat = {
  name: 'jepsen-log',
  title: 'a Jepsen text log (jepsen.log, history.txt, Porcupine)',

  detect(head) {
    if (DATED.test(head)) return true
    return head.split('\n', 50).some((line) => LINE.test(line.trimEnd())) && !/^[[({]/.test(head)
  },

  reader(builder): LineReader {
    let dated = false
    return {
      by: 'line',
      line(text, line, complete) {
        const date = DATED.exec(text)
        if (date !== null) dated = true
        if (!dated) readLine(text, line, builder)
        else if (date !== null) readDated(text, date[0].length, line, complete, builder)
      },
    }
  },

  *write(history: History) {
    for (const { process, type, f, value } of opMaps(history)) {
      const mismatch = f === 'cas' && type === 'ok' && value === false
      const who = typeof process === 'string' ? `:${process}` : String(process)
      yield `INFO  jepsen.util - ${who}\t:${mismatch ? 'fail' : type}\t:${f}\t${printEdn(mismatch ? null : value)}\n`
    }
  },
}

function readDated(
  text: string,
  from: number,
  line: number,
  complete: boolean,
  builder: HistoryBuilder,
): void {
  const match = DATED_OPERATION.exec(text.slice(from).trimEnd())
  if (match === null) return
  // Its last value may have been longer.
  if (!complete)
    throw new HistorySyntaxError({ line, column: text.length + 1 }, 'expected the end of the line')
  const [, who, type, f, rest = ''] = match
  const process = who.startsWith(':') ? who.slice(1) : Number(who)
  const [value = null, error = null] = readValues(rest, text, line)
  addOpMap(builder, { type, process, f, value, error }, { line, column: 1 })
}

function readLine(text: string, line: number, builder: HistoryBuilder): void {
  const trimmed = text.trimEnd()
  const match = LINE.exec(trimmed)
  if (match === null) {
    // Other lines of a log (start-up, errors) stand between those of the history.
    if (trimmed === '' || /^[A-Z]+\s+\S+\s+-\s/.test(trimmed)) return
    throw new HistorySyntaxError({ line, column: 1 }, 'expected "process :type :f value", separated by tabs')
  }
  const [, who, type, f, rest = ''] = match
  const process = who.startsWith(':') ? who.slice(1) : Number(who)
  const [value = null] = readValues(rest, trimmed, line)
  if (process === 'nemesis') {
    builder.fault({ time: null, f, value })
    return
  }
  const timedOut = value === 'timed-out' || value === 'timeout'
  const event: HistoryEvent = {
    type: type as HistoryEvent['type'],
    process,
    f,
    value: timedOut ? null : value,
    error: timedOut ? value : null,
    timedOut: timedOut ? true : null,
  }
  builder.event(type === 'fail' ? failed(event) : event, { line, column: 1 })
}

function failed(event: HistoryEvent): HistoryEvent {
  if (event.f === 'cas') return { ...event, type: 'ok', value: false }
  if (event.f === 'read' && event.timedOut === true) return { ...event, type: 'info' }
  return event
}

/** The value of an operation, and the error that a log may add to it. */
function readValues(rest: string, line: string, number: number): unknown[] {
  const values: unknown[] = []
  try {
    const reader = new EdnReader(rest)
    while (values.length < 2 && reader.more()) values.push(reader.value())
  } catch (error) {
    if (!(error instanceof HistorySyntaxError)) throw error
    // What follows the value may be the text of an exception.
    if (values.length > 0) return values
    const column = line.length - rest.length + error.column
    throw new HistorySyntaxError({ line: number, column }, error.what)
  }
  return values
}
