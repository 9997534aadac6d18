/**
 * PolySI's histories. As text: one event a line, `r(KEY,VALUE,SESSION,TRANSACTION)` or `w(…)`. As JSON lines: one
 * transaction a line, `{"s": session, "t": position in the session, "ok": committed, "ev": [["r", key, value], …]}`.
 * Sessions are ordered, there is no real time, value 0 is the initial state.
 */
import type { History } from '../history.ts'
import type { HistoryFormat, LineReader } from './format.ts'
import { firstLine, integerOf, parseJson, printExactJson } from './json.ts'
import { addTransaction, eventText, isEvents, sessionsOf, type RegisterEvent } from './sessions.ts'
import { HistorySyntaxError } from './syntax-error.ts'

const EVENT = /^([rw])\(\s*(-?\d+)\s*,\s*(-?\d+)\s*,\s*(-?\d+)\s*,\s*(-?\d+)\s*\)$/

export const polysi: HistoryFormat = {
  name: 'polysi',
  title: "PolySI's text format",

  detect(head) {
    return /^[rw]\(\s*-?\d+\s*,/.test(head)
  },

  reader(builder): LineReader {
    builder.withoutRealTime()
    let events: RegisterEvent[] = []
    let session = 0
    let transaction: string | null = null
    const endTransaction = () => {
      if (events.length > 0) addTransaction(builder, session, events)
      events = []
    }
    return {
      by: 'line',
      line(text, line) {
        const trimmed = text.trim()
        if (trimmed === '') return
        const match = EVENT.exec(trimmed)
        if (match === null) {
          throw new HistorySyntaxError(
            { line, column: 1 },
            'expected r(KEY,VALUE,SESSION,TRANSACTION) or w(…)',
          )
        }
        const [, f, key, value, of, number] = match
        if (transaction !== `${of} ${number}`) endTransaction()
        transaction = `${of} ${number}`
        session = Number(of)
        events.push([f, integerOf(key), integerOf(value)])
      },
      end: endTransaction,
    }
  },

  *write(history: History) {
    let transaction = 0
    let session = 0
    for (const transactions of sessionsOf(history).values()) {
      session++
      for (const events of transactions) {
        transaction++
        for (const [f, key, value] of events)
          yield `${f}(${eventText(key)},${eventText(value)},${session},${transaction})\n`
      }
    }
  },
}

export const polysiJson: HistoryFormat = {
  name: 'polysi-json',
  title: 'register transactions as JSON lines',

  detect(head) {
    const first = firstLine(head)
    return first.startsWith('{') && /"ev"\s*:\s*\[/.test(first) && /"s"\s*:/.test(first)
  },

  reader(builder): LineReader {
    builder.withoutRealTime()
    return {
      by: 'line',
      line(text, line) {
        if (text.trim() === '') return
        const at = { line, column: 1 }
        const record = parseJson(text, at) as { s?: unknown; ok?: unknown; ev?: unknown } | null
        const { s, ok, ev } = record ?? {}
        if ((typeof s !== 'number' && typeof s !== 'string') || !isEvents(ev)) {
          throw new HistorySyntaxError(
            at,
            'expected {"s": session, "ok": true, "ev": [["r", key, value], …]}',
          )
        }
        addTransaction(builder, s, ev, ok === false ? 'fail' : 'ok')
      },
    }
  },

  *write(history: History) {
    for (const [process, transactions] of sessionsOf(history)) {
      for (const [t, ev] of transactions.entries()) {
        yield `${printExactJson({ s: process, t, ok: true, ev })}\n`
      }
    }
  },
}
