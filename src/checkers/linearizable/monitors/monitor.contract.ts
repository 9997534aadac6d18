/**
 * What every monitor must keep, whatever its object and its method. A law takes a small random history that was bent
 * here and there (`random-histories.test-support.ts`) and compares the monitor's word with the truth, or with its own
 * word on a history that must have the same verdict:
 *
 * - it says what trying every order says, and the order that it gives for valid is one;
 * - a valid history stays valid when an operation of unknown outcome is added: it may never have happened;
 * - a failed operation changes nothing;
 * - two invocations, or two returns, that follow each other in the file can change places: no interval changes its
 *   relation to another;
 * - the beginning of a valid history is valid, with what was open there unknown.
 *
 * A monitor may decline (null): then the general search answers, which is held to the same laws. The contract wants
 * the monitor to answer for at least one history in ten.
 */
import * as fc from 'fast-check'
import { History } from '../../../history/history.ts'
import type { HistoryEvent } from '../../../history/operation.ts'
import type { Verdict } from '../../result.ts'
import { bruteForce, flawOf } from '../brute-force.test-support.ts'
import { linearizable } from '../index.ts'
import { build, draft, type Draft, type Subject } from '../random-histories.test-support.ts'

export const LAWS = ['truth', 'witness', 'unknown added', 'failed added', 'neighbours', 'beginning'] as const
export type Law = (typeof LAWS)[number]

export interface ContractReport {
  /** Laws that were broken, each with the first history that broke it. */
  readonly broken: Readonly<Partial<Record<Law, string>>>
  /** Histories that the monitor decided itself, of all. */
  readonly answered: number
  readonly histories: number
  readonly valid: number
}

export function checkMonitor(subject: Subject, histories: number): ContractReport {
  const { model } = subject
  const broken: Partial<Record<Law, string>> = {}
  let answered = 0
  let valid = 0
  const drafts = fc.array(draft, { minLength: 1, maxLength: 6 })
  for (const drafted of fc.sample(drafts, { numRuns: histories, seed: 7 })) {
    const history = build(subject, drafted)
    const result = linearizable(history, model, { partition: 'none' })
    const isMonitored = result.method !== null && !result.method.startsWith('search (')
    if (isMonitored) answered++
    const note = (law: Law, holds: boolean): void => {
      if (!holds) broken[law] ??= JSON.stringify(eventsOf(history))
    }
    note('truth', result.verdict === truthOf(history, model))
    const again = (events: readonly HistoryEvent[]): Verdict =>
      linearizable(History.from(events), model, { partition: 'none' }).verdict
    const events = eventsOf(history)
    const at = drafted[0].argument % (events.length + 1)
    note('failed added', again(withAdded(events, subject, drafted[0], at, 'fail')) === result.verdict)
    note('neighbours', again(swapped(events, at)) === result.verdict)
    if (result.verdict !== 'valid') continue
    valid++
    note('witness', flawOf(history, result.details.witness as ArrayLike<number>, model) === null)
    note('unknown added', again(withAdded(events, subject, drafted[0], at, 'info')) === 'valid')
    note('beginning', again(events.slice(0, at)) !== 'invalid')
  }
  return { broken, answered, histories, valid }
}

/** What trying every order says. A history in which nothing completed shows nothing: unknown. */
function truthOf(history: History, model: Subject['model']): Verdict {
  if (![...history.operations()].some(({ type }) => type === 'ok')) return 'unknown'
  return bruteForce(history, model) ? 'valid' : 'invalid'
}

/** The events of a history in order, each with the id of its operation. */
function eventsOf(history: History): HistoryEvent[] {
  return Array.from(history.events(), (event): HistoryEvent => {
    const { id, f, key, type, input, output } = history.operation(Math.floor(event / 2))
    // Each operation has a client of its own, so that the order in one client's file does not matter either.
    const base = { id, process: id, f, key }
    return event % 2 === 0 ? { ...base, type: 'invoke', value: input } : { ...base, type, value: output }
  })
}

const ADDED_ID = 1000

function withAdded(
  events: readonly HistoryEvent[],
  { name, calls }: Subject,
  { kind, argument }: Draft,
  at: number,
  type: 'info' | 'fail',
): HistoryEvent[] {
  const { f, inputs } = calls[kind % calls.length]
  const value = inputs === 'unique' ? ADDED_ID : inputs[argument % inputs.length]
  const key = name.startsWith('multi') && f === 'read' ? 'x' : null
  const base = { id: ADDED_ID, process: ADDED_ID, f, key }
  return events.toSpliced(at, 0, { ...base, type: 'invoke', value }, { ...base, type, value: null })
}

/** The first two neighbours from a place on that are both invocations, or both returns, change places. */
function swapped(events: readonly HistoryEvent[], from: number): HistoryEvent[] {
  for (let i = from; i + 1 < events.length; i++) {
    const [a, b] = [events[i], events[i + 1]]
    if ((a.type === 'invoke') === (b.type === 'invoke')) return events.toSpliced(i, 2, b, a)
  }
  return [...events]
}
