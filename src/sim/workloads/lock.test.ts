/** The identity of a lock's holder is the client, as the service knows it, whatever became of its last operation. */
import { describe, expect, it } from 'vitest'
import type { CheckResult } from '../../checkers/result.ts'
import { History } from '../../history/history.ts'
import type { HistoryEvent } from '../../history/operation.ts'
import type { CheckContext, ClientContext } from '../authoring/definition.ts'
import { lock } from './objects.ts'

type Step = readonly [process: number, f: 'acquire' | 'release', outcome: 'ok' | 'info']

/** What the workload says of operations of three clients, one after the other. */
function judged(steps: readonly Step[]): string {
  const workload = lock({ connect: () => null, acquire: () => {}, release: () => {} })
  for (const client of [0, 1, 2]) void workload.open!({ client } as ClientContext)
  const events = steps.flatMap(([process, f, outcome], i): HistoryEvent[] => [
    { type: 'invoke', process, f, value: null, time: i * 1000 },
    { type: outcome, process, f, value: null, time: i * 1000 + 500 },
  ])
  const context = { history: History.from(events) } as unknown as CheckContext
  return (workload.check!(context) as CheckResult).verdict
}

describe('the ready workload of a lock', () => {
  it('lets a client release what it holds after an operation of unknown outcome', () => {
    expect(
      judged([
        [2, 'acquire', 'ok'],
        [2, 'acquire', 'info'], // the client goes on as process 5
        [5, 'release', 'ok'],
        [0, 'acquire', 'ok'],
      ]),
    ).toBe('valid')
  })

  it('still finds two holders', () => {
    expect(
      judged([
        [2, 'acquire', 'ok'],
        [2, 'acquire', 'info'],
        [0, 'acquire', 'ok'],
      ]),
    ).toBe('invalid')
  })

  it('takes nothing for held that an unknown release may still let go', () => {
    expect(
      judged([
        [2, 'acquire', 'ok'],
        [2, 'release', 'info'],
        [5, 'acquire', 'ok'],
        [0, 'acquire', 'ok'],
      ]),
    ).toBe('valid')
  })
})
