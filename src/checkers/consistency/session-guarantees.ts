/**
 * The four session guarantees of Terry et al. (1994), for reads and writes of unique values, over all keys. Each says what
 * the server that answers a read must know (see session-knowledge.ts) and in which order the writes of a key stand:
 *
 * - read your writes: what a session wrote is known to its later reads;
 * - monotonic reads: what it read is known to its later reads;
 * - monotonic writes: a write is known only together with the earlier writes of its session, and comes after them;
 * - writes follow reads: a write is known only together with what its session had read before, and comes after it.
 *
 * A read sees the last write of its key among those that it knows, or the initial value if it knows none. A set of
 * guarantees holds when some order of each key's writes agrees with that. Guarantees may be innocent alone and contradict
 * each other together: a reply that is seen without its post breaks monotonic reads and writes follow reads only
 * together. What is reported is every smallest set that cannot hold.
 */
import type { History } from '../../history/history.ts'
import { Budget, type BudgetOptions } from '../budget.ts'
import { checkOptions, LIMIT_OPTIONS, listOf, type OptionSchema } from '../options.ts'
import type { Anomaly, CheckResult } from '../result.ts'
import { answer, tooWeak, type ConsistencyDetails } from './findings.ts'
import { clockBytes, MAX_CLOCK_ENTRIES } from './precedence.ts'
import {
  idOf,
  nameOf,
  REGISTER_GRAPH_OPTIONS,
  registerGraph,
  type RegisterGraph,
  type RegisterGraphOptions,
} from './register-graph.ts'
import { Knowledge, sessionsOf } from './session-knowledge.ts'
import { contradiction, type Contradiction } from './write-order.ts'

export type SessionGuarantee =
  'read-your-writes' | 'monotonic-reads' | 'monotonic-writes' | 'writes-follow-reads'

export const SESSION_GUARANTEES: readonly SessionGuarantee[] = [
  'read-your-writes',
  'monotonic-reads',
  'monotonic-writes',
  'writes-follow-reads',
]

export interface SessionGuaranteeOptions extends RegisterGraphOptions, BudgetOptions {
  /** All four by default. */
  readonly guarantees?: readonly SessionGuarantee[]
}

export const SESSION_GUARANTEE_OPTIONS: OptionSchema<SessionGuaranteeOptions> = {
  ...REGISTER_GRAPH_OPTIONS,
  guarantees: listOf(SESSION_GUARANTEES)('which of the four; all by default'),
  ...LIMIT_OPTIONS,
}

export interface SessionGuaranteeDetails extends ConsistencyDetails {
  /** Every smallest set of guarantees that cannot hold. */
  readonly broken: readonly (readonly SessionGuarantee[])[]
}

export function sessionGuarantees(
  history: History,
  options: SessionGuaranteeOptions = {},
): CheckResult<SessionGuaranteeDetails> {
  checkOptions('session-guarantees', SESSION_GUARANTEE_OPTIONS, options)
  const { guarantees = SESSION_GUARANTEES } = options
  const graph = registerGraph(history, options)
  if (typeof graph === 'string') return tooWeak('session-guarantees', history, graph)
  if (graph.count * graph.sessions * 4 > MAX_CLOCK_ENTRIES)
    return tooWeak('session-guarantees', history, 'there are too many sessions')
  const sessions = sessionsOf(graph)
  const anomalies: Anomaly[] = [...graph.thinAir]
  const broken: SessionGuarantee[][] = []
  const budget = Budget.of(options)
  budget.within(clockBytes(graph) * 2, () => {
    for (const set of subsets(guarantees)) {
      if (broken.some((smaller) => smaller.every((guarantee) => set.includes(guarantee)))) continue
      const knowledge = new Knowledge(graph, sessions, set, budget)
      const found = contradiction(graph, sessions, knowledge, set, budget)
      if (found === null) continue
      broken.push(set)
      anomalies.push(violation(graph, knowledge, set, found))
    }
  })
  const method = 'what each read must know, then cycles of write orders, O(n s)'
  const result = answer('session-guarantees', history, graph, anomalies, method, budget.reason)
  return { ...result, details: { ...result.details, broken } }
}

/** Non-empty subsets, smaller ones first. */
function subsets(guarantees: readonly SessionGuarantee[]): SessionGuarantee[][] {
  const all: SessionGuarantee[][] = []
  for (let bits = 1; bits < 1 << guarantees.length; bits++)
    all.push(guarantees.filter((_, i) => (bits & (1 << i)) !== 0))
  return all.sort((a, b) => a.length - b.length)
}

function violation(
  graph: RegisterGraph,
  knowledge: Knowledge,
  set: readonly SessionGuarantee[],
  found: Contradiction,
): Anomaly {
  const name = (node: number): string => nameOf(graph, node)
  const nodes: number[] = []
  const must = (reader: number, write: number): string => {
    const way = knowledge.wayTo(reader, write)
    nodes.push(...way)
    const between = way.slice(1, -1).map(name)
    return between.length === 0
      ? `must know ${name(write)}`
      : `must know ${name(write)}, by ${between.join(', ')}`
  }
  const steps =
    found.kind === 'initial'
      ? [`${name(found.reader)} saw the initial value and ${must(found.reader, found.known)}`]
      : found.steps.map(({ from, to, reader }) => {
          nodes.push(from, to)
          return reader === null
            ? `${name(from)} comes before ${name(to)}, whose session did or saw it first`
            : `${name(from)} comes before ${name(to)}, because ${name(reader)} saw the latter and ${must(reader, from)}`
        })
  return {
    type: set.join('+'),
    message: `${set.join(' and ')} cannot ${set.length === 1 ? 'hold' : 'hold together'}: ${steps.join('; ')}: a contradiction`,
    operations: [...new Set(nodes.map((node) => idOf(graph, node)))],
    details: { guarantees: set },
  }
}
