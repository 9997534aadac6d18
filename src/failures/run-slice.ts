/**
 * The causal slice of a failing run of a simulation: the steps that lead to the failure, for people. It begins with the
 * failing step and with the operations that the failure is about, and follows
 *
 * - calls and messages: the step that set a timer, sent a packet, asked for a file;
 * - files: the last change of a file that a step reads;
 * - processes: the boot in which a step ran, and the exit or the fault before that boot.
 *
 * It does not follow what a process keeps in memory, or it would have to keep everything that a process ever did. Steps
 * before a failure that matter by way of memory only are in `wavetank trace --all`.
 */
import type { CheckResult } from '../checkers/result.ts'
import { slice } from '../kernel/slice.ts'
import type { FaultEvent, ProcessEvent, PublishedEvent } from '../sim/authoring/event-log.ts'
import type { OperationEvent } from '../sim/authoring/operations.ts'
import type { Failure } from '../sim/running/failure.ts'
import type { RecordedStep } from '../sim/running/step-recorder.ts'

/** The turns of clients, which follow each other without being each other's reason. */
const CLIENTS = 'workload'

/** Operations on one key that are followed, the last ones, if the failure does not name its operations. */
const OPERATIONS = 8

export function runSlice(
  steps: readonly RecordedStep[],
  events: readonly PublishedEvent[],
  failure: Failure,
): readonly number[] {
  const byStep = new Map(steps.map((row) => [row.step, row]))
  const files = fileOrder(steps)
  const lives = lifeOrder(steps, events)
  const ends = [failure.step, ...operationSteps(events, failure)]
  return slice(ends, (step) => {
    const row = byStep.get(step)
    if (row === undefined) return null
    if (row.kind === CLIENTS) return lives.get(step) ?? []
    return [row.cause, ...row.links, ...(files.get(step) ?? []), ...(lives.get(step) ?? [])]
  }).steps
}

/** The ends of the operations that a failure is about. */
function operationSteps(events: readonly PublishedEvent[], failure: Failure): number[] {
  const operations = events
    .filter(({ name, step }) => name === 'operation' && step <= failure.step)
    .map(({ step, data }) => ({ step, ...(data as OperationEvent) }))
  const named = new Set(operationsOf(failure))
  if (named.size > 0) return operations.filter(({ id }) => named.has(id)).map(({ step }) => step)
  const ended = operations.filter(({ type }) => type !== 'invoke')
  const last = ended.at(-1)
  if (last?.step === failure.step) {
    const alike = ended.filter(({ key }) => JSON.stringify(key) === JSON.stringify(last.key))
    return alike.slice(-OPERATIONS).map(({ step }) => step)
  }
  if (failure.category !== 'check') return []
  const keyed = ended.filter(({ key }) => key !== null && mentions(failure.message, key))
  return (keyed.length > 0 ? keyed : ended).map(({ step }) => step)
}

/** The operations in the anomaly that a checker found. */
function operationsOf({ category, details }: Failure): readonly number[] {
  if (category !== 'checker' || details === null || typeof details !== 'object') return []
  return (details as CheckResult).anomalies?.[0]?.operations ?? []
}

function mentions(message: string, key: unknown): boolean {
  const text = typeof key === 'string' ? key : JSON.stringify(key)
  return message.split(/[^\p{L}\p{N}_.:/-]+/u).includes(text)
}

const RENAME = /^\S+ (.+) → (.+)$/

/** Step → the last changes of the files that it touches. */
function fileOrder(steps: readonly RecordedStep[]): Map<number, number[]> {
  const changed = new Map<string, number>()
  const order = new Map<number, number[]>()
  for (const { step, access, what } of steps) {
    if (access === null || !access.resource.startsWith('disk ')) continue
    const disk = access.resource.split('/', 1)[0]
    const names = RENAME.exec(what)?.slice(1) ?? [access.resource.slice(disk.length + 1)]
    const files = names.map((name) => `${disk}/${name.slice(name.lastIndexOf('/') + 1)}`)
    order.set(
      step,
      files.flatMap((file) => changed.get(file) ?? []),
    )
    if (access.write) for (const file of files) changed.set(file, step)
  }
  return order
}

interface LifeChange {
  readonly step: number
  readonly process: string
  readonly change: ProcessEvent['change']
}

/** Boots and exits; a fault that hits a process counts as its end. */
function changesIn({ name, step, data }: PublishedEvent): LifeChange[] {
  if (name === 'process') return [{ step, ...(data as ProcessEvent) }]
  if (name !== 'fault') return []
  const { change, fault } = data as FaultEvent
  if (change !== 'begin' || fault.group !== 'process') return []
  return fault.targets.map((process) => ({ step, process, change: 'exit' }))
}

/** Step → the boot of its process; boot → the end of the boot before. */
function lifeOrder(steps: readonly RecordedStep[], events: readonly PublishedEvent[]): Map<number, number[]> {
  const changes = events.flatMap(changesIn)
  const order = new Map<number, number[]>()
  const booted = new Map<string, number>()
  const ended = new Map<string, number>()
  let next = 0
  for (const { step, actor } of steps) {
    for (; next < changes.length && changes[next].step <= step; next++) {
      const { change, process, step: at } = changes[next]
      if (change === 'exit') ended.set(process, at)
      else {
        booted.set(process, at)
        order.set(at, [...(order.get(at) ?? []), ...(ended.has(process) ? [ended.get(process)!] : [])])
      }
    }
    const boot = booted.get(actor)
    if (boot !== undefined && boot !== step) order.set(step, [...(order.get(step) ?? []), boot])
  }
  return order
}
