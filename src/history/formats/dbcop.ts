/**
 * dbcop's histories as JSON: `{"sessions": [[{"committed": true, "events": [["r" | "w", key, value], …]}, …], …]}`, or
 * the list of sessions alone. A read of null or 0 sees the initial state, unless a transaction wrote a 0. Sessions
 * are ordered, there is no real time.
 */
import type { History } from '../history.ts'
import type { HistoryBuilder } from '../history-builder.ts'
import type { HistoryFormat, TextReader } from './format.ts'
import { parseJson, printExactJson } from './json.ts'
import { addTransaction, isEvents, sessionsOf } from './sessions.ts'
import { HistorySyntaxError } from './syntax-error.ts'

const START = { line: 1, column: 1 }

export const dbcop: HistoryFormat = {
  name: 'dbcop',
  title: "dbcop's sessions as JSON",

  detect(head) {
    return /^(\[\s*)?\{[^{}]*"sessions"\s*:/.test(head) || /^\[\s*\[\s*\{\s*"(committed|events)"/.test(head)
  },

  reader(builder): TextReader {
    return {
      by: 'text',
      text(text) {
        addSessions(builder, parseJson(text, START))
      },
    }
  },

  *write(history: History) {
    const sessions = [...sessionsOf(history).values()]
    yield `${printExactJson({ sessions: sessions.map((session) => session.map(transaction)) })}\n`
  },
}

function transaction(events: unknown): { committed: true; events: unknown } {
  return { committed: true, events }
}

/** Adds parsed sessions to a history. */
function addSessions(builder: HistoryBuilder, value: unknown): void {
  builder.withoutRealTime()
  const record = value as { sessions?: unknown } | null
  const sessions = Array.isArray(value) ? value : record?.sessions
  if (!Array.isArray(sessions)) throw new HistorySyntaxError(START, 'expected {"sessions": […]}')
  if (sessions.some((session) => !Array.isArray(session))) {
    const several = sessions.some((item) => Object.hasOwn(Object(item) as object, 'sessions'))
    const hint = several
      ? 'this file holds several histories; give them one at a time'
      : 'a session is a list'
    throw new HistorySyntaxError(START, `${hint} of transactions`)
  }
  const zeroWritten = new Set<unknown>()
  for (const item of sessions.flat() as unknown[]) {
    const { events } = Object(item) as { events?: unknown }
    if (!isEvents(events)) continue
    for (const [f, key, written] of events) if (f === 'w' && written === 0) zeroWritten.add(key)
  }
  sessions.forEach((session: unknown[], number) => {
    for (const item of session) {
      const { committed, events } = Object(item) as { committed?: unknown; events?: unknown }
      if (!isEvents(events)) {
        throw new HistorySyntaxError(START, `session ${number} has a transaction without a list of events`)
      }
      addTransaction(builder, number, events, committed === false ? 'fail' : 'ok', zeroWritten)
    }
  })
}
