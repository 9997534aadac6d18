/** `wavetank plan race`: explores a race without its test runner, once per seed, and writes the evidence. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RaceFinding } from '../../explore/finding/finding.ts'
import { macrotask } from '../../explore/running/macrotask.ts'
import { rerun, type RaceProgram } from '../../explore/running/program.ts'
import { exploreProgram } from '../../explore/search/exploration.ts'
import { raceProgram } from '../../explore/search/race-file.ts'
import { VERSION } from '../../failures/version.ts'
import { hostClock } from '../../host/host-clock.ts'
import { UsageError } from '../../kernel/errors.ts'
import { evidenceFromExplorations, type Exploration } from '../../plan/evidence/from-exploration.ts'
import { raceTarget } from '../../plan/model/binding.ts'
import { absentRunner } from '../../runners/absent-runner.ts'
import { raceHost } from '../../runners/race-host.ts'
import type { PlanOptions } from './command.ts'

const DEFAULT_SEEDS = 3
const DEFAULT_ITERATIONS = 100

export async function race(
  subject: string,
  { seeds = DEFAULT_SEEDS, iterations = DEFAULT_ITERATIONS, output }: PlanOptions,
): Promise<number> {
  const target = raceTarget(subject)
  if (target === null)
    throw new UsageError('ERR_WAVETANK_ARGUMENTS', `plan race: expected FILE › TITLE, and got "${subject}"`)
  const file = resolve(target.file)
  if (!existsSync(file))
    throw new UsageError('ERR_WAVETANK_NO_RACE', `plan race: there is no file ${target.file}`)
  const runner = await absentRunner(readFileSync(file, 'utf8'))
  const host = raceHost(() => runner)
  const program = raceProgram(file, target.title, {}, host.tank(file))
  const begunMs = hostClock.nowMs()
  const explorations: Exploration[] = []
  let reproducer: string | null = null
  for (let seed = 1; seed <= seeds; seed++) {
    const exploration = await exploreOnce(program, target.title, seed, iterations)
    explorations.push(exploration)
    process.stderr.write(
      `seed ${seed}: ${exploration.finding === null ? exploration.result!.summary : exploration.finding.failure.message}\n`,
    )
    if (exploration.finding !== null) reproducer ??= host.keep(file, exploration.finding, {})
  }
  const evidence = evidenceFromExplorations(explorations, {
    target: subject,
    versions: { node: process.version, wavetank: VERSION },
    wallMs: Math.round(hostClock.nowMs() - begunMs),
    iterations,
    reproducer,
  })
  const text = `${JSON.stringify(evidence, null, 2)}\n`
  if (output === undefined) process.stdout.write(text)
  else writeFileSync(output, text)
  return evidence.violations.length > 0 ? 1 : 0
}

/** Counts the schedules on their way, and those in which something overtook something. */
async function exploreOnce(
  inner: RaceProgram,
  title: string,
  seed: number,
  iterations: number,
): Promise<Exploration> {
  const counts = { schedules: 0, preempted: 0 }
  let isCounting = true
  const program: RaceProgram = Object.assign(
    (schedule: Parameters<RaceProgram>[0]) => {
      const run = inner(schedule)
      if (isCounting) {
        counts.schedules++
        if (run.choices.some(({ entity, value }) => entity === 'schedule' && value !== 0)) counts.preempted++
        isCounting = run.failure === null // what follows a failure is its investigation
      }
      return run
    },
    inner.sweep === undefined ? {} : { sweep: inner.sweep },
  )
  const exploration = await exploreProgram(program, {
    title,
    seed,
    iterations,
    budgetWallMs: Infinity,
    jobs: 1,
    clock: () => hostClock.nowMs(),
  })
  if (exploration.kind === 'found') {
    const { finding } = exploration
    return { seed, result: null, finding, gaps: [], ...counts, failedAgain: await failsAgain(inner, finding) }
  }
  const { kind, result } = exploration
  const gaps = kind === 'gap' ? result.gaps : []
  return { seed, result, finding: null, gaps, ...counts, failedAgain: null }
}

async function failsAgain(program: RaceProgram, { seed, choices, digest }: RaceFinding): Promise<boolean> {
  return macrotask(() => {
    const { failure, hash: again } = rerun(program, seed, choices, 'bend')
    program.sweep?.()
    return failure !== null && again === digest
  })
}
