/**
 * Jepsen's text logs as Porcupine's tests read them, and Jepsen's `history.txt`: tab- or blank-separated process,
 * type, function and value, after `INFO  jepsen.util -` or alone.
 *
 * Porcupine's reading of its etcd logs is kept, since their verdicts depend on it: `:ok` and `:fail` of a `:cas` both
 * saw the register (a failed one is an *observation* that the value differed, so it is an ok with output `false`);
 * a read that failed with `:timed-out` tells nothing and stays unknown; whatever has no completion stays open.
 */
import type { History } from '../history.ts'
import type { HistoryBuilder } from '../history-builder.ts'
import type { HistoryEvent } from '../operation.ts'
import { EdnReader, printEdn } from './edn.ts'
import type { HistoryFormat, LineReader } from './format.ts'
import { opMaps } from './op-map.ts'
import { HistorySyntaxError } from './syntax-error.ts'

const LINE =
  /^(?:INFO\s+\S+\s+-\s+)?(-?\d+|:[\w-]+)[ \t]+:(invoke|ok|fail|info)[ \t]+:([\w-]+)(?:[ \t]+(.*))?$/

export const jepsenLog: HistoryFormat = {
  name: 'jepsen-log',
  title: "a Jepsen text log, as Porcupine's tests read it",

  detect(head) {
    return head.split('\n', 50).some((line) => LINE.test(line.trimEnd())) && !/^[[({]/.test(head)
  },

  reader(builder): LineReader {
    return { by: 'line', line: (text, line) => readLine(text, line, builder) }
  },

  *write(history: History) {
    for (const { process, type, f, value } of opMaps(history)) {
      const mismatch = f === 'cas' && type === 'ok' && value === false
      const who = typeof process === 'string' ? `:${process}` : String(process)
      yield `INFO  jepsen.util - ${who}\t:${mismatch ? 'fail' : type}\t:${f}\t${printEdn(mismatch ? null : value)}\n`
    }
  },
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
  const value = readValue(rest, trimmed, line)
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

function readValue(rest: string, line: string, number: number): unknown {
  if (rest.trim() === '') return null
  try {
    const reader = new EdnReader(rest)
    // A log may add an error after the value; the value is the first form.
    return reader.more() ? reader.value() : null
  } catch (error) {
    if (!(error instanceof HistorySyntaxError)) throw error
    const column = line.length - rest.length + error.column
    throw new HistorySyntaxError({ line: number, column }, error.message.replace(/^line.*?: /, ''))
  }
}
