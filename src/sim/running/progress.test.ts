import type * as Http from 'node:http'
import { describe, expect, it } from 'vitest'
import type { ProcessContext } from '../../node/index.ts'
import type { SimulationDefinition } from '../authoring/definition.ts'
import { runInline } from './run.test-support.ts'

/** A server that answers every request but the third. */
function forgetful(_process: unknown, node: ProcessContext): void {
  const http = node.require('node:http') as typeof Http
  let asked = 0
  http.createServer((_request, response) => void (++asked !== 3 && response.end('hello'))).listen(8080)
}

function asking(more: Partial<SimulationDefinition['workload']> = {}): SimulationDefinition {
  return {
    processes: { server: { run: forgetful } },
    workload: {
      clients: 1,
      operations: 4,
      run: ({ operation, hosts }) =>
        operation('get', { key: 'x' }, () =>
          fetch(`http://${hosts.server[0]}:8080/`).then((answer) => answer.text()),
        ),
      ...more,
    },
    invariants: { 'all is well': () => true },
    limits: { settleVirtualMs: 5000 },
  }
}

describe('after the faults', () => {
  it('a system that does not answer within its bound fails, and the message says who waits for what', async () => {
    const { result } = await runInline(asking())
    expect(result.failure).toMatchObject({ category: 'unsettled', title: 'progress' })
    expect(result.failure!.message).toMatch(
      /^no answer within 5000 virtual ms after every fault had ended: client 0 for get of 'x' since \d+ ms$/,
    )
  })

  it('an operation with a time-out of its own has an outcome, and the run goes on', async () => {
    const { result } = await runInline(
      asking({
        run: ({ operation, hosts }) =>
          operation('get', { timeoutVirtualMs: 1000 }, () =>
            fetch(`http://${hosts.server[0]}:8080/`).then((answer) => answer.text()),
          ),
      }),
    )
    expect(result.failure).toBeNull()
    expect(result.operations).toEqual([{ f: 'get', ok: 3, fail: 0, info: 1 }])
  })
})
