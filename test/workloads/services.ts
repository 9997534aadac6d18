/**
 * Toy services for the ready workloads: one process that does each operation at once, and the same with one bug. They
 * are the negative controls of the kit: a checker that accepts the broken one checks nothing.
 */
import type * as Http from 'node:http'
import type { ProcessDefinition } from '../../src/index.ts'

export interface Request {
  readonly f: string
  readonly key?: unknown
  readonly input?: unknown
  readonly client?: number
}

/** Thrown by a service: the operation did not happen. */
class Refused extends Error {}

type Service = (request: Request) => unknown

/** Every nth call. */
function nth(n: number): () => boolean {
  let calls = 0
  return () => ++calls % n === 0
}

type MicroOperation = readonly [string, number, unknown]

/** A register per key; a broken one gives the value before the last write. */
function registers(broken: boolean): Service {
  const values = new Map<unknown, unknown[]>()
  const versions = (key: unknown): unknown[] => values.get(key) ?? values.set(key, [null]).get(key)!
  return ({ f, key, input }) => {
    const all = versions(key)
    if (f === 'read') return all.at(broken ? -2 : -1) ?? null
    if (f === 'cas') {
      const [from, to] = input as [number, number]
      if (all.at(-1) !== from && !broken) return false
      all.push(to)
      return true
    }
    all.push(input)
    return null
  }
}

/** A list of elements; a broken one drops every fifth. */
function elements(broken: boolean): Service {
  const list: unknown[] = []
  const drops = nth(5)
  return ({ f, input }) => {
    if (f === 'read') return list
    if (!drops() || !broken) list.push(input)
    return null
  }
}

function counter(broken: boolean): Service {
  let value = 0
  const twice = nth(3)
  return ({ f, input }) => {
    if (f === 'read') return value
    value += (input as number) * (twice() && broken ? 2 : 1)
    return null
  }
}

function queue(broken: boolean): Service {
  const list: unknown[] = []
  const keeps = nth(3)
  return ({ f, input }) => {
    if (f === 'enqueue') return void list.push(input)
    return (keeps() && broken && list.length > 1 ? list[0] : list.shift()) ?? null
  }
}

/** A broken one puts every fourth element in front. */
function log(broken: boolean): Service {
  const list: unknown[] = []
  const front = nth(4)
  return ({ f, input }) => {
    if (f === 'read') return list
    if (front() && broken) list.unshift(input)
    else list.push(input)
    return null
  }
}

/** A lock with fencing tokens; a broken one is given to any client that asks. */
function lock(broken: boolean): Service {
  let holder: number | undefined
  let token = 0
  return ({ f, client }) => {
    if (f === 'acquire') {
      if (holder !== undefined && !broken) throw new Refused('held')
      holder = client
      return ++token
    }
    if (holder !== client) throw new Refused('not yours')
    holder = undefined
    return null
  }
}

function ids(broken: boolean): Service {
  let next = 0
  return () => (broken ? next++ % 10 : next++)
}

/** Accounts a, b and c with 10 each; in a broken one every third transfer loses the money. */
function bank(broken: boolean): Service {
  const balances: Record<string, number> = { a: 10, b: 10, c: 10 }
  const loses = nth(3)
  return ({ f, input }) => {
    if (f === 'read') return balances
    const { from, to, amount } = input as { from: string; to: string; amount: number }
    if (balances[from] < amount) throw new Refused('not enough money')
    balances[from] -= amount
    if (!loses() || !broken) balances[to] += amount
    return null
  }
}

/** Transactions one after the other; a broken one reads what was there before the last change. */
function transactions(broken: boolean): Service {
  const values = new Map<number, unknown[]>()
  const versions = (key: number): unknown[] => values.get(key) ?? values.set(key, [null]).get(key)!
  return ({ input }) =>
    (input as MicroOperation[]).map(([kind, key, value]) => {
      const all = versions(key)
      if (kind === 'r') return [kind, key, all.at(broken ? -2 : -1) ?? null]
      all.push(kind === 'w' ? value : [...((all.at(-1) as unknown[] | null) ?? []), value])
      return [kind, key, value]
    })
}

export const SERVICES = { registers, elements, counter, queue, log, lock, ids, bank, transactions }

/** The service as a process that answers POST requests. */
export function served(name: keyof typeof SERVICES, broken: boolean): ProcessDefinition {
  return {
    run: (_process, node) => {
      const service = SERVICES[name](broken)
      const http = node.require('node:http') as typeof Http
      const server = http.createServer((request, response) => {
        let body = ''
        request.on('data', (chunk) => void (body += String(chunk)))
        request.on('end', () => {
          try {
            response.end(JSON.stringify({ value: service(JSON.parse(body) as Request) ?? null }))
          } catch (error) {
            if (!(error instanceof Refused)) throw error
            response.end(JSON.stringify({ refused: error.message }))
          }
        })
      })
      server.listen(80)
    },
  }
}
