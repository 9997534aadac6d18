/**
 * The story of a failing run: the few steps a person needs to see, in order, with virtual times. It is made of the
 * published events (operations, faults, processes that came and went, the program's own events). The story of a shrunk
 * run is best: nearly everything in it matters. Lines on stdout are in the logs, not in the story; nor are tapped wires
 * and files, which are for invariants.
 */
import type { FaultEvent, PowerLossEvent, ProcessEvent, PublishedEvent } from '../sim/authoring/event-log.ts'
import type { OperationEvent } from '../sim/authoring/operations.ts'
import type { Story, StoryStep } from '../sim/campaign/result.ts'
import type { Failure } from '../sim/running/failure.ts'
import { wordsIn } from '../sim/running/last-words.ts'
import { lossesInWords } from './loss-words.ts'
import { withRepeats } from './repetition.ts'

const LONGEST = 60
const HEAD = 12

export function storyOf(events: readonly PublishedEvent[], failure: Failure | null): Story {
  const steps: StoryStep[] = []
  const teller = new Teller()
  let before: PublishedEvent | null = null
  for (const event of events) {
    if (failure !== null && event.step > failure.step) break
    if (failure !== null && event.step === failure.step && isInvocation(event)) continue // it has no part in it yet
    const found = teller.stepsOf(event)
    if (found.length === 0) continue
    if (before !== null && completes(event, before)) steps.pop()
    steps.push(...found)
    before = event
  }
  if (failure !== null) steps.push(violationStep(failure))
  const rows = collapsed(steps)
  if (rows.length <= LONGEST) return { steps: rows, omitted: 0, head: 0 }
  const tail = rows.slice(rows.length - (LONGEST - HEAD))
  return { steps: [...rows.slice(0, HEAD), ...tail], omitted: rows.length - LONGEST, head: HEAD }
}

/** What was published in each step, in the words of a story, with what processes wrote to stderr. */
export function wordsByStep(events: readonly PublishedEvent[]): (readonly [step: number, words: string])[] {
  const teller = new Teller()
  return events.flatMap(({ step, name, ...event }) => {
    const told = teller.stepsOf({ step, name, ...event }).map(({ text }) => [step, text] as const)
    return name === 'stderr' ? [...told, [step, `stderr: ${line(event.data)}`] as const] : told
  })
}

/** Collapses repeated steps, such as a client's polling, into one with a count. */
function collapsed(steps: readonly StoryStep[]): StoryStep[] {
  return withRepeats(
    steps,
    (a, b) => a.who === b.who && a.kind === b.kind && shapeOf(a) === shapeOf(b),
    ({ violation }) => violation,
  ).map(({ row, times, last }) => (times === 1 ? row : { ...row, repeats: { times, untilUs: last.timeUs } }))
}

/** A process that crashes again and again is one round with a count, although its boots have numbers. */
function shapeOf({ kind, text }: StoryStep): string {
  return kind === 'process' ? text.replace(/ \(boot \d+\)$/, '') : text
}

function isInvocation({ name, data }: PublishedEvent): boolean {
  return name === 'operation' && (data as OperationEvent).type === 'invoke'
}

/** An operation is one line if nothing came between its two halves, and two lines otherwise. */
function completes(event: PublishedEvent, before: PublishedEvent): boolean {
  if (event.name !== 'operation' || before.name !== 'operation') return false
  const [end, begin] = [event.data as OperationEvent, before.data as OperationEvent]
  return begin.type === 'invoke' && end.type !== 'invoke' && begin.id === end.id
}

/** Turns events into steps, one after another, and remembers what a later one needs. */
class Teller {
  private readonly open = new Map<number, OperationEvent>()
  /** What each process has written to stderr since its boot. */
  private readonly said = new Map<string, string[]>()

  stepsOf(event: PublishedEvent): StoryStep[] {
    const { timeUs, source, name } = event
    switch (name) {
      case 'operation':
        return [operationStep(timeUs, event.data as OperationEvent, this.open)]
      case 'fault':
        return faultSteps(timeUs, event.data as FaultEvent)
      case 'power-loss':
        return lossesInWords((event.data as PowerLossEvent).lost).map((text) => {
          return { timeUs, who: source, text, kind: 'loss', violation: false }
        })
      case 'process':
        return this.processSteps(timeUs, event.data as ProcessEvent)
      case 'stderr':
        this.said.set(source, [...(this.said.get(source) ?? []), event.data as string])
        return []
      case 'stdout':
      case 'phase':
      case 'wire':
      case 'file':
        return []
      default:
        return [{ timeUs, who: source, text: `${name} ${line(event.data)}`, kind: 'event', violation: false }]
    }
  }

  private processSteps(timeUs: number, data: ProcessEvent): StoryStep[] {
    const { process, change, boot, code, signal, ordered } = data
    const words = line(wordsIn(this.said.get(process) ?? []))
    if (change === 'boot') {
      this.said.delete(process)
      if (boot <= 1) return []
      return [{ timeUs, who: process, text: `boots again (boot ${boot})`, kind: 'process', violation: false }]
    }
    if (ordered) return [] // the fault that ordered it has its own line
    const how = signal === null ? `code ${code}` : signal
    const text = `exits by itself, ${how}${words === '' || code === 0 ? '' : `: ${words}`}`
    return [{ timeUs, who: process, text, kind: 'process', violation: false }]
  }
}

/** The end of a reboot is the line of the process that boots again; a fault that lasts no time has no end. */
function faultSteps(timeUs: number, { change, fault }: FaultEvent): StoryStep[] {
  const who = 'nemesis'
  if (change === 'begin') return [{ timeUs, who, text: fault.text, kind: 'fault', violation: false }]
  if (fault.endUs === fault.beginUs || fault.family === 'reboot') return []
  return [{ timeUs, who, text: `${fault.text}: over`, kind: 'heal', violation: false }]
}

function operationStep(
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
