/**
 * What the schedules of an exploration have shown together: whether there was anything to decide, which `t.sometimes` was
 * ever true, and how the tasks ended at best. Schedules that hold say little if they never came to the point: a gap is a
 * reason to say so instead of "hold".
 */
import type { RaceRunResult } from '../running/race-run.ts'
import type { Task } from '../running/tasks.ts'

export interface Coverage {
  /** Decisions between several ready events, in all schedules together. */
  readonly contested: number
  /** Whether each `t.sometimes` was ever true, by its message. */
  readonly sometimes: Readonly<Record<string, boolean>>
  /** The best end of each task in any schedule, by its name; without the body's own. */
  readonly tasks: Readonly<Record<string, Task['state']>>
}

export const NO_COVERAGE: Coverage = { contested: 0, sometimes: {}, tasks: {} }

const RANK: Readonly<Record<Task['state'], number>> = { running: 0, failed: 1, done: 2 }

export class CoverageTally {
  private contested = 0
  private readonly sometimes = new Map<string, boolean>()
  private readonly tasks = new Map<string, Task['state']>()

  /** A run that its strategy has abandoned shows nothing. */
  addRun({ abandoned, contested, sometimes, tasks }: RaceRunResult): void {
    if (abandoned) return
    this.contested += contested
    if (sometimes !== null) for (const [message, seen] of sometimes) this.see(message, seen)
    for (let i = 1; i < tasks.length; i++) this.end(tasks[i].name, tasks[i].state)
  }

  add({ contested, sometimes, tasks }: Coverage): void {
    this.contested += contested
    for (const [message, seen] of Object.entries(sometimes)) this.see(message, seen)
    for (const [name, state] of Object.entries(tasks)) this.end(name, state)
  }

  get coverage(): Coverage {
    const { contested } = this
    return {
      contested,
      sometimes: Object.fromEntries(this.sometimes),
      tasks: Object.fromEntries(this.tasks),
    }
  }

  private see(message: string, seen: boolean): void {
    if (seen || !this.sometimes.has(message)) this.sometimes.set(message, seen)
  }

  private end(name: string, state: Task['state']): void {
    const best = this.tasks.get(name)
    if (best === undefined || RANK[state] > RANK[best]) this.tasks.set(name, state)
  }
}

/** Why schedules that did not fail are not enough; empty if they are. */
export function gapsOf({ sometimes, tasks }: Coverage): string[] {
  const gaps = Object.keys(sometimes)
    .filter((message) => !sometimes[message])
    .map((message) => `t.sometimes was never true: ${message}`)
  const names = Object.keys(tasks)
  if (names.length > 0 && names.every((name) => tasks[name] === 'failed'))
    gaps.push(`every task failed in every schedule: ${names.join(', ')}`)
  return gaps
}

/** Tasks that did not end in any schedule. */
export function neverEnded({ tasks }: Coverage): string[] {
  return Object.keys(tasks).filter((name) => tasks[name] === 'running')
}
