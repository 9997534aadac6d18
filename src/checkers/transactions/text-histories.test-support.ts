/**
 * Histories as text. A transaction is a line of micro-operations: `ax1` appends 1 to x, `wx1` writes it, `rx1.2` reads
 * the list [1, 2] (or, in a register, `rx1` the value 1), `rx-` reads nothing, `p1` looks for rows with the value 1 and
 * finds none.
 */
import { History, type HistoryEvent } from '../../history/index.ts'

type Outcome = 'ok' | 'fail' | 'info'

export interface TextTransaction {
  readonly process: number
  readonly outcome: Outcome
  readonly body: readonly (readonly [string, unknown, unknown])[]
}

const NAMES: Readonly<Record<string, string>> = { a: 'append', w: 'w', r: 'r' }

/** `2 fail: ax1 rx1` is process 2's; process and outcome may be left out. */
export function transaction(text: string, number = 0): TextTransaction {
  const [, process, outcome, body] = /^(?:(\d+)? ?(ok|fail|info)?: )?(.*)$/.exec(text)!
  const lists = /(^| )a/.test(text) || text.includes('.') || text.includes('[')
  return {
    process: process === undefined ? number : Number(process),
    outcome: (outcome as Outcome | undefined) ?? 'ok',
    body: body
      .trim()
      .split(/ +/)
      .map((part) =>
        part.startsWith('p')
          ? (['rp', ['=', Number(part.slice(1))], {}] as const)
          : ([NAMES[part[0]], part[1], value(part, lists)] as const),
      ),
  }
}

function value(part: string, lists: boolean): unknown {
  const text = part.slice(2)
  if (text === '-') return null
  if (part[0] !== 'r') return Number(text)
  return lists ? text.replace('[', '').replace(']', '').split('.').filter(Boolean).map(Number) : Number(text)
}

function invocation({ process, body }: TextTransaction): HistoryEvent {
  return {
    type: 'invoke',
    process,
    f: 'txn',
    value: body.map(([f, key, v]) => [f, key, f.startsWith('r') ? null : v]),
  }
}

function completion({ process, outcome, body }: TextTransaction): HistoryEvent {
  return { type: outcome, process, f: 'txn', value: outcome === 'ok' ? body : null }
}

/** All at once, each in a process of its own unless it says otherwise. Reads are lists if any transaction appends. */
export function together(...texts: readonly string[]): History {
  const transactions = parse(texts)
  return History.from([...transactions.map(invocation), ...transactions.map(completion)])
}

/** One after the other. */
export function inTurn(...texts: readonly string[]): History {
  return History.from(parse(texts).flatMap((each) => [invocation(each), completion(each)]))
}

/** Named transactions, begun (`+a`) and ended (`-a`) in a given order. */
export function schedule(events: string, texts: Readonly<Record<string, string>>): History {
  const names = Object.keys(texts)
  const transactions = parse(Object.values(texts))
  return History.from(
    events.split(' ').map((event) => {
      const each = transactions[names.indexOf(event.slice(1))]
      return event[0] === '+' ? invocation(each) : completion(each)
    }),
  )
}

function parse(texts: readonly string[]): TextTransaction[] {
  const lists = texts.some((text) => /(^|[ :])a[a-z]/.test(text))
  return texts.map((text, i) =>
    transaction(lists ? text.replace(/\b(r[a-z])(\d[\d.]*)/g, '$1[$2]') : text, i),
  )
}
