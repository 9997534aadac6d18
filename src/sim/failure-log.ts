/** The failures of one run, as they are seen: with the step, the time and the process, and stacks as users want them. */
import type { Kernel } from '../kernel/kernel.ts'
import type { Failure, FailureCategory } from './failure.ts'
import { userStack } from './user-stack.ts'

/** What a failure may bring along. */
export type FailureDetails = Partial<Pick<Failure, 'stack' | 'details'>>

export class FailureLog {
  readonly all: Failure[] = []
  private readonly kernel: Kernel
  private readonly currentProcess: () => string | null

  constructor(kernel: Kernel, currentProcess: () => string | null) {
    this.kernel = kernel
    this.currentProcess = currentProcess
  }

  get isEmpty(): boolean {
    return this.all.length === 0
  }

  /** Notes a failure and ends the run after this step. */
  add(category: FailureCategory, title: string, reason: unknown, more: FailureDetails = {}): void {
    const message = reason instanceof Error ? reason.message : String(reason)
    const stack = more.stack ?? (reason instanceof Error ? (reason.stack ?? null) : null)
    this.all.push({
      category,
      title,
      message,
      step: this.kernel.step,
      timeUs: this.kernel.now,
      process: this.currentProcess(),
      stack: stack === null ? null : userStack(stack),
      details: plain(more.details),
    })
    this.kernel.stop()
  }
}

/** A copy that can be written down and sent to another thread; what cannot be copied is named. */
function plain(value: unknown): unknown {
  try {
    return value === undefined ? null : structuredClone(value)
  } catch {
    return String(value)
  }
}
