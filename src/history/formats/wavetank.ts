/**
 * The project's own format: JSON lines, a header, then one line per event in the order in which things happened, so
 * that a recorder can append as it goes and a crash costs at most the line that was being written.
 *
 * ```
 * {"wavetank":"history","version":1}
 * {"type":"invoke","id":0,"process":3,"f":"write","key":"x","value":7,"time":1200,"node":null,"faultEpoch":0}
 * {"type":"ok","id":0,"process":3,"f":"write","key":"x","value":null,"error":null,"timedOut":false,"time":1900,"node":"n1"}
 * {"type":"fault","f":"partition","value":["n1"],"time":2000}
 * ```
 *
 * Times are microseconds. What is unknown is null. A last line without a newline that does not parse is torn: it is
 * skipped and reported as a problem of the history.
 */
import type { History } from '../history.ts'
import type { HistoryBuilder } from '../history-builder.ts'
import type { HistoryEvent, Operation } from '../operation.ts'
import type { TextPosition } from '../problem.ts'
import { show } from '../value.ts'
import type { HistoryFormat, LineReader } from './format.ts'
import { firstLine, parseJson, printExactJson } from './json.ts'
import { HistorySyntaxError } from './syntax-error.ts'

export const HEADER = '{"wavetank":"history","version":1}'

export const wavetank: HistoryFormat = {
  name: 'wavetank',
  title: 'wavetank JSON lines',

  detect(head) {
    const first = firstLine(head)
    if (/^\{\s*"wavetank"\s*:\s*"history"/.test(first)) return true
    return (
      first.startsWith('{') &&
      /"type"\s*:\s*"(invoke|ok|fail|info|fault)"/.test(first) &&
      /"id"\s*:/.test(first)
    )
  },

  reader(builder): LineReader {
    return { by: 'line', line: (text, line) => readLine(text, line, builder) }
  },

  *write(history: History) {
    yield `${HEADER}\n`
    let fault = 0
    for (const event of history.events()) {
      const operation = history.operation(Math.floor(event / 2))
      const index = event % 2 === 0 ? operation.invokeIndex : operation.completeIndex!
      for (; fault < history.faults.length && history.faults[fault].index < index; fault++) {
        yield printFault(history.faults[fault])
      }
      yield event % 2 === 0 ? printInvocation(operation) : printCompletion(operation)
    }
    for (; fault < history.faults.length; fault++) yield printFault(history.faults[fault])
  },
}

/** One line for any event, with its newline. */
export function printEvent(event: HistoryEvent): string {
  const { type, id = null, process = null, f = null, value = null, time = null, node = null } = event
  const { key = null } = event
  if (type === 'invoke') {
    const { faultEpoch = null } = event
    return `${printExactJson({ type, id, process, f, key, value, time, node, faultEpoch })}\n`
  }
  const { error = null, timedOut = null } = event
  return `${printExactJson({ type, id, process, f, key, value, error, timedOut, time, node })}\n`
}

export function printFault(fault: { f: string; value: unknown; time: number | null }): string {
  const { f, value, time } = fault
  return `${printExactJson({ type: 'fault', f, value: value ?? null, time })}\n`
}

function printInvocation(operation: Operation): string {
  return printEvent({ ...operation, type: 'invoke', value: operation.input, time: operation.invokeTime })
}

function printCompletion(operation: Operation): string {
  return printEvent({ ...operation, value: operation.output, time: operation.completeTime })
}

function readLine(text: string, line: number, builder: HistoryBuilder): void {
  if (!text.startsWith('{') && text.trim() === '') return
  const at = { line, column: 1 }
  const record = parseJson(text, at)
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    throw new HistorySyntaxError(at, `expected an event, found ${show(record, 40)}`)
  }
  addRecord(record as Record<string, unknown>, at, builder)
}

function addRecord(record: Record<string, unknown>, at: TextPosition, builder: HistoryBuilder): void {
  switch (record.type) {
    case 'invoke':
    case 'ok':
    case 'fail':
    case 'info':
      checkTypes(record, at)
      builder.event(record as unknown as HistoryEvent, at)
      return
    case 'fault':
      checkTypes(record, at)
      builder.fault({
        f: String(record.f),
        value: record.value ?? null,
        time: (record.time as number) ?? null,
      })
      return
    default:
      if (record.wavetank === 'history') {
        if (record.version === 1) return
        throw new HistorySyntaxError(
          at,
          `version ${show(record.version)} is not known here; this reads version 1`,
        )
      }
      throw new HistorySyntaxError(
        at,
        `"type" must be invoke, ok, fail, info or fault, not ${show(record.type, 40)}`,
      )
  }
}

function checkTypes(record: Record<string, unknown>, at: TextPosition): void {
  const { id, process, f, time, node, timedOut, faultEpoch } = record
  if (typeof process !== 'number' && typeof process !== 'string')
    optional(process, 'process', 'a number or a name', at)
  if (typeof f !== 'string') optional(f, 'f', 'a name', at)
  if (typeof id !== 'number') optional(id, 'id', 'a number', at)
  if (typeof time !== 'number') optional(time, 'time', 'a number', at)
  if (typeof node !== 'string') optional(node, 'node', 'a name', at)
  if (typeof timedOut !== 'boolean') optional(timedOut, 'timedOut', 'true or false', at)
  if (typeof faultEpoch !== 'number') optional(faultEpoch, 'faultEpoch', 'a number', at)
}

function optional(value: unknown, name: string, expected: string, at: TextPosition): void {
  if (value === undefined || value === null) return
  throw new HistorySyntaxError(at, `"${name}" must be ${expected} or null, not ${show(value, 40)}`)
}
