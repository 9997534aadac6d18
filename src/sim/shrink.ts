/**
 * Shrinking a failing run: from big things to small ones, keeping the failure's signature. A run is its non-zero
 * choices over a base of zeros, so leaving choices out *is* simplifying: a fault episode without its choices does not
 * strike, a client's operation without them does not happen, a latency without one is the least.
 *
 * Each pass partitions the choices into groups and leaves out groups, from large chunks to single ones (delta debugging,
 * Zeller and Hildebrandt 2002). Passes go on until a whole round changes nothing: then no single fault and no single
 * operation can be left out (1-minimal), and shrinking again changes nothing (idempotent), unless the budget of runs
 * ended first.
 */
import type { Choice } from '../kernel/choices.ts'
import type { SeedExecutor, SeedJob, SeedReport } from './campaign/executor.ts'
import { signatureOf } from './failure.ts'

export interface ShrinkOptions {
  readonly maxRuns: number
  readonly onProgress?: (runs: number, choices: number) => void
}

export interface Shrunk {
  /** The job that runs the shrunk failure. */
  readonly job: SeedJob
  readonly report: SeedReport
  /** Non-zero choices before and after. */
  readonly before: number
  readonly after: number
  /** Fault episodes that are left. */
  readonly faults: number
  readonly runs: number
  /** False when the budget ended before nothing more could be left out. */
  readonly minimal: boolean
}

type Grouping = (choice: Choice) => string | null

const PASSES: readonly Grouping[] = [
  // fault episodes
  (choice) => (/^(nemesis|buggify|knob) /.test(choice.entity) ? choice.entity : null),
  // whole clients, then single operations
  (choice) => /^client \d+/.exec(choice.entity)?.[0] ?? null,
  (choice) => /^client \d+ operation #\d+/.exec(choice.entity)?.[0] ?? null,
  // sizes of groups, swarm coins
  (choice) => (/^(processes|clients|swarm|chaos)/.test(choice.entity) ? choice.entity : null),
  // everything else by entity, then every choice
  (choice) => choice.entity,
  (choice) => `${choice.entity}\u0000${choice.label}`,
  (choice) => `${choice.entity}\u0000${choice.label}\u0000${choice.index}`,
]

export async function shrink(
  executor: SeedExecutor,
  failing: SeedJob,
  options: ShrinkOptions,
): Promise<Shrunk> {
  return new Shrinker(executor, failing, options).run()
}

class Shrinker {
  private readonly executor: SeedExecutor
  private readonly failing: SeedJob
  private readonly options: ShrinkOptions
  private runs = 0
  private signature = ''
  private best!: SeedReport

  constructor(executor: SeedExecutor, failing: SeedJob, options: ShrinkOptions) {
    this.executor = executor
    this.failing = failing
    this.options = options
  }

  async run(): Promise<Shrunk> {
    this.best = await this.executor.run({ ...this.failing, keepChoices: true })
    const { failure } = this.best.result
    if (failure === null) throw new Error('shrink: the run does not fail')
    this.signature = signatureOf(failure)
    const before = this.best.choices.length
    let progress = true
    while (progress && this.runs < this.options.maxRuns) {
      progress = false
      for (const grouping of PASSES) if (await this.leaveOut(grouping)) progress = true
      if (await this.lowerValues()) progress = true
    }
    const { choices } = this.best
    const faults = new Set(choices.filter(isStrike).map((choice) => choice.entity)).size
    return {
      job: this.jobOf(choices),
      report: this.best,
      before,
      after: choices.length,
      faults,
      runs: this.runs,
      minimal: !progress,
    }
  }

  /** Leaves out groups of choices: halves first, then smaller chunks, at last single groups. */
  private async leaveOut(grouping: Grouping): Promise<boolean> {
    let progress = false
    for (let size = groupsOf(this.best.choices, grouping).length; size >= 1; size = Math.floor(size / 2)) {
      for (let from = 0; ;) {
        const groups = groupsOf(this.best.choices, grouping)
        if (from >= groups.length || this.runs >= this.options.maxRuns) break
        const without = new Set(groups.slice(from, from + size))
        const kept = this.best.choices.filter((choice) => !without.has(grouping(choice) ?? ''))
        if (await this.attempt(kept)) progress = true
        else from += size
      }
    }
    return progress
  }

  /** Halves values that cannot be zero: earlier faults, shorter pauses, smaller numbers. */
  private async lowerValues(): Promise<boolean> {
    let progress = false
    for (let i = 0; i < this.best.choices.length; i++) {
      for (;;) {
        const choice = this.best.choices[i]
        if (choice === undefined || choice.value <= 1 || this.runs >= this.options.maxRuns) break
        const lower = { ...choice, value: Math.floor(choice.value / 2) }
        if (!(await this.attempt(this.best.choices.with(i, lower)))) break
        progress = true
      }
    }
    return progress
  }

  /** Runs a candidate; keeps it if it fails alike and is simpler. */
  private async attempt(choices: readonly Choice[]): Promise<boolean> {
    this.runs++
    const report = await this.executor.run(this.jobOf(choices))
    const { failure } = report.result
    if (failure === null || signatureOf(failure) !== this.signature || !simpler(report, this.best))
      return false
    this.best = report
    this.options.onProgress?.(this.runs, report.choices.length)
    return true
  }

  private jobOf(choices: readonly Choice[]): SeedJob {
    return { ...this.failing, base: 'zero', overrides: choices, misfit: 'bend', keepChoices: true }
  }
}

/** The groups in order of their first choice. */
function groupsOf(choices: readonly Choice[], grouping: Grouping): string[] {
  const groups = new Set<string>()
  for (const choice of choices) {
    const group = grouping(choice)
    if (group !== null) groups.add(group)
  }
  return [...groups]
}

/** Fewer faults, then fewer operations, then fewer choices, then smaller values. */
function simpler(a: SeedReport, b: SeedReport): boolean {
  const weights = [a, b].map(({ choices }) => [
    choices.filter(isStrike).length,
    choices.filter((choice) => choice.label === 'happens').length,
    choices.length,
    choices.reduce((sum, choice) => sum + choice.value, 0),
  ])
  for (const [i, weight] of weights[0].entries()) if (weight !== weights[1][i]) return weight < weights[1][i]
  return false
}

function isStrike(choice: Choice): boolean {
  return choice.label === 'strike' || choice.entity.startsWith('buggify ')
}
