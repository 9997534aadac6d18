/**
 * The story of a failing run: the few steps a person needs to see, in order, with virtual times. It is told from the
 * published events (operations, faults, processes that came and went, the program's own events), best of a shrunk run,
 * where hardly anything is left that does not matter. Lines on stdout are in the logs, not in the story; nor are tapped
 * wires and files, which are for invariants.
 */
import type { FaultRecord } from '../faults/fault-record.ts'
import { withRepeats } from '../kernel/repetition.ts'
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
  /** How often it came, alone or in a round of several, and when last; absent where it came once. */
  readonly repeats?: { readonly times: number; readonly untilUs: number }
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
  const open = new Map<number, OperationEvent>()
  let before: PublishedEvent | null = null
  for (const event of events) {
    if (failure !== null && event.step > failure.step) break
    if (failure !== null && event.step === failure.step && isInvocation(event)) continue // it has no part in it yet
    const step = tell(event, open)
    if (step === null) continue
    if (before !== null && completes(event, before)) steps.pop()
    steps.push(step)
    before = event
  }
  if (failure !== null) steps.push(violationStep(failure))
  const told = collapsed(steps)
  if (told.length <= LONGEST) return { steps: told, omitted: 0, head: 0 }
  const tail = told.slice(told.length - (LONGEST - HEAD))
  return { steps: [...told.slice(0, HEAD), ...tail], omitted: told.length - LONGEST, head: HEAD }
}

/** What comes again and again, such as a client that polls, is told once. */
function collapsed(steps: readonly StoryStep[]): StoryStep[] {
  return withRepeats(
    steps,
    (a, b) => a.who === b.who && a.text === b.text && a.kind === b.kind,
    ({ violation }) => violation,
  ).map(({ row, times, last }) => (times === 1 ? row : { ...row, repeats: { times, untilUs: last.timeUs } }))
}

function isInvocation({ name, data }: PublishedEvent): boolean {
  return name === 'operation' && (data as OperationEvent).type === 'invoke'
}

/** An operation that nothing came between is told in one line; else its two halves are told apart. */
function completes(event: PublishedEvent, before: PublishedEvent): boolean {
  if (event.name !== 'operation' || before.name !== 'operation') return false
  const [end, begin] = [event.data as OperationEvent, before.data as OperationEvent]
  return begin.type === 'invoke' && end.type !== 'invoke' && begin.id === end.id
}

function tell(event: PublishedEvent, open: Map<number, OperationEvent>): StoryStep | null {
  const { timeUs, source, name } = event
  switch (name) {
    case 'operation':
      return tellOperation(timeUs, event.data as OperationEvent, open)
    case 'fault':
      return tellFault(timeUs, event.data as FaultEventData)
    case 'process':
      return tellProcess(timeUs, event.data as ProcessEvent)
    case 'stdout':
    case 'stderr':
    case 'phase':
    case 'wire':
    case 'file':
      return null
    default:
      return { timeUs, who: source, text: `${name} ${line(event.data)}`, kind: 'event', violation: false }
  }
}

/** The end of a reboot is told by the process that boots again, and what lasts no time has no end. */
function tellFault(timeUs: number, { change, fault }: FaultEventData): StoryStep | null {
  const who = 'nemesis'
  if (change === 'begin') return { timeUs, who, text: fault.text, kind: 'fault', violation: false }
  if (fault.endUs === fault.beginUs || fault.family === 'reboot') return null
  return { timeUs, who, text: `${fault.text}: over`, kind: 'heal', violation: false }
}

function tellOperation(
  timeUs: number,
  operation: OperationEvent,
  open: Map<number, OperationEvent>,
): StoryStep {
  const who = `client ${operation.client}`
  const { f, key, value } = operation
  const what = key === null ? f : `${f} ${line(key)}`
  if (operation.type === 'invoke') {
    open.set(operation.id, operation)
    const text = value === null ? what : `${what} ${line(value)}`
    return { timeUs, who, text: `${text} …`, kind: 'operation', violation: false }
  }
  const begun = open.get(operation.id)
  const asked = begun === undefined || begun.value === null ? what : `${what} ${line(begun.value)}`
  open.delete(operation.id)
  const answer =
    operation.type !== 'ok' ? outcome(operation) : value === null && asked !== what ? 'ok' : line(value)
  return { timeUs, who, text: `${asked} → ${answer}`, kind: 'operation', violation: false }
}

function outcome(operation: OperationEvent): string {
  const why = operation.error === null ? '' : ` (${line(operation.error)})`
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

/** A value in a line: strings bare, long ones cut. */
function line(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text
}
