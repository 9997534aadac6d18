/**
 * The story of a failing run: the few steps a person needs to see, in order, with virtual times. It is told from the
 * published events (operations, faults, processes that came and went, the program's own events), best of a shrunk run,
 * where hardly anything is left that does not matter. Lines on stdout are in the logs, not in the story.
 */
import type { FaultRecord } from '../faults/fault-record.ts'
import type { PublishedEvent } from './event-log.ts'
import type { Failure } from './failure.ts'
import type { OperationEvent } from './operations.ts'

export type StoryKind = 'operation' | 'fault' | 'heal' | 'process' | 'event' | 'violation'

export interface StoryStep {
  readonly timeUs: number
  readonly who: string
  readonly text: string
  readonly kind: StoryKind
  /** The step at which the promise was seen broken. */
  readonly violation: boolean
}

export interface Story {
  readonly steps: readonly StoryStep[]
  /** Steps left out of the middle of a long story. */
  readonly omitted: number
  /** Number of steps at the beginning, before the omitted ones. */
  readonly head: number
}

/** What a `process` event carries. */
export interface ProcessEvent {
  readonly process: string
  readonly change: 'boot' | 'exit' | 'pause' | 'resume' | 'off'
  readonly boot: number
  readonly code: number | null
  readonly signal: string | null
  /** Whether a fault or the simulation ordered it. */
  readonly ordered: boolean
}

/** What a `fault` event carries. */
export interface FaultEventData {
  readonly change: 'begin' | 'end'
  readonly fault: FaultRecord
}

const LONGEST = 60
const HEAD = 12

export function tellStory(events: readonly PublishedEvent[], failure: Failure | null): Story {
  const steps: StoryStep[] = []
  const open = new Map<number, { at: number; event: OperationEvent }>()
  for (const event of events) {
    if (failure !== null && event.step > failure.step) break
    const step = tell(event, open, steps)
    if (step !== null) steps.push(step)
  }
  if (failure !== null) steps.push(violationStep(failure))
  if (steps.length <= LONGEST) return { steps, omitted: 0, head: 0 }
  const tail = steps.slice(steps.length - (LONGEST - HEAD))
  return { steps: [...steps.slice(0, HEAD), ...tail], omitted: steps.length - LONGEST, head: HEAD }
}

function tell(
  event: PublishedEvent,
  open: Map<number, { at: number; event: OperationEvent }>,
  steps: readonly StoryStep[],
): StoryStep | null {
  const { timeUs, source, name } = event
  switch (name) {
    case 'operation':
      return tellOperation(timeUs, event.data as OperationEvent, open, steps.length)
    case 'fault': {
      const { change, fault } = event.data as FaultEventData
      if (change === 'end' && fault.endUs === fault.beginUs) return null
      const kind = change === 'begin' ? 'fault' : 'heal'
      return {
        timeUs,
        who: 'nemesis',
        text: change === 'begin' ? fault.text : `${fault.text}: over`,
        kind,
        violation: false,
      }
    }
    case 'process':
      return tellProcess(timeUs, event.data as ProcessEvent)
    case 'stdout':
    case 'stderr':
    case 'phase':
      return null
    default:
      return { timeUs, who: source, text: `${name} ${show(event.data)}`, kind: 'event', violation: false }
  }
}

/** An operation that nothing came between is told in one line; else its two halves are told apart. */
function tellOperation(
  timeUs: number,
  operation: OperationEvent,
  open: Map<number, { at: number; event: OperationEvent }>,
  at: number,
): StoryStep {
  const who = `client ${operation.client}`
  const { f, key, value } = operation
  const what = key === null ? f : `${f} ${show(key)}`
  if (operation.type === 'invoke') {
    open.set(operation.id, { at, event: operation })
    const text = value === null ? what : `${what} ${show(value)}`
    return { timeUs, who, text: `${text} …`, kind: 'operation', violation: false }
  }
  const begun = open.get(operation.id)?.event
  const asked = begun === undefined || begun.value === null ? what : `${what} ${show(begun.value)}`
  open.delete(operation.id)
  const answer =
    operation.type === 'ok' ? (value === null && asked !== what ? 'ok' : show(value)) : outcome(operation)
  return { timeUs, who, text: `${asked} → ${answer}`, kind: 'operation', violation: false }
}

function outcome(operation: OperationEvent): string {
  const why = operation.error === null ? '' : ` (${show(operation.error)})`
  return operation.type === 'fail' ? `did not happen${why}` : `unknown${why}`
}

function tellProcess(timeUs: number, data: ProcessEvent): StoryStep | null {
  const { process, change, boot, code, signal, ordered } = data
  if (change === 'boot') {
    if (boot <= 1) return null
    return { timeUs, who: process, text: `boots again (boot ${boot})`, kind: 'process', violation: false }
  }
  if (change !== 'exit' || (ordered && signal === null && code === 0)) return null
  if (ordered) return null // the fault that ordered it is told already
  const how = signal === null ? `code ${code}` : signal
  return { timeUs, who: process, text: `exits by itself, ${how}`, kind: 'process', violation: false }
}

function violationStep(failure: Failure): StoryStep {
  const who = failure.process ?? failure.category
  return { timeUs: failure.timeUs, who, text: failure.message, kind: 'violation', violation: true }
}

const LONGEST_VALUE = 80

/** A value in a line: strings bare, the rest as JSON, long ones cut. */
function show(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text
}
