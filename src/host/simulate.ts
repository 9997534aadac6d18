/**
 * `simulate`: a campaign as a function. A simulation that a `*.sim.ts` file declares is evaluated in the tank for every
 * seed; a simulation that is declared anywhere else runs inline, in this thread. Failures are shrunk and kept, as
 * `wavetank run` does it.
 */
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { recorderIn, type RunRecorder } from '../failures/recorded-run.ts'
import { parseLevel } from '../faults/levels.ts'
import { UsageError } from '../kernel/errors.ts'
import { callerFile } from '../node/bare.ts'
import { isSimulation, type Simulation } from '../sim/authoring/definition.ts'
import { declarationsIn } from '../sim/campaign/declarations.ts'
import type { SimulationReference } from '../sim/campaign/executor.ts'
import type { CampaignResult } from '../sim/campaign/result.ts'
import { ThreadExecutor, threadHost } from '../sim/campaign/thread-host.ts'
import { campaign, threadPool } from './campaign.ts'
import { HOST_MODULES } from './host-modules.ts'
import { answerInline, inlineCommand } from './inline-simulation.ts'
import { projectRoot } from './project.ts'
import { checkSimulateOptions, type SimulateOptions } from './simulate-options.ts'

/** A simulation, or the file that declares it: a URL, or a path relative to the calling file. */
export type SimulationTarget = Simulation<any> | string | URL

/**
 * Runs a campaign and gives back its result. A path is relative to the file that calls, or else to the working
 * directory.
 */
export function simulate(target: SimulationTarget, options: SimulateOptions = {}): Promise<CampaignResult> {
  return simulateFrom(callerFile(simulate), target, options)
}

/** {@link simulate} for a caller of our own: `from` is the user's file. */
export async function simulateFrom(
  from: string | null,
  target: SimulationTarget,
  options: SimulateOptions,
): Promise<CampaignResult> {
  checkSimulateOptions(options, 'simulate()')
  const inline = isSimulation(target) && !isReloadable(target) ? target : undefined
  const file = isSimulation(target) ? target.file : fileOf(target, from)
  const root = projectRoot(file !== null && existsSync(file) ? file : process.cwd())
  const recorder = recorderFor(root, inline, options)
  try {
    if (inline !== undefined) await answerInline(inline, recorder, root)
    const { seed, firstSeed, seeds, budgetWallMs, bail, verify, onSeed, keep = true } = options
    const { shrink = true, shrinkWallMs } = options
    return await campaign({
      simulation: await referenceOf(target, file, inline),
      level: parseLevel(options.level ?? 'sunny'),
      seeds: { seed, firstSeed, seeds, budgetWallMs },
      bail,
      verify,
      recorder,
      onSeed,
      keep: keep ? { root, shrink, shrinkMs: shrinkWallMs, inline: inlinePlace(inline, root) } : null,
    })
  } finally {
    await recorder.close()
  }
}

/** Where a path leads: from the calling file, or else from the working directory. */
function fileOf(target: string | URL, from: string | null): string {
  if (typeof target !== 'string' && !(target instanceof URL))
    throw notFound(`expected a simulation, a path or a URL, and got ${String(target)}`)
  if (target instanceof URL || target.startsWith('file:')) {
    const file = fileURLToPath(target)
    if (!existsSync(file)) throw notFound(`there is no file ${file}`)
    return file
  }
  const folders = [...(from === null ? [] : [dirname(from)]), process.cwd()]
  const candidates = folders.map((folder) => resolve(folder, target))
  const file = candidates.find((candidate) => existsSync(candidate))
  if (file === undefined) throw notFound(`there is no file ${[...new Set(candidates)].join(', nor ')}`)
  return file
}

function notFound(what: string): UsageError {
  return new UsageError('ERR_WAVETANK_NO_SIMULATION', `simulate(): ${what}`)
}

function isReloadable(simulation: Simulation<any>): boolean {
  return simulation.file !== null && /\.sim\.[cm]?[jt]s$/.test(simulation.file)
}

function recorderFor(root: string, inline: Simulation | undefined, options: SimulateOptions): RunRecorder {
  if (inline === undefined && options.jobs !== 0) return threadPool(root, options)
  const host = inline === undefined ? { root } : { root: null, inline }
  return recorderIn(new ThreadExecutor(threadHost({ ...host, hostModules: HOST_MODULES })))
}

/** Where an inline simulation is declared, and how to reach it again. */
function inlinePlace(inline: Simulation | undefined, root: string) {
  if (inline === undefined) return null
  const command = inlineCommand(root)
  return { file: inline.file ?? command.file, command }
}

async function referenceOf(
  target: Simulation<any> | string | URL,
  file: string | null,
  inline: Simulation | undefined,
): Promise<SimulationReference> {
  if (isSimulation(target)) return { file: inline === undefined ? file! : '', name: target.name }
  const declared = await declarationsIn(
    file!,
    threadHost({ root: projectRoot(file!), hostModules: HOST_MODULES }),
  )
  if (declared.length === 1) return { file: file!, name: declared[0].name }
  const names = declared.map(({ name }) => name).join(', ')
  throw new UsageError(
    'ERR_WAVETANK_NO_SIMULATION',
    `simulate(): ${file} declares ${declared.length === 0 ? 'no simulation' : `several simulations (${names}); import the one you mean`}`,
  )
}
