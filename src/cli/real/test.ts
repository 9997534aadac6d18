/** `wavetank real test`: one run on real processes. However it ends, nothing that it started is left. */
import { spawnSync } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { relative, resolve } from 'node:path'
import { recover } from '../../real/cleanup/cleaning.ts'
import { manifestFolder } from '../../real/cleanup/manifest.ts'
import { RunResources } from '../../real/cleanup/run-resources.ts'
import { checkFits } from '../../real/cluster/backends/abilities.ts'
import { chooseBackend } from '../../real/cluster/backends/choice.ts'
import { INSIDE, runInside } from '../../real/cluster/backends/own-namespace.ts'
import { checkNeeds, installs, missingOf } from '../../real/doctor/examination.ts'
import { nemesesNamed } from '../../real/nemeses/index.ts'
import { SCRIPT, scriptedFaults } from '../../real/nemeses/scripted.ts'
import { RealRun } from '../../real/running/real-run.ts'
import type { TurnRecord } from '../../real/running/load.ts'
import type { RealResult } from '../../real/running/result.ts'
import { RunFolder } from '../../real/running/store.ts'
import { PLAIN } from '../../report/form/paint.ts'
import { latencyPlot, ratePlot, type OperationPoint } from '../../report/plots/performance-plots.ts'
import { printable } from '../../report/form/printable.ts'
import { realReportText } from '../../report/real-report-text.ts'
import { UsageError } from '../../kernel/errors.ts'
import type { PublishedEvent } from '../../sim/authoring/event-log.ts'
import type { RealSystem } from '../../sim/authoring/real-system.ts'
import type { OperationEvent } from '../../sim/authoring/operations.ts'
import type { RealOptions } from './command.ts'
import { paintFor, write } from '../terminal.ts'
import { checkSimulable, thenSimulate } from './then-simulate.ts'
import { findSimulation, type FoundSimulation } from './simulation.ts'

const LARGEST_SEED = 2 ** 31
const LONGEST_INTERVAL_S = 5
const ENDING: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

export async function test(target: string, options: RealOptions): Promise<number> {
  const names = options.nemesis.split(',').map((name) => name.trim())
  const nemeses = nemesesNamed(names.filter((name) => name !== SCRIPT).join())
  const nodes = nodesOf(options.nodes)
  const seed = options.seed ?? randomInt(LARGEST_SEED)
  const found = await findSimulation(target, options.workload)
  const { name: simulation, definition } = found.simulation
  const script = names.includes(SCRIPT) ? scriptedFaults(simulation, definition.script) : []
  checkFits(
    options.backend,
    definition,
    [...nemeses, ...script.map(({ chosen }) => chosen)].map(({ nemesis }) => nemesis.name),
  )
  const isHere = options.backend === 'local' || options.backend === 'namespaces'
  if (isHere)
    for (const { system } of Object.values(definition.processes))
      if (system !== undefined) provide(system, options.install === true)
  const backend = await chooseBackend(
    {
      backend: options.backend,
      install: options.install === true,
      ...(options.machines === undefined ? {} : { machines: options.machines.split(',') }),
      ...(options.sshConfig === undefined ? {} : { sshConfig: resolve(options.sshConfig) }),
    },
    definition,
  )
  if (options.backend === 'namespaces' && process.env[INSIDE] === undefined) return runInside()
  if (options.thenSimulate === true) checkSimulable(found.simulation)
  recoverAloud()
  const time = stamp()
  const store = resolve(options.store, found.simulation.name, time)
  const run = `${time.replace(/\W/g, '').toLowerCase()}-${randomBytes(3).toString('hex')}`
  const resources = new RunResources(run)
  const disarm = cleanAtTheEnd(resources)
  let result: RealResult
  try {
    const real = new RealRun(
      {
        ...found,
        seed,
        nodes,
        nemeses,
        script,
        schedule: options.nemesisSchedule,
        intervalS: options.nemesisInterval ?? Math.min(LONGEST_INTERVAL_S, options.timeLimit / 4),
        timeLimitS: options.timeLimit,
        concurrency: options.concurrency ?? null,
        rate: options.rate,
        store,
        environment: process.env,
        say: (text) => void process.stderr.write(`${printable(text)}\n`),
      },
      backend,
      resources,
    )
    result = await real.execute()
  } finally {
    disarm()
    for (const left of resources.end()) process.stderr.write(`wavetank real: left behind: ${left}\n`)
    backend.release()
  }
  const folder = new RunFolder(store)
  const code = conclude(result, folder, options, againCommand(found, seed, options))
  if (options.thenSimulate === true) await thenSimulate(result, folder, options.json === true)
  return code
}

/** The time as a name: 20270101T120000.000Z. */
function stamp(): string {
  return new Date().toISOString().replace(/[-:]/g, '')
}

/** Stores and prints what a run found. */
export function conclude(result: RealResult, folder: RunFolder, options: RealOptions, again: string): number {
  const report = {
    result,
    events: folder.storedEvents(),
    again,
    folder: relative(process.cwd(), folder.path),
  }
  folder.write('results.json', `${JSON.stringify(result, null, 2)}\n`)
  folder.write('report.txt', realReportText(report))
  const points = pointsOf(report.events, folder.turns())
  const periods = result.faults.map(({ beginUs, endUs, text }) => {
    return { beginS: beginUs / 1e6, endS: endUs / 1e6, text }
  })
  folder.write('latency.svg', latencyPlot(points, periods))
  folder.write('rate.svg', ratePlot(points, periods))
  write(
    options.json === true
      ? `${JSON.stringify(result, null, 2)}\n`
      : realReportText(report, options.output === undefined ? paintFor(process.stdout) : PLAIN),
    options.output,
  )
  return { held: 0, violated: 1, unknown: 2 }[result.verdict]
}

/** Completed operations, from their two events. The first one of a turn began when the turn was due. */
function pointsOf(
  events: readonly Omit<PublishedEvent, 'seq'>[],
  turns: readonly TurnRecord[],
): OperationPoint[] {
  const due = new Map(turns.map(({ operation, dueUs }) => [operation, dueUs]))
  const begun = new Map<number, number>()
  return events.flatMap(({ name, timeUs, data }): OperationPoint[] => {
    if (name !== 'operation') return []
    const { id, type, f } = data as OperationEvent
    if (type === 'invoke') begun.set(id, due.get(id) ?? timeUs)
    const beginUs = begun.get(id)
    if (type === 'invoke' || beginUs === undefined) return []
    return [{ f, outcome: type, beginS: beginUs / 1e6, latencyMs: (timeUs - beginUs) / 1000 }]
  })
}

/** Installs what a system lacks, if that was asked for; without it, a run of it cannot begin. */
function provide(system: RealSystem, install: boolean): void {
  const path = process.env.PATH ?? ''
  if (install && missingOf(system, path).length > 0) {
    for (const [program, ...args] of installs(system)) {
      const { status } = spawnSync(program, args, { stdio: ['ignore', 2, 2] })
      if (status !== 0) break
    }
  }
  checkNeeds(system, path)
}

function recoverAloud(): void {
  const { runs, left } = recover()
  if (runs > 0) process.stderr.write(`wavetank real: cleaned up after ${runs} runs that had been cut off\n`)
  for (const each of left) process.stderr.write(`wavetank real: left behind: ${each}\n`)
  if (left.length > 0)
    process.stderr.write(
      `wavetank real: every run tries again; if it is gone for good, remove its file in ${manifestFolder()}\n`,
    )
}

/** A signal that ends the command takes everything away first; `finally` does not run then. */
function cleanAtTheEnd(resources: RunResources): () => void {
  const handlers = Object.entries(ENDING).map(([signal, code]) => {
    const handler = (): void => {
      resources.end()
      process.exit(code)
    }
    process.on(signal, handler) // a second one must not end the tool before it has cleaned up
    return [signal, handler] as const
  })
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler)
  }
}

function nodesOf(text: string | undefined): readonly string[] | number | null {
  if (text === undefined) return null
  if (/^[1-9]\d*$/.test(text)) return Number(text)
  const names = text.split(',').map((name) => name.trim())
  if (new Set(names).size === names.length && names.every((name) => /^[a-z][a-z0-9-]*$/i.test(name)))
    return names
  throw new UsageError(
    'ERR_WAVETANK_ARGUMENTS',
    `wavetank real test: --nodes is a number or different names, such as n1,n2,n3, not ${text}`,
  )
}

function againCommand({ file }: FoundSimulation, seed: number, options: RealOptions): string {
  const given = [
    `--seed ${seed}`,
    options.workload === undefined ? '' : `--workload ${options.workload}`,
    options.nodes === undefined ? '' : `--nodes ${options.nodes}`,
    options.nemesis === 'none' ? '' : `--nemesis ${options.nemesis}`,
    options.nemesisSchedule === 'interval' ? '' : `--nemesis-schedule ${options.nemesisSchedule}`,
    options.nemesisInterval === undefined ? '' : `--nemesis-interval ${options.nemesisInterval}`,
    options.backend === 'local' ? '' : `--backend ${options.backend}`,
    options.machines === undefined ? '' : `--machines ${options.machines}`,
    options.sshConfig === undefined ? '' : `--ssh-config ${options.sshConfig}`,
    `--time-limit ${options.timeLimit}`,
    options.concurrency === undefined ? '' : `--concurrency ${options.concurrency}`,
    `--rate ${options.rate}`,
  ]
  const parts = given.filter((part) => part !== '')
  return `npx wavetank real test ${relative(process.cwd(), file)} ${parts.join(' ')}`
}
