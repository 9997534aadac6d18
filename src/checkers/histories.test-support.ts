/**
 * Histories for tests: written down one operation after the other, or drawn from a simulated object that is correct,
 * with concurrency, failures and unknown outcomes of every kind. A sound checker never finds the latter invalid.
 */
import * as fc from 'fast-check'
import { History } from '../history/history.ts'
import type { HistoryEvent, Outcome } from '../history/operation.ts'

export const FULL = process.env.WAVETANK_FULL === '1'

export interface Written {
  readonly f: string
  readonly process?: number
  readonly key?: unknown
  readonly input?: unknown
  readonly output?: unknown
  readonly type?: Outcome
  readonly node?: string
  readonly timedOut?: boolean
  readonly faultEpoch?: number
  /** Length in microseconds; operations follow each other without a break. */
  readonly us?: number
}

/** Operations one after the other, each complete before the next begins. */
export function sequence(...operations: readonly Written[]): History {
  const events: HistoryEvent[] = []
  let time = 0
  for (const { input, output, type = 'ok', us = 10, ...op } of operations) {
    const process = op.process ?? 0
    events.push({ ...op, process, type: 'invoke', value: input, time })
    time += us
    events.push({ ...op, process, type, value: output, time })
  }
  return History.from(events)
}

/** Operations that all begin before any of them completes. */
export function together(...operations: readonly Written[]): History {
  const begun = operations.map(({ input, ...op }, process): HistoryEvent => {
    return { ...op, process: op.process ?? process, type: 'invoke', value: input }
  })
  const done = operations.map(({ output, type = 'ok', ...op }, process): HistoryEvent => {
    return { ...op, process: op.process ?? process, type, value: output }
  })
  return History.from([...begun, ...done])
}

export function types(result: { anomalies: readonly { type: string }[] }): string[] {
  return [...new Set(result.anomalies.map(({ type }) => type))].sort()
}

/** A correct object: what is asked of it, and what it does. */
export interface CorrectObject<State> {
  init(): State
  /** The next operation, by a number drawn. */
  ask(draw: number, serial: number): { readonly f: string; readonly key?: unknown; readonly input?: unknown }
  /** Takes effect at once; gives the output. */
  apply(state: State, f: string, input: unknown, process: number, key: unknown): unknown
  /** What every process asks in the end, when everything has settled. */
  readonly last?: { readonly f: string; readonly input?: unknown }
}

interface Client {
  process: number
  open: { readonly f: string; readonly key?: unknown; readonly input?: unknown } | null
  applied: boolean
  output: unknown
}

/** One run of a correct object; every decision comes from the draws. */
export function simulate<State>(
  object: CorrectObject<State>,
  draws: readonly number[],
  clients = 3,
): History {
  const state = object.init()
  const events: HistoryEvent[] = []
  let time = 0
  let processes = clients
  let serial = 0
  const all = Array.from({ length: clients }, (_, process): Client => ({
    process,
    open: null,
    applied: false,
    output: null,
  }))
  /** Operations that their clients gave up and that may still take effect. */
  const ghosts: { client: number; open: NonNullable<Client['open']> }[] = []
  const effect = (process: number, { f, input, key = null }: NonNullable<Client['open']>) =>
    structuredClone(object.apply(state, f, input ?? null, process, key))
  const record = (client: Client, type: HistoryEvent['type'], value: unknown, timedOut?: boolean) => {
    const { f, key = null } = client.open!
    events.push({
      type,
      process: client.process,
      f,
      key,
      value,
      time: (time += 7),
      ...(timedOut === undefined ? {} : { timedOut }),
    })
  }
  const begin = (client: Client, draw: number) => {
    client.open = object.ask(draw, serial++)
    client.applied = false
    record(client, 'invoke', client.open.input ?? null)
  }
  const complete = (client: Client, type: Outcome, value: unknown, timedOut?: boolean) => {
    record(client, type, value, timedOut)
    client.open = null
  }
  for (const draw of draws) {
    const client = all[draw % clients]
    const choice = Math.floor(draw / clients) % 12
    if (ghosts.length > 0 && choice === 11) {
      const { client: process, open } = ghosts.splice(draw % ghosts.length, 1)[0]
      effect(process, open)
    }
    if (client.open === null) begin(client, Math.floor(draw / 36))
    else if (client.applied)
      complete(
        client,
        choice < 9 ? 'ok' : 'info',
        choice < 9 ? client.output : null,
        choice < 9 ? false : choice === 9,
      )
    else if (choice < 8) {
      client.output = effect(client.process, client.open)
      client.applied = true
    } else if (choice === 8) complete(client, 'fail', null)
    else {
      ghosts.push({ client: client.process, open: client.open })
      if (choice === 9) complete(client, 'info', null, true)
      else {
        client.open = null
        client.process = processes++
      }
    }
  }
  for (const client of all) {
    if (client.open === null) continue
    if (!client.applied) client.output = effect(client.process, client.open)
    complete(client, 'ok', client.output)
  }
  if (object.last !== undefined) {
    for (const client of all) {
      client.open = object.last
      record(client, 'invoke', object.last.input ?? null)
    }
    for (const client of all) complete(client, 'ok', effect(client.process, object.last))
  }
  return History.from(events)
}

/** Draws for {@link simulate}. */
export const drawn = fc.array(fc.nat(0xffffff), { maxLength: 120, size: 'max' })

/** Runs a property over simulated histories; many more of them in a full run. */
export function everyRun<State>(object: CorrectObject<State>, property: (history: History) => void): void {
  fc.assert(
    fc.property(drawn, (draws) => {
      property(simulate(object, draws))
    }),
    { numRuns: FULL ? 20_000 : 400 },
  )
}
