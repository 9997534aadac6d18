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

/** Clients ask one of three servers, or the next one where that one does not answer. */
function majority(failsOver: boolean): SimulationDefinition {
  const families = { 'clock-jump': { everyMs: 200, chance: 1, durationMs: [10, 20] } } as const
  return {
    processes: {
      server: {
        count: 3,
        run: (_process, node) => {
          const http = node.require('node:http') as typeof Http
          http.createServer((_request, response) => response.end('hello')).listen(8080)
        },
      },
    },
    workload: {
      clients: 1,
      operations: 1,
      spanMs: 0,
      run: () => new Promise((resolve) => setTimeout(resolve, 1000)),
      final: ({ operation, hosts }) =>
        operation('get', async () => {
          for (;;)
            for (const host of failsOver ? hosts.server : hosts.server.slice(0, 1)) {
              const signal = AbortSignal.timeout(500)
              const answer = await fetch(`http://${host}:8080/`, { signal }).catch(() => null)
              if (answer !== null) return answer.text()
            }
        }),
    },
    invariants: { 'all is well': () => true },
    limits: { settleVirtualMs: 5000 },
    budget: { unhealed: 1 },
    levels: { sunny: { windowMs: [500, 500], families } },
  }
}

describe('after the storm, with a budget that lets a process stay broken', () => {
  const SEEDS = Array.from({ length: 30 }, (_, i) => i + 1)

  it('a system that makes progress without it holds', async () => {
    let broken = 0
    for (const seed of SEEDS) {
      const { result, faults } = await runInline(majority(true), seed)
      expect(result.failure).toBeNull()
      if (faults.some(({ text }) => text.endsWith('for good'))) broken++
    }
    expect(broken).toBeGreaterThan(5) // half of all seeds: a miss with a probability below 10^-4
  })

  it('a system that needs it fails, and the message says what stays broken and who waits', async () => {
    const messages: string[] = []
    for (const seed of SEEDS) {
      const { result } = await runInline(majority(false), seed)
      if (result.failure !== null) messages.push(`${result.failure.category}: ${result.failure.message}`)
    }
    expect(messages.length).toBeGreaterThan(0)
    for (const message of messages)
      expect(message).toMatch(
        /^unsettled: no answer within 5000 virtual ms after the core was healed \(stays broken: .*server1.* for good\): client 0 for get since \d+ ms/,
      )
  })
})
