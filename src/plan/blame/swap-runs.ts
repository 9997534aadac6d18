/** Runs the swaps that a scenario declares and turns their evidence into observations. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Evidence } from '../evidence/evidence.ts'
import { printBinding, type Binding } from '../model/binding.ts'
import { DEFAULT_TIMEOUT_MS } from '../model/budget.ts'
import type { Scenario } from '../model/plan.ts'
import type { BindingRunners } from '../run/binding-runner.ts'
import { runBound } from '../run/execute.ts'
import type { Session } from '../run/session.ts'
import { succeededOperations } from '../verdict/budget-met.ts'
import { givenBudget } from '../verdict/question.ts'
import { SWAPS, type Observation, type Swap } from './blame.ts'

interface SwapOptions {
  readonly scenario: Scenario
  readonly session: Session
  readonly runners: BindingRunners
  readonly root: string
  onProgress(text: string): void
}

/** The original first, then each swap. */
export async function observeSwaps(options: SwapOptions): Promise<Observation[]> {
  const { scenario } = options
  const [arm] = scenario.arms
  const baseline = await runSwap(options, 'none', arm.binding)
  const observations = [observationOf('none', arm.binding, baseline, null)]
  for (const swap of SWAPS) {
    const binding = scenario.swaps[swap]
    if (binding !== null)
      observations.push(observationOf(swap, binding, await runSwap(options, swap, binding), baseline))
  }
  const { kind } = arm.binding
  const isTank = kind === 'simulation' || kind === 'race' || baseline.history?.clock === 'virtual'
  if (isTank && scenario.swaps.host === null) observations.push(tankHost(arm.binding, baseline))
  return observations
}

async function runSwap(
  { scenario, session, runners, root, onProgress }: SwapOptions,
  swap: Swap | 'none',
  binding: Binding,
): Promise<Evidence> {
  const { tier } = session.facts
  const budget = givenBudget(scenario.budgets[tier]) ?? givenBudget(scenario.budgets.smoke)!
  const artefacts = session.path('artifacts', scenario.id, `blame-${swap}`)
  mkdirSync(artefacts, { recursive: true })
  return runBound(
    runners,
    {
      binding,
      scenario: scenario.id,
      arm: `blame-${swap}`,
      tier,
      budget,
      timeoutMs: budget.timeoutMs ?? DEFAULT_TIMEOUT_MS[tier],
      purpose: 'swap',
      oracles: [],
      root,
      artefacts: join(artefacts),
      logFile: session.path('logs', `${scenario.id}-blame-${swap}.log`),
    },
    { show: onProgress, stillRunning: () => {} },
  )
}

/** A run that did less than half of the original's work is no comparison. */
function observationOf(
  swap: Swap | 'none',
  binding: Binding,
  evidence: Evidence,
  baseline: Evidence | null,
): Observation {
  const violations = evidence.violations.filter(({ origin }) => origin === 'oracle')
  const violated = violations.length > 0 || evidence.oracles.some(({ verdict }) => verdict === 'invalid')
  if (violated && baseline !== null && isOther(swap, signatures(evidence), signatures(baseline)))
    return {
      swap,
      what: printBinding(binding),
      counts: false,
      violated,
      note: `it fails in another way, by ${signatures(evidence).join(', ')}`,
    }
  const [did, before] = [succeededOperations(evidence), baseline === null ? 0 : succeededOperations(baseline)]
  const didEnough = violated || did * 2 >= before
  const counts = evidence.ended === 'completed' && evidence.environment.missing.length === 0 && didEnough
  const note =
    violations[0]?.message ??
    (didEnough
      ? counts
        ? ''
        : (evidence.notes[0] ?? 'it did not complete')
      : `only ${did} operations succeeded, of ${before} before`)
  return { swap, what: printBinding(binding), counts, violated, note }
}

/** Another generator or host must show the same violation; another checker has names of its own. */
function isOther(swap: Swap | 'none', now: readonly string[], before: readonly string[]): boolean {
  return (swap === 'generator' || swap === 'host') && !now.some((signature) => before.includes(signature))
}

/** What broke, by name. */
function signatures({ violations, oracles }: Evidence): string[] {
  const found = violations.filter(({ origin }) => origin === 'oracle').map(({ signature }) => signature)
  const invalid = oracles.filter(({ verdict }) => verdict === 'invalid').map(({ name }) => name)
  return [...new Set([...found, ...invalid])]
}

/** A simulated run depends on no host: its replay in another process is the swap. */
function tankHost(binding: Binding, baseline: Evidence): Observation {
  const violated = baseline.violations.some(({ origin }) => origin === 'oracle')
  return {
    swap: 'host',
    what: printBinding(binding),
    counts: violated,
    violated,
    note: 'the world is simulated; a second process showed the same',
  }
}
