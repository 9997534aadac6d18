/** The report of a seed whose thread had to be killed: what is known of it from outside. */
import type { SeedResult } from '../result.ts'
import type { SeedJob, SeedReport } from './executor.ts'

type Report = Omit<SeedReport, 'lane'>

export function stuckReport(job: SeedJob, lastStep: number, before: Report | null, stuckMs: number): Report {
  const process = before?.nextActor ?? null
  const who = process === null ? 'a callback' : `a callback of ${process}`
  const base: SeedResult = before?.result ?? emptyResult(job.seed)
  const message = `${who} did not return within ${stuckMs / 1000} s (step ${lastStep + 1}): a synchronous loop without end?`
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
        category: 'stuck',
        title: process ?? 'stuck',
        message,
        step: lastStep + 1,
        timeUs: base.timeUs,
        process,
        stack: null,
        details: null,
      },
    },
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
    operations: [],
    invariants: [],
    checkers: [],
    assertions: [],
    faults: [],
  }
}
