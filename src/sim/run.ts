/**
 * One seed: builds a world, evaluates the simulation file in it, lets the director run the phases, and turns what
 * happened into plain data. The kernel's loop does all the work; this file only listens.
 */
import type { CheckResult } from '../checkers/result.ts'
import { Buggify, useBuggify } from '../faults/buggify.ts'
import type { FaultRecord } from '../faults/fault-record.ts'
import { LEVELS, weatherOf, type Weather } from '../faults/levels.ts'
import { changeLink } from '../faults/link-weather.ts'
import { Nemesis } from '../faults/nemesis.ts'
import type { Choice } from '../kernel/choices.ts'
import { findDeadlock, watchProgress, watchTimeBudget } from '../kernel/detectors.ts'
import type { KernelEvent } from '../kernel/event.ts'
import { HashLog } from '../kernel/hash-log.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { ExitStatus, SimProcess } from '../world/process.ts'
import type { AssertionSite } from '../node/loader/index.ts'
import { World } from '../world/world.ts'
import { AssertionTable, kindOfCall } from './assertion-table.ts'
import type { SeedJob, SeedReport } from './campaign/executor.ts'
import { useRun, type RunScope } from './current-run.ts'
import { DEFAULT_LIMITS, type Limits, type Simulation } from './definition.ts'
import { Director, type Phase } from './director.ts'
import { EventLog, type PublishedEvent } from './event-log.ts'
import type { Failure, FailureCategory } from './failure.ts'
import { InvariantWatch } from './invariants.ts'
import { OperationRecorder } from './operations.ts'
import { ProgramFiles } from './program-files.ts'
import { Programs, type TankHost } from './programs.ts'
import type { CheckerCount, FaultCount, LogLine, SeedResult } from './result.ts'
import { System } from './system.ts'
import { drawTopology } from './topology.ts'
import { userStack } from './user-stack.ts'
import type { WorkloadProcess } from './workload-process.ts'

/** The host on which the simulation file is evaluated. It never fails. */
export const WORKLOAD = 'workload'

/** Everything about one run: what goes to a report, and what a story or a trace file wants besides. */
export interface RunRecord extends Omit<SeedReport, 'lane'> {
  readonly events: readonly PublishedEvent[]
  readonly faults: readonly FaultRecord[]
  readonly checks: readonly CheckResult[]
  readonly log: readonly LogLine[]
  readonly kernel: Kernel
}

export async function runSeed(job: SeedJob, host: TankHost): Promise<RunRecord> {
  return new SimulationRun(job, host).execute()
}

class SimulationRun implements RunScope {
  readonly events = new EventLog()
  readonly assertions = new AssertionTable((message) =>
    this.fail('assertion', 'too many assertions', message),
  )
  private readonly job: SeedJob
  private readonly host: TankHost
  private readonly world: World
  private readonly kernel: Kernel
  private readonly programs: Programs
  private readonly files: ProgramFiles
  private readonly failures: Failure[] = []
  private readonly checks: CheckResult[] = []
  private readonly hashes: HashLog | null
  private readonly recorder: OperationRecorder
  private readonly buggify: Buggify
  private simulation: Simulation | null = null
  private workload: WorkloadProcess | null = null
  private system: System | null = null
  private nemesis: Nemesis | null = null
  private invariants: InvariantWatch | null = null
  private maxSteps = DEFAULT_LIMITS.steps
  private phase: Phase = 'boot'
  /** Stopped because the job said so. */
  private halted = false
  private nextActor: string | null = null
  /** Only the undertaker is still at work. */
  private over = false

  constructor(job: SeedJob, host: TankHost) {
    this.job = job
    this.host = host
    this.world = new World({
      seed: job.seed,
      base: job.base ?? 'seed',
      overrides: job.overrides ?? [],
      misfit: job.misfit ?? 'diverge',
      record: job.keepChoices === true,
      traceCapacity: job.traceCapacity ?? host.traceCapacity,
      link: LEVELS[job.level].links,
    })
    this.kernel = this.world.kernel
    this.files = new ProgramFiles(host.image)
    this.hashes = job.keepHashes === true ? HashLog.of(this.kernel) : null
    this.buggify = new Buggify(this.kernel.choices, () => this.nemesis?.open ?? false)
    this.recorder = new OperationRecorder({
      nowUs: () => this.kernel.now,
      faultEpoch: () => this.nemesis?.epoch ?? 0,
      publish: (event) => this.publishFrom(`client ${event.client}`, 'operation', event),
      after: (delayMs, callback) => this.workload!.after(delayMs, callback),
    })
    this.programs = new Programs(host, job.simulation, {
      output: (process, stream, text) => this.publishFrom(process, stream, text),
      loaded: (simulation, workload) => this.begin(simulation, workload),
      assertions: (sites) => this.declareAssertions(sites),
      broken: (error) => this.fail('workload', 'simulation file', error),
    })
  }

  async execute(): Promise<RunRecord> {
    const { kernel, world, host } = this
    const workloadHost = world.addHost(WORKLOAD, { disk: { image: this.files.mounts } })
    const process = world.addProcess(WORKLOAD, workloadHost, this.programs.workload())
    process.onExit((status) => this.workloadEnded(status))
    kernel.afterStep.push((event) => this.afterStep(event))
    useRun(this)
    useBuggify(this.buggify)
    try {
      process.start()
      const pause = await host.run(kernel)
      if (pause === 'idle' && this.phase !== 'done' && this.failures.length === 0) this.deadlock()
      if (this.failures.length === 0) this.nemesis?.close()
    } catch (error) {
      this.fail('workload', 'run', error)
    } finally {
      this.over = true
      this.nextActor = kernel.queue.peek()?.actor.name ?? null
      for (const each of world.processes.values()) each.kill()
      useRun(null)
      useBuggify(null)
    }
    return this.record()
  }

  // RunScope: what code in the tank reaches.

  currentProcess(): string | null {
    return this.programs.currentProcess()
  }

  publish(name: string, data: unknown): void {
    this.publishFrom(this.currentProcess() ?? 'world', name, data)
  }

  fail(
    category: FailureCategory,
    title: string,
    reason: unknown,
    more: Partial<Pick<Failure, 'stack' | 'details'>> = {},
  ): void {
    const message = reason instanceof Error ? reason.message : String(reason)
    const stack = more.stack ?? (reason instanceof Error ? (reason.stack ?? null) : null)
    const { step, now } = this.kernel
    const process = this.currentProcess()
    this.failures.push({
      category,
      title,
      message,
      step,
      timeUs: now,
      process,
      stack: stack === null ? null : userStack(stack),
      details: plain(more.details),
    })
    this.kernel.stop()
  }

  // The course of the run.

  /** The simulation file is evaluated: the world gets its hosts, and the phases begin. */
  private begin(simulation: Simulation, workload: WorkloadProcess): void {
    const { definition } = simulation
    const limits: Limits = { ...DEFAULT_LIMITS, ...definition.limits }
    const weather = weatherOf(this.job.level, definition.levels?.[this.job.level])
    this.simulation = simulation
    this.workload = workload
    this.watch(limits)
    this.invariants = new InvariantWatch(this.events, definition.invariants ?? {})
    const topology = drawTopology(this.kernel.choices, definition.processes)
    this.system = new System(topology, {
      world: this.world,
      image: this.files.mounts,
      budget: definition.budget ?? {},
      programOf: (placement) => this.programs.server(placement, (process) => this.system!.booted(process)),
      changed: (event) => this.publishFrom(event.process, 'process', event),
      crashed: (process, status) => this.crashed(process, status),
    })
    this.applyLinks(weather)
    this.nemesis = new Nemesis(this.system.arena, weather, this.system.ledger, (fault, change) => {
      this.publishFrom('nemesis', 'fault', { change, fault: { ...fault } })
    })
    this.system.start()
    const processes = topology.placements.map(({ identity }) => identity)
    const director = new Director({
      definition,
      limits,
      weather,
      workload,
      choices: this.kernel.choices,
      nemesis: this.nemesis,
      recorder: this.recorder,
      events: this.events,
      context: { seed: this.job.seed, level: this.job.level, hosts: topology.hosts, processes },
      enter: (phase) => this.enterPhase(phase),
      checked: (result) => this.checked(result),
      fail: (category, title, error) => this.fail(category, title, error),
    })
    director.run().catch((error: unknown) => this.fail('workload', 'run', error))
  }

  private declareAssertions(sites: readonly AssertionSite[]): void {
    for (const { kind, message } of sites) {
      if (message !== undefined) this.assertions.declare(kindOfCall(kind), message)
    }
  }

  /** Runs that would never end are found out. */
  private watch({ steps, stepsPerMs, virtualMs }: Limits): void {
    this.maxSteps = steps
    watchProgress(this.kernel, { steps: stepsPerMs, progressUs: 1000 }, (error) => {
      this.fail('livelock', error.process, error.message)
    })
    watchTimeBudget(this.kernel, virtualMs * 1000, (error) =>
      this.fail('time-budget', error.process, error.message),
    )
  }

  /** A simulation's own ideas of what links are like. */
  private applyLinks(weather: Weather): void {
    if (this.simulation!.definition.levels?.[this.job.level]?.links === undefined) return
    const hosts = [...this.world.hosts.keys()]
    for (const a of hosts)
      for (const b of hosts) if (a !== b) changeLink(this.world.network.link(a, b), weather.links)
  }

  private enterPhase(phase: Phase): void {
    this.phase = phase
    this.publishFrom('world', 'phase', phase)
    if (phase === 'done') this.kernel.stop()
  }

  private afterStep(_event: KernelEvent): void {
    const { kernel } = this
    this.host.progress?.(kernel.step)
    if (kernel.step === this.job.untilStep) {
      this.halted = true
      kernel.stop()
    }
    if (kernel.step > this.maxSteps) {
      this.fail('step-budget', 'step budget', `${this.maxSteps} steps, and the workload is not finished`)
    }
    if (this.invariants?.due !== true || this.failures.length > 0) return
    const violation = this.invariants.check(kernel.now / 1000)
    if (violation !== null)
      this.fail('invariant', violation.name, violation.message, { stack: violation.stack })
  }

  private checked(result: CheckResult): void {
    this.checks.push(result)
    if (result.verdict !== 'invalid') return
    const message = result.anomalies[0]?.message ?? `${result.checker} says invalid`
    this.fail('checker', result.checker, message, { details: result })
  }

  private crashed(process: SimProcess, { code, signal }: ExitStatus): void {
    if (this.phase === 'done' || this.over) return
    const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`
    const said = this.lastWords(process.name)
    this.fail('process-exit', process.name, `${process.name} ${how}${said === '' ? '' : `: ${said}`}`)
  }

  private workloadEnded({ code, signal }: ExitStatus): void {
    if (this.phase === 'done' || this.over || this.failures.length > 0) return
    const said = this.lastWords(WORKLOAD)
    const how = signal ?? `code ${code}`
    this.fail('workload', 'workload process', said === '' ? `the workload's process ended with ${how}` : said)
  }

  /** The line of a process's stderr that says most: the error of an uncaught exception. */
  private lastWords(process: string): string {
    const lines = this.events.named('stderr').filter((event) => event.source === process)
    const texts = lines.map((event) => String(event.data))
    return texts.findLast((text) => /^(Uncaught )?\w*(Error|Exception)\b.*:/.test(text)) ?? texts.at(-1) ?? ''
  }

  private deadlock(): void {
    const { open } = this.recorder
    const loading = this.simulation === null
    const waitsFor = loading
      ? 'its file to load'
      : `${open} ${open === 1 ? 'operation' : 'operations'} in phase ${this.phase}`
    const error = findDeadlock(this.kernel, [{ process: 'the workload', waitsFor }])
    this.fail('deadlock', 'deadlock', error?.message ?? `nothing can happen any more in phase ${this.phase}`)
  }

  private publishFrom(source: string, name: string, data: unknown): void {
    if (this.over) return
    const { step, now } = this.kernel
    this.events.publish({ step, timeUs: now, source, name, data })
  }

  // What is left when it is over.

  private record(): RunRecord {
    return {
      result: this.result(),
      hashes: this.hashes?.values() ?? null,
      choices: this.kernel.choices.made,
      program: Object.fromEntries([...this.files.read].sort(([a], [b]) => (a < b ? -1 : 1))),
      nextActor: this.halted ? this.nextActor : null,
      events: this.events.entries(),
      faults: this.nemesis?.records ?? [],
      checks: this.checks,
      log: this.log(),
      kernel: this.kernel,
    }
  }

  private result(): SeedResult {
    const { kernel, system } = this
    const [failure = null, ...others] = this.judged()
    return {
      seed: this.job.seed,
      failure,
      others,
      steps: kernel.step,
      timeUs: kernel.now,
      digest: kernel.hash.digest(),
      choices: kernel.choices.asked,
      processes: system?.processes.length ?? 0,
      boots: system?.boots ?? 0,
      operations: this.recorder.operationCounts(),
      invariants: this.invariants?.counts() ?? [],
      checkers: this.checks.map(checkerCount),
      assertions: this.assertions.summaries(),
      faults: [...faultCounts(this.nemesis?.records ?? []), ...buggifyCounts(this.buggify)],
    }
  }

  /** A divergence explains whatever else went wrong. */
  private judged(): Failure[] {
    const { choices } = this.kernel
    const unasked = this.job.misfit === 'bend' ? [] : choices.unasked()
    if (choices.diverged === null && unasked.length === 0) return this.failures
    const [first] = unasked as (Choice & { readonly step?: number })[]
    const step = choices.diverged?.step ?? first.step ?? this.kernel.step
    const message =
      choices.diverged?.message ??
      `choice ${first.entity} ${first.label} #${first.index}, recorded at step ${step}, was never asked for`
    const divergence = {
      category: 'divergence',
      title: 'replay',
      message,
      step,
      timeUs: this.kernel.now,
    } as const
    return [{ ...divergence, process: null, stack: null, details: null }, ...this.failures]
  }

  private log(): LogLine[] {
    const lines: LogLine[] = []
    for (const { name, timeUs, step, source, data } of this.events.entries()) {
      if (name === 'stdout' || name === 'stderr') {
        lines.push({ timeUs, step, process: source, stream: name, text: String(data) })
      }
    }
    return lines
  }
}

/** A copy that can be written down and sent to another thread; what cannot be copied is named. */
function plain(value: unknown): unknown {
  try {
    return value === undefined ? null : structuredClone(value)
  } catch {
    return String(value)
  }
}

function checkerCount({ checker, verdict, checks, reason }: CheckResult): CheckerCount {
  return { name: checker, verdict, checks, reason }
}

function faultCounts(records: readonly FaultRecord[]): FaultCount[] {
  const counts = new Map<string, { injected: number; landed: number; victims: number }>()
  for (const { family, victims } of records) {
    let count = counts.get(family)
    if (count === undefined) counts.set(family, (count = { injected: 0, landed: 0, victims: 0 }))
    count.injected++
    count.victims += victims
    if (victims > 0) count.landed++
  }
  return [...counts].map(([family, count]) => ({ family, ...count }))
}

function buggifyCounts(buggify: Buggify): FaultCount[] {
  const fired = buggify.counts().filter(({ victims }) => victims > 0)
  return fired.map(({ family, victims }) => ({ family, injected: victims, landed: victims, victims }))
}
