/**
 * Evidence from a campaign of a simulation. The tank records every column of the history but `node_seen`, which only the
 * client knows; its clock is virtual; a fault has landed if its family counted a victim. An assertion
 * `sometimes(…, 'nemesis: <id>')` that was true is the landing signal of that nemesis, stated in code.
 */
import type { CampaignResult, Story } from '../../sim/campaign/result.ts'
import type { Failure } from '../../sim/running/failure.ts'
import { HISTORY_FIELDS } from '../model/history-fields.ts'
import {
  EVIDENCE_VERSION,
  type Evidence,
  type EvidenceFault,
  type Oracle,
  type Violation,
} from './evidence.ts'

const SIGNAL = /^nemesis:\s*(\S+)/

export function evidenceFromCampaign(result: CampaignResult): Evidence {
  const { operations, level, name, runtime } = result
  const total = operations.reduce((sum, { ok, fail, info }) => sum + ok + fail + info, 0)
  return {
    version: EVIDENCE_VERSION,
    kind: 'evidence',
    source: { kind: 'simulation', what: `${name} at level ${level}`, versions: { ...runtime } },
    ended: 'completed',
    environment: { missing: [], facts: {} },
    operations: operations.map((row) => ({ ...row })),
    history: {
      operations: total,
      truncated: false,
      clock: 'virtual',
      reusedIds: 0,
      outputsOfTimeouts: 0,
      fields: Object.fromEntries(
        HISTORY_FIELDS.map((field) => [field, field === 'node_seen' ? 'absent' : 'recorded']),
      ),
    },
    oracles: oraclesOf(result, total),
    faults: [...faultsOf(result), ...signalsOf(result)],
    seeds: seedsOf(result),
    violations: violationsOf(result),
    wallMs: result.wallMs,
    simulatedMs: result.simulatedUs / 1000,
    level,
    iterations: null,
    recovery: recoveryOf(result),
    topologies: [],
    controls: [],
    notes: [...result.reasons],
  }
}

/** Invariants are called after every step with all events: they see every operation. */
function oraclesOf(result: CampaignResult, total: number): Oracle[] {
  const broken = new Set(result.bugs.map(({ category, title }) => `${category}: ${title}`))
  const oracle = (kind: Oracle['kind'], name: string, checks: number): Oracle => ({
    name: `${kind}: ${name}`,
    kind,
    verdict: broken.has(`${kind}: ${name}`) ? 'invalid' : checks === 0 ? 'unknown' : 'valid',
    checks,
    operations: kind === 'invariant' ? total : null,
    ignored: kind === 'invariant' ? 0 : null,
    when: 'during',
    reason: null,
  })
  return [
    ...result.invariants.map(({ name, checks }) => oracle('invariant', name, checks)),
    ...result.checkers.map((row) => ({
      name: `checker: ${row.name}`,
      kind: 'checker' as const,
      verdict: row.verdict,
      checks: row.checks,
      operations: row.operations,
      ignored: row.ignored,
      when: 'end' as const,
      reason: row.reason,
    })),
    ...result.assertions
      .filter(({ kind }) => /^(always|unreachable)/.test(kind))
      .map(({ message, reached }) => oracle('assertion', message, reached)),
  ]
}

function faultsOf({ faults }: CampaignResult): EvidenceFault[] {
  return faults.flatMap(({ family, injected, landed, victims, kinds }) => {
    const signal = `${victims} signals counted by the world at the victims`
    const whole = { nemesis: family, injected, landed, victimSignals: victims, signal }
    const parts = Object.entries(kinds ?? {}).map(([kind, times]) => ({
      nemesis: `${family}/${kind}`,
      injected: times,
      landed: times,
      victimSignals: times,
      signal: `${times} processes or hosts went down`,
    }))
    return [whole, ...parts]
  })
}

function signalsOf({ assertions }: CampaignResult): EvidenceFault[] {
  return assertions.flatMap(({ kind, message, reached, passed }) => {
    const nemesis = SIGNAL.exec(message)?.[1]
    if (nemesis === undefined || !kind.startsWith('sometimes')) return []
    return [
      {
        nemesis,
        injected: reached,
        landed: passed,
        victimSignals: passed,
        signal: `"${message}" was true ${passed} times`,
      },
    ]
  })
}

function seedsOf({ seeds, failures, verified }: CampaignResult): Evidence['seeds'] {
  const failing = new Set(seeds.failing)
  const unjudged = new Set([
    ...verified.differing,
    ...failures.filter(({ failure }) => isUnjudged(failure)).map(({ seed }) => seed),
  ])
  return Array.from({ length: seeds.count }, (_, index) => {
    const seed = seeds.first + index
    return { seed, outcome: unjudged.has(seed) ? 'unjudged' : failing.has(seed) ? 'violated' : 'held' }
  })
}

/** Failures that say that a run could not be judged. */
function isUnjudged({ category }: Pick<Failure, 'category'>): boolean {
  return category === 'unsupported' || category === 'mistake' || category === 'divergence'
}

/** Mistakes in the simulation's own code: they say nothing about the system, and the harness must be mended. */
function isOfHarness({ category }: Pick<Failure, 'category'>): boolean {
  return category === 'workload' || category === 'mistake'
}

/** The bugs of a campaign, as evidence. The caller replays the artefacts and counts the reruns. */
function violationsOf(result: CampaignResult): Violation[] {
  return result.bugs
    .filter((bug) => !isUnjudged(bug) || isOfHarness(bug))
    .map((bug) => {
      const artefact = result.artefacts.find(({ signature }) => signature === bug.signature)
      return {
        signature: bug.signature,
        message: bug.message,
        origin: isOfHarness(bug) ? ('harness' as const) : ('oracle' as const),
        seed: bug.seeds[0] ?? null,
        seeds: bug.count,
        reruns: { tried: 0, failedAgain: 0 },
        reproducer: artefact?.replay ?? null,
        artefact: artefact?.file ?? null,
        story: artefact === undefined ? [] : storyLines(artefact.story),
        shrunk: null,
      }
    })
}

/** A seed without failure went through storm, healing, settling and its last operations. */
function recoveryOf({ seeds, failures, faults }: CampaignResult): Evidence['recovery'] {
  if (faults.every(({ landed }) => landed === 0)) return null
  const stuck = failures.some(({ failure }) =>
    /^(unsettled|deadlock|livelock|time-budget|step-budget|stuck)$/.test(failure.category),
  )
  return { completed: !stuck && seeds.failing.length < seeds.count, tookMs: null }
}

/** `2.700s  nemesis  power loss at kv`, as a report can quote it. */
function storyLines({ steps, omitted, head }: Story): string[] {
  const who = Math.max(...steps.map((step) => step.who.length))
  const lines = steps.map((step) => {
    const times = step.repeats === undefined ? '' : ` × ${step.repeats.times}`
    return `${(step.timeUs / 1_000_000).toFixed(3).padStart(8)}s  ${step.who.padEnd(who)}  ${step.violation ? '← ' : ''}${step.text}${times}`
  })
  return omitted === 0 ? lines : [...lines.slice(0, head), `… ${omitted} steps …`, ...lines.slice(head)]
}
