/**
 * The MAELSTROM REPORT: what a person wants to know of a test, at the end of it. Convergence is in rounds of the mean
 * latency against ⌈log2 n⌉, the bound of gossip; without latency or elements there is nothing to compare.
 */
import type { LoggedOperation } from './running/operation-log.ts'
import type { Results } from './running/results.ts'
import type { TestSettings } from './running/settings.ts'
import type { TestRun } from './running/test.ts'

const NANOSECONDS_PER_MS = 1e6
const MOST_FINDINGS = 8
/** Faults of nodes of one kind. */
const SHOWN_PER_KIND = 2

export function reportText(
  settings: TestSettings,
  { results, operations }: Pick<TestRun, 'results' | 'operations'>,
  again: string,
): string {
  const { workload, stats } = results
  const nemesis = settings.nemesis.length === 0 ? 'none' : settings.nemesis.join(', ')
  const verdict = { true: 'PASS', false: 'FAIL', unknown: 'UNKNOWN' }[String(results['valid?'])]
  const count = (name: string): number => Number(stats[name] ?? 0)
  const outcome = `${count('ok-count')} ok, ${count('fail-count')} failed, ${count('info-count')} unknown`
  const perOperation = results.net.servers['msgs-per-op'].toFixed(2)
  return [
    'MAELSTROM REPORT',
    `  workload      ${settings.workload}`,
    `  nodes         ${settings.nodes.length}`,
    `  duration      ${settings.timeLimitSeconds} s`,
    `  operations    ${count('count')} (${outcome})`,
    `  nemesis       ${nemesis}`,
    `  messages      ${results.net.all['msg-count']}, ${perOperation} per operation between servers`,
    `  result        ${verdict}${results.interrupted === true ? ' (interrupted)' : ''}`,
    ...elements(workload),
    ...latency(operations),
    ...stableAfter(workload),
    ...convergence(settings, workload),
    ...(typeof workload.stricter === 'string' ? [`  stricter      ${workload.stricter}`] : []),
    ...anomalies(results),
    `  again         ${again}`,
    '',
  ].join('\n')
}

function elements(workload: Results['workload']): string[] {
  const attempts = workload['attempt-count']
  if (typeof attempts !== 'number') return []
  const share = (name: string): string => {
    const count = Number(workload[name])
    return `${count} (${attempts === 0 ? '0' : ((100 * count) / attempts).toFixed(1)} %)`
  }
  return [`  lost          ${share('lost-count')}`, `  stable        ${share('stable-count')}`]
}

function stableLatencies(workload: Results['workload']): Record<string, number> | null {
  return (workload['stable-latencies'] ?? null) as Record<string, number> | null
}

/** Of operations that succeeded, from their invocation to their completion. */
function latency(operations: readonly LoggedOperation[]): string[] {
  const begun = new Map<LoggedOperation['process'], number>()
  const latencies: number[] = []
  for (const { process, type, time } of operations) {
    if (type === 'invoke') begun.set(process, time)
    else if (type === 'ok') latencies.push((time - begun.get(process)!) / NANOSECONDS_PER_MS)
  }
  if (latencies.length === 0) return []
  latencies.sort((a, b) => a - b)
  const at = (share: number): string => {
    const index = Math.min(latencies.length - 1, Math.floor(latencies.length * share))
    return `${Number(latencies[index].toPrecision(3))} ms`
  }
  return [`  latency       p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, all ${at(1)}`]
}

function stableAfter(workload: Results['workload']): string[] {
  const latencies = stableLatencies(workload)
  if (latencies === null) return []
  const { '0.5': p50, '0.95': p95, '0.99': p99, '1': max } = latencies
  return [`  stable after  p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms, all ${max} ms`]
}

function convergence({ latencyMs, nodes }: TestSettings, workload: Results['workload']): string[] {
  const latencies = stableLatencies(workload)
  if (latencies === null || latencyMs === 0) return []
  const rounds = Math.ceil(latencies['1'] / latencyMs)
  const bound = Math.ceil(Math.log2(nodes.length))
  const compared = rounds <= bound ? 'WITHIN BOUND' : 'EXCEEDS BOUND'
  return [`  convergence   ${rounds} rounds of ${latencyMs} ms; ⌈log2 n⌉ is ${bound}: ${compared}`]
}

/** The first faults of each kind, and how many there were; nodes that did the same stand together. */
function conduct({ errors, counts }: Results['nodes']): string[] {
  return Object.entries(counts).flatMap(([kind, count]) => {
    const nodesOf = new Map<string, string[]>()
    for (const { node, text } of errors.filter((error) => error.kind === kind))
      nodesOf.set(text, [...(nodesOf.get(text) ?? []), node])
    const shown = [...nodesOf].slice(0, SHOWN_PER_KIND)
    const lines = shown.map(([text, nodes]) => `${kind}: ${[...new Set(nodes)].join(', ')} ${text}`)
    const told = shown.reduce((sum, [, nodes]) => sum + nodes.length, 0)
    return told === count ? lines : [...lines, `${kind}: ${count} in all`]
  })
}

function anomalies({ workload, nodes, stats, availability, 'valid?': valid }: Results): string[] {
  if (valid === true) return []
  const found = [...conduct(nodes), ...(workload.findings ?? [])]
  if (stats['valid?'] !== true) found.push('stats: some function of the workload never succeeded')
  if (availability['valid?'] === false)
    found.push(`availability: only ${availability['ok-fraction']} of the operations succeeded`)
  if (found.length === 0) return []
  const shown = found.slice(0, MOST_FINDINGS).map((each) => `    ${each.replaceAll('\n', '\n      ')}`)
  const left = found.length - shown.length
  return ['  anomalies', ...shown, ...(left > 0 ? [`    and ${left} more in results.json`] : [])]
}
