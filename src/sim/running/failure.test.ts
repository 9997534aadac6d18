import { describe, expect, it } from 'vitest'
import { signatureOf, type FailureCategory } from './failure.ts'

const of = (category: FailureCategory, message: string, operation: string | null = null): string =>
  signatureOf({ category, title: 'x', message }, null, operation)

describe('the signature of a failure', () => {
  it('is the words of its message, whatever the operation and the values', () => {
    expect(of('invariant', 'k1 is 3, but must be 4', 'get')).toBe('invariant: x (# is #, but must be #)')
    expect(of('invariant', 'k9 is 1, but must be 2', 'cas')).toBe(
      of('invariant', 'k1 is 3, but must be 4', 'get'),
    )
    expect(of('check', 'lost 3')).not.toBe(of('check', 'done twice: 3'))
  })

  it('is the kind of operation if the message has no words', () => {
    expect(of('invariant', "'x' does not hold", 'get')).toBe('invariant: x (get)')
    expect(of('invariant', '3 > 2', 'cas')).toBe('invariant: x (cas)')
    expect(of('invariant', "'x' does not hold")).toBe('invariant: x')
  })

  it('is the name of a checker’s anomaly', () => {
    const failure = { category: 'checker', title: 'register', message: 'the register held 5' } as const
    expect(signatureOf(failure, 'stale-read')).toBe('checker: register (stale-read)')
  })

  it('has no message of a detector', () => {
    expect(of('deadlock', 'kv1 waits for kv2')).toBe('deadlock: x')
  })
})
