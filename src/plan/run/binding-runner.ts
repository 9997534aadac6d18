/**
 * The seam between a plan and what it runs: one runner per kind of binding, each of which turns a request into evidence.
 * A runner never judges. What goes wrong in it becomes evidence too: a run that hung, crashed or wrote something that is
 * no evidence is described, not thrown, so that the session goes on and loses nothing.
 */
import type { Evidence } from '../evidence/evidence.ts'
import type { Binding } from '../model/binding.ts'
import type { Budget, Tier } from '../model/budget.ts'

export interface RunRequest {
  readonly binding: Binding
  readonly scenario: string
  readonly arm: string
  readonly tier: Tier
  readonly budget: Budget
  readonly timeoutMs: number
  /** A negative control or a swap may stop when one of the `oracles` has found something. */
  readonly purpose: 'scenario' | 'control' | 'swap'
  /** The checkers that the scenario names: a control that something else rejects says nothing about them. */
  readonly oracles: readonly string[]
  /** The project. */
  readonly root: string
  /** An empty folder for what the run leaves behind. */
  readonly artefacts: string
  readonly logFile: string
  readonly onOutput?: (line: string) => void
}

export type BindingRunner = (request: RunRequest) => Promise<Evidence>

/** Runners by kind; a kind without one is INCONCLUSIVE-env. */
export type BindingRunners = Partial<Readonly<Record<Binding['kind'], BindingRunner>>>
