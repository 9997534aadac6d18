/**
 * lin-kv: a linearizable key-value store. Threads work in groups of twice the nodes, each group on one key: half of it
 * reads, the others write and compare-and-set, one to two. A key is done when 20 processes have worked on it.
 */
import { linearizable } from '../../checkers/linearizable/index.ts'
import { casRegister } from '../../checkers/linearizable/models/index.ts'
import { independent } from '../../history/independent.ts'
import { keyText } from '../../history/value.ts'
import { UsageError } from '../../kernel/errors.ts'
import type { Decisions } from '../decisions.ts'
import { LIN_KV } from '../protocol/rpcs.ts'
import { findings, validity } from './judgement.ts'
import { linearizableKey } from './linearizable-configurations.ts'
import type { Generator, Workload, WorkloadSettings } from './workload.ts'

const VALUES = 5
const PROCESSES_PER_KEY = 20
const LEAST_TIMEOUT_MS = 1000
const LATENCIES_PER_TIMEOUT = 10

export const linKv: Workload = {
  rpcs: LIN_KV,
  idempotent: new Set(['read']),
  reusable: true,
  timeoutMs: ({ latencyMs }) => Math.max(LATENCIES_PER_TIMEOUT * latencyMs, LEAST_TIMEOUT_MS),
  verify({ nodes, concurrency }) {
    if (concurrency % (2 * nodes.length) === 0) return
    throw new UsageError(
      'ERR_WAVETANK_ARGUMENTS',
      `wavetank maelstrom test: lin-kv works on each key with twice as many clients as nodes: --concurrency must be a multiple of ${2 * nodes.length} (--concurrency 2n), not ${concurrency}`,
    )
  },
  generator,
  async invoke({ rpc }, { f, value }) {
    const [key, argument] = value as [unknown, unknown]
    if (f === 'read') return [key, (await rpc({ type: 'read', key })).value]
    if (f === 'write') await rpc({ type: 'write', key, value: argument })
    else {
      const [from, to] = argument as [unknown, unknown]
      await rpc({ type: 'cas', key, from, to })
    }
    return value
  },
  check(whole) {
    const history = independent(whole)
    const result = linearizable(history, casRegister(), { partition: 'key' })
    const drawn = { 'valid?': true }
    const parts = result.parts.length > 0 ? result.parts : [result]
    const results = parts.map((part) => [
      keyText(part.details.key ?? 0),
      { linearizable: linearizableKey(part, history), timeline: drawn, 'valid?': validity(part) },
    ])
    return {
      'valid?': validity(result),
      results: Object.fromEntries(results),
      failures: result.details.failingKeys ?? [],
      ...findings(result),
    }
  },
}

interface Group {
  key: number
  readonly processes: Set<number>
}

function generator({ nodes }: WorkloadSettings, decisions: Decisions): Generator {
  const size = 2 * nodes.length
  const groups = new Map<number, Group>()
  let nextKey = 0
  return ({ thread, process }) => {
    const index = Math.floor(thread / size)
    let group = groups.get(index)
    if (group !== undefined && !group.processes.has(process) && group.processes.size >= PROCESSES_PER_KEY)
      group = undefined
    if (group === undefined) groups.set(index, (group = { key: nextKey++, processes: new Set() }))
    group.processes.add(process)
    const { key } = group
    if (thread % size < nodes.length) return { f: 'read', value: [key, null] }
    const value = (): number => decisions.below(VALUES, 'generator')
    return decisions.below(3, 'generator') === 0
      ? { f: 'write', value: [key, value()] }
      : { f: 'cas', value: [key, [value(), value()]] }
  }
}
