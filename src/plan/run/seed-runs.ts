/**
 * Runs a command once per seed of the budget, each with what is left of the time, and turns what the runs left behind
 * into one piece of evidence. A run that hangs or leaves nothing ends the loop: what was seen before is kept. Every
 * violation is run again once with its seed.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Evidence, Violation } from '../evidence/evidence.ts'
import type { RunRequest } from './binding-runner.ts'
import { runCommand } from './command.ts'

export interface SeededBinding<Run> {
  /** The command for a seed, and the folder for what it leaves behind. */
  command(seed: number, folder: string): readonly string[]
  /** What a run left behind, or why that cannot be read. */
  read(folder: string, seed: number): Run | string
  evidence(runs: readonly Run[]): Evidence
}

export async function runSeeds<Run>(request: RunRequest, binding: SeededBinding<Run>): Promise<Evidence> {
  const { budget, purpose, artefacts, timeoutMs } = request
  const runs: Run[] = []
  const begunMs = performance.now()
  const leftMs = (): number => Math.max(1, timeoutMs - (performance.now() - begunMs))
  let gap: RunGap | null = null
  for (let seed = 1; seed <= budget.seeds && gap === null; seed++) {
    const run = await oneRun(request, binding, seed, join(artefacts, `seed-${seed}`), leftMs())
    if (run instanceof RunGap) gap = run
    else runs.push(run)
    if (purpose !== 'scenario' && isRejected(binding.evidence(runs.slice(-1)), request.oracles)) break
  }
  const evidence = binding.evidence(runs)
  const violations: Violation[] = []
  if (purpose === 'scenario')
    for (const [index, violation] of evidence.violations.entries())
      violations.push(await again(request, binding, violation, index + 1))
  return {
    ...evidence,
    ...(gap === null ? {} : { ended: gap.ended, notes: [...evidence.notes, gap.note] }),
    violations: purpose === 'scenario' ? violations : evidence.violations,
    wallMs: Math.round(performance.now() - begunMs),
  }
}

/** Why a run says nothing. */
class RunGap {
  readonly ended: 'timeout' | 'crashed'
  readonly note: string

  constructor(ended: RunGap['ended'], note: string) {
    this.ended = ended
    this.note = note
  }
}

/** Whether one of the oracles found something; any, if none is named. */
function isRejected({ violations }: Evidence, oracles: readonly string[]): boolean {
  const isAsked = (found: string): boolean =>
    oracles.length === 0 || oracles.some((name) => found === name || found.endsWith(`: ${name}`))
  return violations.some(({ origin, signature }) => origin === 'oracle' && isAsked(signature))
}

async function oneRun<Run>(
  { binding: bound, budget, root, logFile, onOutput }: RunRequest,
  binding: SeededBinding<Run>,
  seed: number,
  folder: string,
  timeoutMs: number,
): Promise<Run | RunGap> {
  mkdirSync(folder, { recursive: true })
  const { timedOut, code, error, last } = await runCommand({
    command: binding.command(seed, folder),
    cwd: root,
    env: { NO_COLOR: '1' },
    logFile,
    timeoutMs,
    ...(onOutput === undefined
      ? {}
      : { onOutput: (line) => onOutput(`seed ${seed} of ${budget.seeds}  ${line}`) }),
  })
  if (timedOut)
    return new RunGap('timeout', `seed ${seed} did not end in the time that was left and was ended`)
  const run = binding.read(folder, seed)
  if (typeof run !== 'string') return run
  const how = error ?? `wavetank ${bound.kind} test ended with code ${code}: ${last}`
  return new RunGap('crashed', `seed ${seed}: ${run}; ${how}`)
}

async function again<Run>(
  request: RunRequest,
  binding: SeededBinding<Run>,
  violation: Violation,
  index: number,
): Promise<Violation> {
  const folder = join(request.artefacts, `rerun-${index}`)
  const run = await oneRun(request, binding, Number(violation.seed), folder, request.timeoutMs)
  if (run instanceof RunGap) return violation
  const isSame = binding.evidence([run]).violations.some(({ signature }) => signature === violation.signature)
  return { ...violation, reruns: { tried: 1, failedAgain: isSame ? 1 : 0 } }
}
