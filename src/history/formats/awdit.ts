/**
 * AWDIT's test format: one event a line, `r KEY VALUE` or `w KEY VALUE`; `-----` ends a transaction, `=====` a
 * session. Sessions are ordered, there is no real time, every transaction committed.
 */
import type { History } from '../history.ts'
import type { HistoryFormat, LineReader } from './format.ts'
import { addTransaction, eventText, sessionsOf, type RegisterEvent } from './sessions.ts'
import { firstLine, integerOf } from './json.ts'
import { HistorySyntaxError } from './syntax-error.ts'

const EVENT = /^([rw])\s+(\S+)\s+(-?\d+)$/

export const awdit: HistoryFormat = {
  name: 'awdit',
  title: "AWDIT's text format",

  detect(head) {
    return EVENT.test(firstLine(head).trimEnd())
  },

  reader(builder): LineReader {
    builder.withoutRealTime()
    let session = 0
    let events: RegisterEvent[] = []
    const transactions: { readonly session: number; readonly events: RegisterEvent[] }[] = []
    const zeroWritten = new Set<unknown>()
    const endTransaction = () => {
      if (events.length > 0) transactions.push({ session, events })
      events = []
    }
    return {
      by: 'line',
      line(text, line) {
        const trimmed = text.trim()
        const match = EVENT.exec(trimmed)
        if (match !== null) {
          const event: RegisterEvent = [match[1], name(match[2]), integerOf(match[3])]
          events.push(event)
          if (event[0] === 'w' && event[2] === 0) zeroWritten.add(event[1])
        } else if (/^-+$/.test(trimmed)) endTransaction()
        else if (/^=+$/.test(trimmed)) {
          endTransaction()
          session++
        } else if (trimmed !== '') {
          throw new HistorySyntaxError(
            { line, column: 1 },
            'expected "r KEY VALUE", "w KEY VALUE", ----- or =====',
          )
        }
      },
      end() {
        endTransaction()
        for (const txn of transactions) addTransaction(builder, txn.session, txn.events, 'ok', zeroWritten)
      },
    }
  },

  *write(history: History) {
    let firstSession = true
    for (const transactions of sessionsOf(history).values()) {
      if (!firstSession) yield '=====\n'
      firstSession = false
      let firstTransaction = true
      for (const events of transactions) {
        if (!firstTransaction) yield '-----\n'
        firstTransaction = false
        for (const [f, key, value] of events) yield `${f} ${eventText(key)} ${eventText(value)}\n`
      }
    }
  },
}

/** Keys that are integers are integers. */
function name(text: string): number | bigint | string {
  return /^-?(?:0|[1-9]\d*)$/.test(text) ? integerOf(text) : text
}
