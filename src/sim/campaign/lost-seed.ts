/**
 * A seed whose thread did not come back with a report: a callback did not return, the thread ran out of memory, or it
 * died. Such a seed has a result of its own, made from what is known outside the thread: the last step, and whose callback
 * came next.
 *
 * `stuck` is a violation: a callback that does not return is the program's. The other two are not judged. The limit on
 * memory and the thread are the tank's own, so the seed says nothing about the system.
 */
import { DEFAULT_BUDGET } from '../../faults/budget.ts'
import { signatureOf } from '../running/failure.ts'
import type { SeedResult } from './result.ts'
import type { SeedJob, SeedReport } from './executor.ts'

export type LossCategory = 'stuck' | 'out-of-memory' | 'crashed'

/** How a thread was lost, and at which step. */
export interface LostThread {
  readonly lost: LossCategory
  /** What is known of the reason; empty if nothing is. */
  readonly why: string
  /** The last step that it made. */
  readonly lastStep: number
}

/** The limits of a thread, as messages name them. */
export interface ThreadLimits {
  readonly stuckWallMs: number
  readonly memoryMb: number
}

export function isLost({ result }: SeedReport): boolean {
  return isLossCategory(result.failure?.category)
}

export function isLossCategory(category: string | undefined): category is LossCategory {
  return category === 'stuck' || category === 'out-of-memory' || category === 'crashed'
}

/** `before` is a report of the same seed, stopped after its last step; null if that run was lost too. */
export function lostReport(
  job: SeedJob,
  thread: LostThread,
  before: SeedReport | null,
  limits: ThreadLimits,
): SeedReport {
  const { lost: category, lastStep } = thread
  const process = before?.nextActor ?? null
  const base: SeedResult = before?.result ?? emptyResult(job.seed)
  const title = process ?? category
  const message = lossText(thread, process, limits)
  return {
    hashes: null,
    choices: before?.choices ?? [],
    program: before?.program ?? {},
    nextActor: process,
    account: null,
    result: {
      ...base,
      steps: lastStep,
      failure: {
        category,
        title,
        message,
        signature: signatureOf({ category, title, message }),
        step: lastStep + 1,
        timeUs: base.timeUs,
        process,
        stack: null,
        details: null,
      },
    },
  }
}

export function lossText(
  { lost, why, lastStep }: LostThread,
  process: string | null,
  limits: ThreadLimits,
): string {
  const who = process === null ? 'a callback' : `a callback of ${process}`
  const where = `(step ${lastStep + 1})`
  switch (lost) {
    case 'stuck':
      return `${who} did not return within ${limits.stuckWallMs / 1000} s ${where}: a synchronous loop without end?`
    case 'out-of-memory':
      return `the thread ran out of memory in ${who} ${where}: its limit is ${limits.memoryMb} MB; memoryMb raises it`
    case 'crashed':
      return `the thread died in ${who} ${where}: ${why}`
  }
}

function emptyResult(seed: number): SeedResult {
  return {
    seed,
    failure: null,
    others: [],
    steps: 0,
    timeUs: 0,
    digest: '',
    choices: 0,
    processes: 0,
    boots: 0,
    exits: { ordered: 0, finished: 0, crashed: 0, restarts: 0, crashes: [] },
    operations: [],
    outcomes: [],
    isJudged: false,
    allowGaps: [],
    invariants: [],
    checkers: [],
    assertions: [],
    situations: {},
    asked: [],
    budget: { ...DEFAULT_BUDGET, forbids: [] },
    faults: [],
  }
}
