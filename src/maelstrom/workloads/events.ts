/** Invocations and completions as Jepsen's operation maps, for results that quote them. Times are nanoseconds. */
import type { Operation } from '../../history/operation.ts'

export interface OperationMap {
  readonly index: number
  readonly time: number | null
  readonly type: 'invoke' | Operation['type']
  readonly process: Operation['process']
  readonly f: string
  readonly value: unknown
  readonly 'final?'?: true
}

export function invocation({ process, f, input, invokeIndex, invokeTime }: Operation): OperationMap {
  const value = input === 'final' ? null : input
  return {
    index: invokeIndex,
    time: nanoseconds(invokeTime),
    type: 'invoke',
    process,
    f,
    value,
    ...mark(input),
  }
}

/** The invocation of an operation that never ended. */
export function completion(operation: Operation): OperationMap {
  const { process, type, f, input, output, completeIndex, completeTime } = operation
  if (completeIndex === null) return invocation(operation)
  const value = type === 'ok' && output !== null ? output : invocation(operation).value
  return { index: completeIndex, time: nanoseconds(completeTime), type, process, f, value, ...mark(input) }
}

function mark(input: unknown): { 'final?'?: true } {
  return input === 'final' ? { 'final?': true } : {}
}

function nanoseconds(microseconds: number | null): number | null {
  return microseconds === null ? null : Math.round(microseconds * 1000)
}
