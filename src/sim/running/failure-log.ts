/**
 * The failures of one run, with the step, the time and the process at which each was seen, and with stacks as users want
 * them. What was thrown decides the category where it says that the run cannot be judged: a feature that the tank lacks,
 * or a mistake in the simulation's own code.
 */
import type { Kernel } from '../../kernel/kernel.ts'
import { isUnsupported } from '../../kernel/errors.ts'
import { programStack } from '../../node/bare.ts'
import { signatureOf, type Failure, type FailureCategory } from './failure.ts'
import { isMistake, mistakeText } from './mistake.ts'

/** What a failure may bring along. */
export interface FailureDetails extends Partial<Pick<Failure, 'stack' | 'details'>> {
  /** What a checker calls it. */
  readonly anomaly?: string
}

export class FailureLog {
  readonly all: Failure[] = []
  private readonly kernel: Kernel
  private readonly currentProcess: () => string | null
  private readonly currentOperation: () => string | null

  /** `currentOperation` gives the kind of the operation that ended in this step. */
  constructor(
    kernel: Kernel,
    currentProcess: () => string | null,
    currentOperation: () => string | null = () => null,
  ) {
    this.kernel = kernel
    this.currentProcess = currentProcess
    this.currentOperation = currentOperation
  }

  get isEmpty(): boolean {
    return this.all.length === 0
  }

  /** Notes a failure and ends the run after this step. */
  add(category: FailureCategory, title: string, reason: unknown, more: FailureDetails = {}): void {
    const [judged, message] = judge(category, reason)
    const stack = more.stack ?? (reason instanceof Error ? (reason.stack ?? null) : null)
    this.all.push({
      category: judged,
      title,
      message,
      signature: signatureOf(
        { category: judged, title, message },
        more.anomaly ?? null,
        this.currentOperation(),
      ),
      step: this.kernel.step,
      timeUs: this.kernel.now,
      process: this.currentProcess(),
      stack: stack === null ? null : programStack(stack),
      details: plain(more.details),
    })
    this.kernel.stop()
  }
}

/** Categories of failures that come from the simulation's own code. */
const OWN_CODE: ReadonlySet<FailureCategory> = new Set<FailureCategory>(['invariant', 'check', 'workload'])

function judge(category: FailureCategory, reason: unknown): [category: FailureCategory, message: string] {
  if (isUnsupported(reason)) return ['unsupported', unsupportedText((reason as Error).message)]
  if (OWN_CODE.has(category) && isMistake(reason)) return ['mistake', mistakeText(reason)]
  return [category, reason instanceof Error ? reason.message : String(reason)]
}

/** Every message about a feature that the tank lacks ends with a way out. */
export function unsupportedText(message: string): string {
  const hasWayOut = /externals:|Use |; use /.test(message)
  return hasWayOut
    ? message
    : `${message}. docs/fidelity.md lists what is simulated; externals replaces a module`
}

/** A copy that can be written down and sent to another thread; what cannot be copied is named. */
function plain(value: unknown): unknown {
  try {
    return value === undefined ? null : structuredClone(value)
  } catch {
    return String(value)
  }
}
