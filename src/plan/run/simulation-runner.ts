/**
 * Runs a simulation of the project by `wavetank run`, in a process of its own, so that one that hangs can be ended. Each
 * bug's trace is replayed once: a verdict of FAIL-reproducible rests on that replay, not on the promise of determinism.
 */
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { openTrace, shortPath } from '../../failures/keep.ts'
import type { CampaignResult } from '../../sim/campaign/result.ts'
import { RESULT_VERSION } from '../../sim/campaign/result.ts'
import { emptyEvidence, type Violation } from '../evidence/evidence.ts'
import { evidenceFromCampaign } from '../evidence/from-campaign.ts'
import type { BindingRunner, RunRequest } from './binding-runner.ts'
import { runCommand } from './command.ts'

/** `wavetank` is the program and its first arguments. */
export function simulationRunner(wavetank: readonly string[]): BindingRunner {
  return async (request) => {
    const { binding, budget, purpose, artefacts, logFile, root, timeoutMs, onOutput } = request
    const report = join(artefacts, 'campaign.json')
    const level = budget.level ?? 'stormy'
    const stopping = purpose === 'scenario' ? [] : ['--bail', '--no-shrink']
    const { code, timedOut, wallMs, error, last } = await runCommand({
      command: [
        ...wavetank,
        'run',
        binding.target,
        '--level',
        level,
        '--seeds',
        String(budget.seeds),
        '--json',
        '--output',
        report,
        ...stopping,
      ],
      cwd: root,
      env: { NO_COLOR: '1' },
      logFile,
      timeoutMs,
      ...(onOutput === undefined ? {} : { onOutput }),
    })
    const campaign = readCampaign(report, binding.target)
    if (typeof campaign === 'string') {
      const how = timedOut
        ? `it did not end within ${timeoutMs} ms and was ended`
        : (error ?? `wavetank run ended with code ${code}: ${last}`)
      const source = { kind: 'simulation' as const, what: binding.target, versions: {} }
      return { ...emptyEvidence(source, timedOut ? 'timeout' : 'crashed', [campaign, how]), wallMs }
    }
    const evidence = evidenceFromCampaign(campaign)
    if (purpose !== 'scenario') return evidence
    const violations: Violation[] = []
    for (const violation of evidence.violations) violations.push(await replay(wavetank, request, violation))
    return { ...evidence, violations }
  }
}

function readCampaign(file: string, name: string): CampaignResult | string {
  if (!existsSync(file)) return 'there is no result of the campaign'
  try {
    const { campaigns } = JSON.parse(readFileSync(file, 'utf8')) as { campaigns: CampaignResult[] }
    const [campaign] = campaigns
    if (campaigns.length !== 1) return `"${name}" names ${campaigns.length} simulations; a scenario runs one`
    if (campaign.version !== RESULT_VERSION) return `the campaign is of version ${campaign.version}`
    return campaign
  } catch (error) {
    return `the result of the campaign cannot be read: ${(error as Error).message}`
  }
}

/** The trace is copied into the session: a session is whole without the folder of runs. */
async function replay(
  wavetank: readonly string[],
  { artefacts, logFile, root, timeoutMs }: RunRequest,
  violation: Violation,
): Promise<Violation> {
  if (violation.artefact === null) return violation
  const file = join(artefacts, basename(violation.artefact))
  copyFileSync(resolve(root, violation.artefact), file)
  const { code } = await runCommand({
    command: [...wavetank, 'replay', file],
    cwd: root,
    env: { NO_COLOR: '1' },
    logFile,
    timeoutMs,
  })
  return {
    ...violation,
    artefact: shortPath(file),
    reproducer: `npx wavetank replay ${shortPath(file)}`,
    reruns: { tried: 1, failedAgain: code === 1 ? 1 : 0 },
    shrunk: shrunkOf(file),
  }
}

function shrunkOf(file: string): Violation['shrunk'] {
  const trace = openTrace(file)
  if (trace.kind !== 'simulation' || trace.config.shrunk === null) return null
  const faults = trace.choices.flatMap(({ entity }) => /^nemesis (\S+) #/.exec(entity)?.[1] ?? [])
  const { before, after, runs } = trace.config.shrunk
  return { before, after, runs, faults: [...new Set(faults)] }
}
