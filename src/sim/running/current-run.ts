/**
 * The run that is on in this thread. Code in the tank reaches it through plain functions (`always`, `event`, …) that do
 * nothing where there is none, so the same program ships to production. One thread runs one seed at a time.
 */
import type { AssertionTable } from '../authoring/assertion-table.ts'
import type { EventLog } from '../authoring/event-log.ts'
import type { Failure, FailureCategory } from './failure.ts'

export interface RunScope {
  readonly assertions: AssertionTable
  readonly events: EventLog
  /** Publishes an event in the name of the process whose step is running. */
  publish(name: string, data: unknown): void
  /** Name of the simulated process whose step is running, or null between steps. */
  currentProcess(): string | null
  /** Ends the run with a failure, unless one is already known. */
  fail(
    category: FailureCategory,
    title: string,
    message: string,
    more?: Partial<Pick<Failure, 'stack' | 'details'>>,
  ): void
}

let current: RunScope | null = null

export function useRun(run: RunScope | null): void {
  current = run
}

export function currentRun(): RunScope | null {
  return current
}
