/**
 * The causal slice of a schedule: the steps from which the failing step can be reached along happens-before edges, and
 * nothing else (Lanese and Vidal's slicing for message-passing programs, adapted). The edges: the step that scheduled a
 * step (spawn, timer set → fired, promise resolved → continuation, message sent → delivered), the previous step of the same
 * task, and the last conflicting access of the same shared thing.
 */
import { slice } from '../../kernel/slice.ts'
import type { ScheduleStep } from '../running/recording.ts'

/** The steps that causally reach any of `ends`: the failing step, and whatever else is known to matter. */
export function sliceSchedule(schedule: readonly ScheduleStep[], ...ends: readonly number[]): ScheduleStep[] {
  const byStep = new Map(schedule.map((row) => [row.step, row]))
  const previous = programOrder(schedule)
  const conflicts = conflictOrder(schedule)
  const { steps } = slice(ends, (step) => {
    const row = byStep.get(step)
    return row === undefined ? null : [row.cause, previous.get(step) ?? 0, ...(conflicts.get(step) ?? [])]
  })
  return steps.map((step) => byStep.get(step)!)
}

/** Step → the previous step of its task. */
function programOrder(schedule: readonly ScheduleStep[]): Map<number, number> {
  const last = new Map<string, number>()
  const previous = new Map<number, number>()
  for (const { step, task } of schedule) {
    const before = last.get(task)
    if (before !== undefined) previous.set(step, before)
    last.set(task, step)
  }
  return previous
}

/** Step → the accesses that it conflicts with, the latest of each kind: a read after the last write; a write after both. */
function conflictOrder(schedule: readonly ScheduleStep[]): Map<number, number[]> {
  const lastWrite = new Map<string, number>()
  const readsSince = new Map<string, number[]>()
  const conflicts = new Map<number, number[]>()
  for (const { step, access } of schedule) {
    if (access === null) continue
    const { resource, write } = access
    const before = lastWrite.get(resource)
    const found = before === undefined ? [] : [before]
    if (write) {
      found.push(...(readsSince.get(resource) ?? []))
      lastWrite.set(resource, step)
      readsSince.set(resource, [])
    } else {
      const reads = readsSince.get(resource) ?? []
      reads.push(step)
      readsSince.set(resource, reads)
    }
    conflicts.set(step, found)
  }
  return conflicts
}
