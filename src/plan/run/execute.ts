/**
 * Executes a plan: probes the environment, runs what has no evidence yet, writes a finding after every scenario and a
 * report after each. It decides nothing: verdicts come from `verdict/`, texts from `findings/`. A scenario whose plan has
 * gaps is handed back instead of run; improvising an oracle would make the result worthless.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../kernel/errors.ts'
import { emptyEvidence, type Evidence, type NegativeControl } from '../evidence/evidence.ts'
import { writeFindings } from '../findings/write-findings.ts'
import { lintPlan, problemsOf } from '../lint/lint.ts'
import type { Project } from '../lint/lint-context.ts'
import type { Problem } from '../markdown/problem.ts'
import type { PlanDocument } from '../markdown/read-plan.ts'
import { printBinding, type Binding } from '../model/binding.ts'
import { DEFAULT_TIMEOUT_MS, type Budget } from '../model/budget.ts'
import type { Arm, Plan, Scenario } from '../model/plan.ts'
import { givenBudget } from '../verdict/question.ts'
import type { BindingRunners, RunRequest } from './binding-runner.ts'
import { missingFor, probeEnvironment, type Capability } from './environment-probe.ts'
import { judgeSession, type SessionResult } from './session-result.ts'
import type { Session } from './session.ts'

export interface ExecuteOptions {
  readonly document: PlanDocument
  readonly session: Session
  readonly root: string
  readonly runners: BindingRunners
  readonly project: Project | null
  /** What of the system runs: its commit, and whether files differ from it; null if nothing says so. */
  readonly revision: string | null
  /** Now, as people write it. */
  now(): string
  onProgress(text: string): void
}

/** A log line is due for a run that lasts longer. */
const STILL_RUNNING_MS = 60_000
/** Seeds that a control gets at least: a rare bug must have a chance to show. */
const CONTROL_SEEDS = 100

export async function executePlan(options: ExecuteOptions): Promise<SessionResult> {
  const execution = new Execution(options, options.document.plan!)
  return execution.run()
}

class Execution {
  private readonly options: ExecuteOptions
  private readonly plan: Plan
  private readonly problems: readonly Problem[]
  /** Controls that ran in this session already: several scenarios may share one. */
  private readonly controls = new Map<string, NegativeControl>()
  private capabilities: readonly Capability[] = []

  constructor(options: ExecuteOptions, plan: Plan) {
    this.options = options
    this.plan = plan
    this.problems = lintPlan(options.document, options.project)
  }

  async run(): Promise<SessionResult> {
    const { session } = this.options
    this.capabilities = await probeEnvironment(this.plan.environment, this.options.root)
    this.logStart()
    for (const id of session.facts.scenarios) {
      await this.scenario(this.plan.scenarios.find((each) => each.id === id)!)
      this.writeFindings(id)
    }
    const result = this.result()
    this.log(`session verdict: ${result.verdict}`)
    return result
  }

  private result(): SessionResult {
    const { session } = this.options
    return judgeSession({
      plan: this.plan,
      session,
      problems: this.problems,
      capabilities: this.capabilities,
    })
  }

  private log(text: string): void {
    this.options.session.log(this.options.now(), text)
  }

  private logStart(): void {
    const { session } = this.options
    const { plan, planHash, tier } = session.facts
    session.logBlock(`## ${this.options.now()}: ${plan} (${planHash}) at ${tier}\n`)
    for (const { requirement, floor, version, state, hint } of this.capabilities)
      session.logBlock(
        `- ${requirement}${/\d/.test(floor) ? ` ≥ ${floor}` : ''}: ${state}${version === null ? '' : `, ${version}`}${state === 'present' ? '' : `; ${hint}`}`,
      )
    session.logBlock('')
  }

  private writeFindings(id: string): void {
    const { session } = this.options
    const result = this.result()
    writeFindings(session, result, id)
    const scenario = result.scenarios.find((each) => each.id === id)!
    this.log(`${id}: ${scenario.state} (tier met: ${scenario.tierMet ?? 'none'})`)
  }

  private async scenario(scenario: Scenario): Promise<void> {
    const gaps = problemsOf(this.problems, scenario.id)
    if (gaps.length > 0) {
      this.log(
        `${scenario.id}: handed back, the plan has gaps: ${gaps.map(({ section, line, message }) => `${section} line ${line}: ${message}`).join('; ')}`,
      )
      return
    }
    const budget = givenBudget(scenario.budgets[this.options.session.facts.tier])
    if (budget === null) {
      this.log(`${scenario.id}: the plan has no ${this.options.session.facts.tier} budget for it; not run`)
      return
    }
    for (const arm of scenario.arms) await this.arm(scenario, arm, budget)
  }

  private async arm(scenario: Scenario, arm: Arm, budget: Budget): Promise<void> {
    const { session } = this.options
    const name = `${scenario.id} ${arm.id}`
    if (session.evidenceOf(scenario.id, arm.id) !== null) {
      this.log(`${name}: done in an earlier part of this session`)
      return
    }
    for (const problem of session.unreadable(scenario.id, arm.id))
      this.log(`${name}: ${problem}; it is left there, and the arm runs again`)
    const attempt = session.newAttempt(scenario.id, arm.id)
    const missing = missingFor(this.capabilities, scenario.id)
    if (missing.length > 0) {
      const source = { kind: arm.binding.kind, what: printBinding(arm.binding), versions: {} }
      session.keepEvidence(attempt, {
        ...emptyEvidence(source, 'crashed', []),
        environment: { missing, facts: this.facts() },
      })
      this.log(
        `${name}: not started, the environment lacks ${missing.map(({ requirement }) => requirement).join(', ')}`,
      )
      return
    }
    this.log(`${name}: \`${printBinding(arm.binding)}\` begins`)
    const evidence = await this.bound(scenario, arm.id, arm.binding, budget, 'scenario', attempt)
    const isWorthIt = evidence.ended === 'completed' && evidence.environment.missing.length === 0
    const controls = isWorthIt
      ? [...evidence.controls, ...(await this.runControls(scenario, attempt))]
      : evidence.controls
    const whole = {
      ...evidence,
      controls,
      environment: { ...evidence.environment, facts: { ...this.facts(), ...evidence.environment.facts } },
    }
    session.keepEvidence(attempt, whole)
    session.write(`metrics/${scenario.id}-${arm.id}.json`, `${JSON.stringify(metricsOf(whole), null, 2)}\n`)
    this.log(`${name}: ended (${evidence.ended}) after ${Math.round(evidence.wallMs)} ms`)
  }

  private facts(): Record<string, string> {
    const found = this.capabilities.filter(({ version }) => version !== null)
    const { revision } = this.options
    return {
      platform: `${process.platform} ${process.arch}`,
      ...(revision === null ? {} : { revision }),
      ...Object.fromEntries(found.map(({ requirement, version }) => [requirement, version!])),
    }
  }

  /** A control runs in the weather of the hardening budget, whatever the tier, and stops when an oracle of the scenario rejects it. */
  private async runControls(scenario: Scenario, attempt: string): Promise<NegativeControl[]> {
    const results: NegativeControl[] = []
    for (const [index, binding] of scenario.negativeControls.entries())
      results.push(await this.oneControl(scenario, binding, join(attempt, `control-${index + 1}`)))
    return results
  }

  private async oneControl(scenario: Scenario, binding: Binding, folder: string): Promise<NegativeControl> {
    const hard = givenBudget(scenario.budgets.hardening) ?? givenBudget(scenario.budgets.smoke)!
    const budget = { ...hard, seeds: Math.max(hard.seeds, CONTROL_SEEDS), faults: 'on' as const }
    const key = JSON.stringify([binding, budget])
    const known = this.controls.get(key)
    if (known !== undefined) return known
    this.log(`${scenario.id} control: \`${printBinding(binding)}\` begins; it must be rejected`)
    const evidence = await this.bound(scenario, 'control', binding, budget, 'control', folder)
    const result = controlOf(binding, evidence)
    this.log(
      `${scenario.id} control: ${result.detected ? `rejected by ${result.by.join(', ')}` : 'NOT rejected'}`,
    )
    this.controls.set(key, result)
    return result
  }

  private async bound(
    scenario: Scenario,
    arm: string,
    binding: Binding,
    budget: Budget,
    purpose: RunRequest['purpose'],
    attempt: string,
  ): Promise<Evidence> {
    const { session, root, now } = this.options
    const { tier } = session.facts
    const timeoutMs = budget.timeoutMs ?? DEFAULT_TIMEOUT_MS[tier]
    const request: Omit<RunRequest, 'onOutput'> = {
      binding,
      scenario: scenario.id,
      arm,
      tier,
      budget,
      timeoutMs,
      purpose,
      oracles: scenario.discipline?.checkers ?? [],
      root,
      artefacts: attempt,
      logFile: session.path('logs', `${scenario.id}-${arm}.log`),
    }
    return runBound(this.options.runners, request, {
      show: (text) => this.options.onProgress(`${scenario.id} ${arm}: ${text}`),
      stillRunning: (ms, last) =>
        session.log(
          now(),
          `${scenario.id} ${arm}: still running after ${Math.round(ms / 1000)} s of at most ${Math.round(timeoutMs / 1000)} s; ${last}`,
        ),
    })
  }
}

interface Watcher {
  show(text: string): void
  stillRunning(elapsedMs: number, lastLine: string): void
}

/** Runs a binding with progress; a kind that no runner knows is an environment that lacks it. */
export async function runBound(
  runners: BindingRunners,
  request: Omit<RunRequest, 'onOutput'>,
  watcher: Watcher,
): Promise<Evidence> {
  mkdirSync(request.artefacts, { recursive: true })
  const runner = runners[request.binding.kind]
  const source = { kind: request.binding.kind, what: printBinding(request.binding), versions: {} }
  if (runner === undefined) {
    const missing = [
      {
        requirement: `a runner for ${request.binding.kind}`,
        hint: 'this version of wavetank has none; bind a command that writes evidence',
      },
    ]
    return { ...emptyEvidence(source, 'crashed', []), environment: { missing, facts: {} } }
  }
  const begunMs = performance.now()
  let last = ''
  const timer = setInterval(() => watcher.stillRunning(performance.now() - begunMs, last), STILL_RUNNING_MS)
  const ticker = setInterval(
    () =>
      watcher.show(
        `${Math.round((performance.now() - begunMs) / 1000)} s of at most ${Math.round(request.timeoutMs / 1000)} s  ${last}`,
      ),
    250,
  )
  try {
    return await runner({ ...request, onOutput: (line) => (last = line) })
  } catch (error) {
    if (error instanceof UsageError && error.code === 'ERR_WAVETANK_SESSION') throw error // the session cannot be written: there is no place for evidence
    return emptyEvidence(source, 'crashed', [`the runner failed: ${(error as Error).message}`])
  } finally {
    clearInterval(timer)
    clearInterval(ticker)
  }
}

/** A control is rejected if an oracle found something; that it crashed or hung is no rejection. */
export function controlOf(binding: Binding, evidence: Evidence): NegativeControl {
  const invalid = evidence.oracles.filter(({ verdict }) => verdict === 'invalid').map(({ name }) => name)
  const found = evidence.violations.filter(({ origin }) => origin === 'oracle')
  const by = invalid.length > 0 ? invalid : [...new Set(found.map(({ signature }) => signature))]
  const message =
    found[0]?.message ?? (by.length > 0 ? '' : (evidence.notes[0] ?? 'it ran without a violation'))
  return { name: printBinding(binding), detected: by.length > 0, by, message }
}

function metricsOf({ operations, wallMs, simulatedMs, seeds, faults, oracles }: Evidence): unknown {
  return {
    wallMs,
    simulatedMs,
    seeds: { held: seeds.filter(({ outcome }) => outcome === 'held').length, of: seeds.length },
    operations,
    faults: faults.map(({ nemesis, injected, landed, victimSignals }) => ({
      nemesis,
      injected,
      landed,
      victimSignals,
    })),
    checks: Object.fromEntries(oracles.map(({ name, checks }) => [name, checks])),
  }
}
