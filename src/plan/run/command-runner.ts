/**
 * Runs any command that writes an evidence file. The command finds what is asked of it in its environment:
 *
 * | variable | |
 * |---|---|
 * | `WAVETANK_EVIDENCE` | the file to write |
 * | `WAVETANK_ARTIFACTS` | a folder for anything else |
 * | `WAVETANK_SCENARIO`, `WAVETANK_ARM` | which part of the plan |
 * | `WAVETANK_BUDGET` | `smoke`, `hardening` or `release` |
 * | `WAVETANK_SEEDS`, `WAVETANK_OPERATIONS`, `WAVETANK_DURATION_MS` | the budget |
 * | `WAVETANK_FAULTS` | `on` or `off` |
 * | `WAVETANK_PURPOSE` | `scenario`, `control`, `swap` or `rerun` |
 * | `WAVETANK_SEED` | of a rerun: the seed that failed |
 *
 * A violation is run again once with its seed, to see whether it is reproducible.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { emptyEvidence, type Evidence, type Violation } from '../evidence/evidence.ts'
import { readEvidence } from '../evidence/read-evidence.ts'
import type { RunRequest } from './binding-runner.ts'
import { runCommand, type CommandOutcome } from './command.ts'

export async function runCommandBinding(request: RunRequest): Promise<Evidence> {
  const file = join(request.artefacts, 'written-evidence.json')
  const evidence = evidenceFromCommand(request, await attempt(request, file, {}), file)
  if (request.purpose !== 'scenario') return evidence
  const violations: Violation[] = []
  for (const [index, violation] of evidence.violations.entries())
    violations.push(await rerun(request, violation, index))
  return { ...evidence, violations }
}

async function attempt(
  request: RunRequest,
  file: string,
  more: Readonly<Record<string, string>>,
): Promise<CommandOutcome> {
  const { binding, budget, tier, root, timeoutMs, logFile, onOutput } = request
  return runCommand({
    command: binding.target,
    cwd: root,
    env: {
      WAVETANK_EVIDENCE: file,
      WAVETANK_ARTIFACTS: request.artefacts,
      WAVETANK_SCENARIO: request.scenario,
      WAVETANK_ARM: request.arm,
      WAVETANK_BUDGET: tier,
      WAVETANK_SEEDS: String(budget.seeds),
      WAVETANK_OPERATIONS: String(budget.operations),
      WAVETANK_DURATION_MS: String(budget.durationMs),
      WAVETANK_FAULTS: budget.faults,
      WAVETANK_PURPOSE: request.purpose,
      ...more,
    },
    logFile,
    timeoutMs,
    ...(onOutput === undefined ? {} : { onOutput }),
  })
}

export function evidenceFromCommand(
  { binding, timeoutMs }: RunRequest,
  outcome: CommandOutcome,
  file: string,
): Evidence {
  const source = { kind: binding.kind, what: binding.target, versions: {} }
  const { timedOut, code, error, wallMs, last } = outcome
  const ended = timedOut ? 'timeout' : 'crashed'
  const how = timedOut
    ? `the command did not end within ${timeoutMs} ms and was ended`
    : error !== null
      ? `the command could not be started: ${error}`
      : code === null
        ? 'the command was ended by a signal'
        : `the command ended with code ${code}`
  if (!existsSync(file)) {
    const note = `${how}; it wrote no evidence${last === '' ? '' : `, and last: ${last}`}`
    return { ...emptyEvidence(source, ended, [note]), wallMs }
  }
  try {
    const evidence = readEvidence(file)
    return endedItself(outcome, evidence) ? evidence : { ...evidence, ended, notes: [...evidence.notes, how] }
  } catch (problem) {
    return { ...emptyEvidence(source, ended, [(problem as Error).message, how]), wallMs }
  }
}

/** A command that fails says so by its exit code, whatever its evidence says; one that found something may do so too. */
function endedItself({ timedOut, code }: CommandOutcome, { violations, seeds, oracles }: Evidence): boolean {
  if (timedOut || code === null) return false
  const found =
    violations.length > 0 ||
    seeds.some(({ outcome }) => outcome === 'violated') ||
    oracles.some(({ verdict }) => verdict === 'invalid')
  return code === 0 || found
}

/** Fails again if the same bug is in the evidence of the rerun. */
async function rerun(request: RunRequest, violation: Violation, index: number): Promise<Violation> {
  if (violation.reruns.tried > 0) return violation
  const file = join(request.artefacts, `rerun-${index + 1}-evidence.json`)
  const more = {
    WAVETANK_PURPOSE: 'rerun',
    ...(violation.seed === null ? {} : { WAVETANK_SEED: String(violation.seed) }),
  }
  const again = evidenceFromCommand(request, await attempt(request, file, more), file)
  const failedAgain = again.violations.some(({ signature }) => signature === violation.signature) ? 1 : 0
  return { ...violation, reruns: { tried: 1, failedAgain } }
}
