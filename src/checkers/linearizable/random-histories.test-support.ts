/**
 * Small random histories for tests. A history begins as one that is linearizable by construction (each operation
 * takes effect at a moment inside its interval, and answers what the model allows), and is then bent here and there:
 * another answer, another interval. So valid and invalid ones are both frequent.
 */
import * as fc from 'fast-check'
import { History } from '../../history/history.ts'
import type { HistoryEvent, Operation } from '../../history/operation.ts'
import { ILLEGAL, type Model } from './model.ts'

export interface Draft {
  readonly kind: number
  readonly argument: number
  readonly start: number
  readonly length: number
  readonly point: number
  readonly unknown: boolean
  readonly applied: boolean
  readonly process: number
  /** What to bend: nothing, mostly. */
  readonly bend: number
  readonly answer: number
}

export interface Subject {
  readonly name: string
  readonly model: Model<any>
  /** Functions with their inputs, and what they may answer. `unique` inputs differ from call to call. */
  readonly calls: readonly {
    readonly f: string
    readonly inputs: readonly unknown[] | 'unique'
    readonly outputs: readonly unknown[]
  }[]
}

export const draft: fc.Arbitrary<Draft> = fc.record({
  kind: fc.nat(99),
  argument: fc.nat(99),
  start: fc.nat(60),
  length: fc.integer({ min: 1, max: 30 }),
  point: fc.nat(99),
  unknown: fc.integer({ min: 0, max: 5 }).map((n) => n === 5),
  applied: fc.boolean(),
  process: fc.nat(2),
  bend: fc.nat(19),
  answer: fc.nat(99),
})

interface Planned extends Draft {
  readonly id: number
  readonly call: Subject['calls'][number]
  readonly input: unknown
  readonly key: unknown
  readonly at: number
  output: unknown
  type: Operation['type']
}

/** A history from drafts; see the head of this file. */
export function build(subject: Subject, drafts: readonly Draft[]): History {
  const { model, calls } = subject
  let fresh = 0
  const planned = drafts.map((one, id): Planned => {
    const call = calls[one.kind % calls.length]
    const input = call.inputs === 'unique' ? ++fresh : call.inputs[one.argument % call.inputs.length]
    const at = one.start + (one.length * one.point) / 100
    const key = subject.name.startsWith('multi') && call.f === 'read' ? 'x' : null
    return { ...one, id, call, input, key, at, output: null, type: 'ok' }
  })
  let state: unknown = model.init()
  for (const one of planned.toSorted((a, b) => a.at - b.at || a.id - b.id)) {
    if (one.unknown) one.type = 'info'
    if (one.unknown && !one.applied) continue
    const outputs = one.unknown ? [null] : one.call.outputs
    const answers = outputs.map((_, i) => outputs[(i + one.answer) % outputs.length])
    const legal = answers.find((output) => model.step(state, operationOf(one, output)) !== ILLEGAL)
    if (legal === undefined) {
      one.type = one.unknown ? 'info' : 'fail'
      continue
    }
    one.output = legal
    state = model.step(state, operationOf(one, legal))
  }
  for (const one of planned) {
    if (one.type !== 'ok') continue
    if (one.bend === 0) one.output = one.call.outputs[one.answer % one.call.outputs.length]
  }
  const events = planned.flatMap((one): { at: number; order: number; event: HistoryEvent }[] => [
    {
      at: one.start + (one.bend === 1 ? 20 : 0),
      order: one.id,
      event: {
        type: 'invoke',
        id: one.id,
        process: one.process,
        f: one.call.f,
        key: one.key,
        value: one.input,
      },
    },
    {
      at: one.start + one.length + (one.bend === 1 ? 20 : 0),
      order: one.id + 100,
      event: {
        type: one.type,
        id: one.id,
        process: one.process,
        f: one.call.f,
        key: one.key,
        value: one.output,
      },
    },
  ])
  return History.from(events.sort((a, b) => a.at - b.at || a.order - b.order).map(({ event }) => event))
}

function operationOf(one: Planned, output: unknown): Operation {
  return {
    id: one.id,
    process: one.process,
    type: one.type,
    f: one.call.f,
    key: one.key,
    input: one.input,
    output,
    error: null,
    timedOut: null,
    invokeTime: null,
    completeTime: null,
    invokeIndex: 0,
    completeIndex: 1,
    node: null,
    faultEpoch: null,
  }
}
