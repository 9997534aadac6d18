/**
 * A Maelstrom test in the tank. The command writes a simulation file of its own, so that replay, shrink, trace and story
 * work as for any simulation. The files of one seed are stored as those of a real test; many seeds are a campaign.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { campaign, threadPool } from '../../host/campaign.ts'
import type { TestNote } from '../../host/maelstrom-worker.ts'
import { projectRoot } from '../../host/project.ts'
import type { TestSettings } from '../../maelstrom/running/settings.ts'
import type { Watching } from '../../maelstrom/watched.ts'
import { campaignText } from '../../report/campaign/campaign-text.ts'
import type { CampaignResult } from '../../sim/campaign/result.ts'
import { printable } from '../../report/form/printable.ts'
import { againCommand, conclude, drawSeed, factsOf } from './outcome.ts'
import type { MaelstromOptions } from './command.ts'
import { interruptible } from '../interruption.ts'
import { paintFor } from '../terminal.ts'

const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? '../../host/maelstrom-worker.ts' : '../../host/maelstrom-worker.js',
  import.meta.url,
)

interface Target {
  readonly root: string
  readonly simulation: { readonly file: string; readonly name: string }
}

export async function testInTank(
  settings: TestSettings,
  options: MaelstromOptions,
  args: readonly string[],
): Promise<number> {
  const target = simulationFile(settings)
  if (options.seeds !== undefined) return manySeeds(target, options.seeds)
  for (let test = 0; test < options.testCount; test++) {
    const seed = (options.seed ?? drawSeed()) + (options.seed === undefined ? 0 : test)
    const code = await oneSeed(target, settings, options, args, seed)
    if (code !== 0) return code
  }
  return 0
}

/** The project of the working directory if the node lies in it, else the node's own. */
function rootOf(file: string): string {
  const here = projectRoot(process.cwd())
  return file.startsWith(`${here}/`) ? here : projectRoot(file)
}

/** Writes the simulation of the test. */
function simulationFile(settings: TestSettings): Target {
  const root = rootOf(settings.program.args[0])
  const folder = join(root, '.maelstrom') // not .wavetank, which simulated disks do not show
  const program = basename(settings.program.args[0]).replace(/[^\w-]+/g, '-')
  const name = `${settings.workload}-${program}`
  const { program: _, ...rest } = settings
  const text = `// Written by wavetank maelstrom test. It is overwritten by the next test of this workload and node.
import { maelstromSimulation } from 'wavetank/maelstrom/simulation'

export default maelstromSimulation({
  name: ${JSON.stringify(name)},
  program: { command: process.execPath, args: ${JSON.stringify(settings.program.args)} },
  ...${JSON.stringify(rest, null, 2).replaceAll('\n', '\n  ')},
})
`
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${name}.sim.mjs`)
  writeFileSync(file, text)
  return { root, simulation: { file, name } }
}

async function oneSeed(
  { root, simulation }: Target,
  settings: TestSettings,
  options: MaelstromOptions,
  args: readonly string[],
  seed: number,
): Promise<number> {
  let note: TestNote | null = null
  const { logStderr = false, logNetSend = false, logNetRecv = false } = options
  const data: Watching = { logStderr, logNetSend, logNetRecv }
  const own = { worker: WORKER, data, onNote: (each: unknown) => void (note ??= each as TestNote) }
  const recorder = threadPool(root, { jobs: 1, own })
  process.once('SIGINT', endAtOnce)
  try {
    const keep = { root, shrink: false, inline: null }
    const result = await campaign({ simulation, level: 'sunny', seeds: { seed }, recorder, keep })
    const told = note as TestNote | null // which the compiler holds to be null
    for (const line of told?.shown ?? []) process.stderr.write(`${printable(line)}\n`)
    if (result.verdict !== 'held') show(result)
    const again = againCommand(args, seed)
    if (told !== null)
      return conclude(options.store, settings, factsOf(settings, seed, 'virtual'), told.test, again)
    process.stdout.write(`The test did not come to its end, so there are no results.\nagain  ${again}\n`)
    return EXIT_CODES[result.verdict]
  } finally {
    process.off('SIGINT', endAtOnce)
    await recorder.close()
  }
}

/** Virtual time has no middle in which a person could stop it: there is nothing to report yet. */
function endAtOnce(): never {
  process.stderr.write('wavetank: interrupted before the test came to its end, so there are no results\n')
  process.exit(SIGINT_CODE)
}

const SIGINT_CODE = 130

const EXIT_CODES: Readonly<Record<CampaignResult['verdict'], number>> = {
  held: 0,
  violated: 1,
  'coverage-gap': 2,
  unknown: 2,
}

async function manySeeds({ root, simulation }: Target, seeds: number): Promise<number> {
  const recorder = threadPool(root, undefined)
  try {
    const keep = { root, shrink: true, inline: null }
    const result = await interruptible((signal) =>
      campaign({ simulation, level: 'sunny', seeds: { seeds }, recorder, keep, signal }),
    )
    show(result)
    return EXIT_CODES[result.verdict]
  } finally {
    await recorder.close()
  }
}

function show(result: CampaignResult): void {
  process.stdout.write(`${campaignText(result, paintFor(process.stdout))}\n\n`)
}
