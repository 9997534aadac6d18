/**
 * One seed: builds a world, evaluates the simulation file in it, lets the director run the phases, and turns what
 * happened into plain data. The kernel's loop does all the work; this file only listens.
 */
import type { CheckResult } from '../../checkers/result.ts'
import { DEFAULT_BUDGET } from '../../faults/budget.ts'
import { Buggify, useBuggify } from '../../faults/buggify.ts'
import type { Membership } from '../../faults/arena.ts'
import type { FaultRecord } from '../../faults/fault-record.ts'
import { forbiddenIn } from '../../faults/forbidden.ts'
import { LEVELS, weatherOf, type Weather } from '../../faults/levels.ts'
import { changeLinks, linkConfigOf } from '../../faults/link-weather.ts'
import { Nemesis } from '../../faults/nemesis.ts'
import { findDeadlock, watchProgress, watchTimeBudget } from '../../kernel/detectors.ts'
import type { KernelEvent } from '../../kernel/event.ts'
import { hashValue } from '../../kernel/value-hash.ts'
import { HashLog } from '../../kernel/hash-log.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { running, type AssertionSite } from '../../node/index.ts'
import { EPOCH_US } from '../../world/clock.ts'
import type { ExitStatus } from '../../world/process.ts'
import type { DiskModel } from '../../world/disk/disk.ts'
import { World } from '../../world/world.ts'
import { AssertionTable, kindOfCall } from '../authoring/assertion-table.ts'
import type { SeedJob, SeedReport } from '../campaign/executor.ts'
import { useRun, type RunScope } from './current-run.ts'
import {
  DEFAULT_LIMITS,
  type Limits,
  type Simulation,
  type SimulationDefinition,
  type WorkloadContext,
} from '../authoring/definition.ts'
import { Director, type Phase } from './director.ts'
import { EventLog, type PublishedData, type PublishedEvent } from '../authoring/event-log.ts'
import { FailureLog, unsupportedText, type FailureDetails } from './failure-log.ts'
import type { FailureCategory } from './failure.ts'
import { InvariantWatch } from '../authoring/invariants.ts'
import { exitsIn } from './exits.ts'
import { exitMessage, lastWords, unsupportedWords } from './last-words.ts'
import { OperationRecorder } from '../authoring/operations.ts'
import { ProgramFiles } from './program-files.ts'
import { MembershipChanges } from './membership.ts'
import { Programs, type TankHost } from './programs.ts'
import type { BudgetReport, ExitCounts, LogLine, SeedResult } from '../campaign/result.ts'
import { isSituation } from '../campaign/situations.ts'
import { checkerCount, divergenceOf, faultCounts, linesOf, outcomesIn } from './run-result.ts'
import { Roles } from './roles.ts'
import { Script } from './script.ts'
import { StepAccountant } from './step-account.ts'
import { StepRecorder } from './step-recorder.ts'
import { System } from './system.ts'
import { drawTopology, type Topology } from './topology.ts'
import { ChoiceRng } from '../authoring/rng.ts'
import { FileWatch, SiteFiles, type FileSite } from '../authoring/watched-files.ts'
import { tapNetwork } from '../authoring/wire-taps.ts'
import type { WorkloadProcess } from './workload-process.ts'

/** The host on which the simulation file is evaluated. It never fails. */
export const WORKLOAD = 'workload'

/** Events that say in other words what the hash has seen already; who watches must change nothing. */
const DERIVED: ReadonlySet<string> = new Set([
  'stdout',
  'stderr',
  'phase',
  'process',
  'fault',
  'power-loss',
  'file',
  'wire',
])

function epochMsOf({ startsAt }: SimulationDefinition): number {
  return startsAt === undefined ? EPOCH_US / 1000 : Date.parse(startsAt)
}

/** Everything about one run: what goes to a report, and what a story or a trace file wants besides. */
export interface RunRecord extends SeedReport {
  readonly events: readonly PublishedEvent[]
  readonly faults: readonly FaultRecord[]
  readonly checks: readonly CheckResult[]
  readonly log: readonly LogLine[]
  readonly kernel: Kernel
  /** The words of its steps; null if the job does not say how many to keep. */
  readonly recording: StepRecorder | null
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
  private readonly image: ProgramFiles
  private readonly failures: FailureLog
  private readonly checks: CheckResult[] = []
  private readonly hashes: HashLog | null
  private readonly accountant: StepAccountant | null
  private readonly recording: StepRecorder | null
  private readonly recorder: OperationRecorder
  private readonly buggify: Buggify
  private sites: readonly FileSite[] = []
  private readonly files = new SiteFiles(() => this.sites)
  private dispensable: ReadonlySet<string> = new Set()
  private simulation: Simulation | null = null
  private workload: WorkloadProcess | null = null
  private system: System | null = null
  private nemesis: Nemesis | null = null
  private invariants: InvariantWatch | null = null
  private fileWatch: FileWatch | null = null
  private script: Script | null = null
  private roleBook: Roles | null = null
  private maxSteps = DEFAULT_LIMITS.steps
  private phase: Phase = 'boot'
  /** Stopped because the job said so. */
  private halted = false
  /** Hosts whose power loss is not published yet. */
  private readonly withoutPower: string[] = []
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
      record: job.keepChoices === true || job.accountFor !== undefined,
      traceCapacity: job.traceCapacity ?? host.traceCapacity,
      worded: job.traceCapacity !== undefined,
      link: linkConfigOf(LEVELS[job.level].links),
    })
    this.kernel = this.world.kernel
    this.world.reports.onReport((kind, { host }) => {
      if (kind === 'power-lost') this.withoutPower.push(String(host))
    })
    this.image = new ProgramFiles(host.image)
    this.hashes = job.keepHashes === true ? HashLog.of(this.kernel) : null
    this.accountant = job.accountFor === undefined ? null : new StepAccountant(this.kernel, job.accountFor)
    this.recording = job.traceCapacity === undefined ? null : new StepRecorder(this.kernel, () => running)
    this.failures = new FailureLog(
      this.kernel,
      () => this.currentProcess(),
      () => this.currentOperation(),
    )
    this.buggify = new Buggify(this.kernel.choices, () => this.nemesis?.open ?? false)
    this.recorder = new OperationRecorder({
      nowUs: () => this.kernel.now,
      faultEpoch: () => this.nemesis?.epoch ?? 0,
      publish: (event) => this.publishFrom(`client ${event.client}`, 'operation', event),
      unsupported: (f, error) => this.fail('unsupported', `operation ${f}`, error),
      after: (delayMs, callback) => this.workload!.after(delayMs, callback),
    })
    this.programs = new Programs(host, job.simulation, {
      output: (process, stream, text) => this.publishFrom(process, stream, text),
      loaded: (simulation, workload) => this.begin(simulation, workload),
      assertions: (sites) => this.declareAssertions(sites),
      broken: (error) => this.fail('mistake', 'simulation file', error),
    })
  }

  async execute(): Promise<RunRecord> {
    const { kernel, world, host } = this
    const workloadHost = world.addHost(WORKLOAD, { disk: { image: this.image.mounts } })
    const process = world.addProcess(WORKLOAD, workloadHost, this.programs.workload())
    process.onExit((status) => this.workloadEnded(status))
    kernel.afterStep.push((event) => this.afterStep(event))
    useRun(this)
    useBuggify(this.buggify)
    try {
      process.start()
      const run = (): ReturnType<TankHost['run']> => host.run(kernel)
      const pause = await (this.recording === null ? run() : this.recording.during(run))
      if (pause === 'idle' && this.phase !== 'done' && this.failures.isEmpty) this.deadlock()
      if (this.failures.isEmpty) this.nemesis?.close()
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

  /** The kind of the operation that ended in this step; null if none did. */
  private currentOperation(): string | null {
    const last = this.events.named('operation').at(-1)
    return last !== undefined && last.step === this.kernel.step && last.data.type !== 'invoke'
      ? last.data.f
      : null
  }

  publish(name: string, data: unknown): void {
    this.publishFrom(this.currentProcess() ?? 'world', name, data)
  }

  fail(category: FailureCategory, title: string, reason: unknown, more?: FailureDetails): void {
    this.failures.add(category, title, reason, more)
  }

  // The course of the run.

  /** The simulation file is evaluated: the world gets its hosts, and the phases begin. */
  private begin(simulation: Simulation, workload: WorkloadProcess): void {
    const { definition } = simulation
    const limits: Limits = { ...DEFAULT_LIMITS, ...definition.limits }
    const weather = weatherOf(this.job.level, definition.levels?.[this.job.level])
    this.simulation = simulation
    this.workload = workload
    for (const name of Object.keys(definition.situations ?? {})) this.assertions.declare('situation', name)
    this.watch(limits)
    this.world.host(WORKLOAD).clock.beginAt(epochMsOf(definition) * 1000)
    const topology = drawTopology(this.kernel.choices, definition.processes)
    this.system = this.build(topology, simulation)
    this.observe(topology, simulation)
    this.applyLinks(weather)
    this.nemesis = new Nemesis(this.system.arena, weather, this.system.ledger, (fault, change) => {
      this.publishFrom('nemesis', 'fault', { change, fault: { ...fault } })
      this.publishPowerLosses()
    })
    this.script = new Script(definition.script ?? [], {
      nemesis: this.nemesis,
      arena: this.system.arena,
      events: this.events,
      identityOf: (name) => topology.placements.find(({ identity }) => identity.name === name)!.identity,
      missed: (title, reason) => this.fail('mistake', title, reason),
    })
    this.system.start()
    const director = new Director({
      definition,
      limits,
      weather,
      workload,
      choices: this.kernel.choices,
      nemesis: this.nemesis,
      script: this.script,
      recorder: this.recorder,
      events: this.events,
      files: this.files,
      context: this.workloadContext(topology),
      isIdle: () => this.kernel.queue.peek() === undefined,
      down: () => this.system!.processes.filter(({ alive }) => !alive).map(({ name }) => name),
      enter: (phase) => this.enterPhase(phase),
      checked: (result) => this.checked(result),
      fail: (category, title, error) => this.fail(category, title, error),
    })
    director.run().catch((error: unknown) => this.fail('workload', 'run', error))
  }

  private build(topology: Topology, { definition }: Simulation): System {
    return new System(topology, {
      world: this.world,
      image: this.image.mounts,
      diskModel: this.diskModel,
      epochMs: epochMsOf(definition),
      budget: definition.budget ?? {},
      programOf: (placement, variant) =>
        this.programs.server(placement, (process) => this.system!.booted(process), variant),
      propagation: definition.propagation ?? [],
      membership: this.membership(topology, definition),
      holdersOf: (role) => this.roles(definition).holders(role),
      changed: (event) => {
        this.publishFrom(event.process, 'process', event)
        if (event.change === 'exit' && !event.ordered && event.code !== 0)
          this.lookForUnsupported(event.process)
      },
      crashed: (process, status) => this.crashed(process.name, status),
    })
  }

  private roles({ roles = {} }: SimulationDefinition): Roles {
    return (this.roleBook ??= new Roles(this.events, roles, (role, error) =>
      this.fail('workload', `roles.${role}`, error),
    ))
  }

  private membership(topology: Topology, { membership }: SimulationDefinition): Membership | null {
    if (membership === undefined) return null
    return new MembershipChanges(membership, {
      workload: this.workload!,
      identityOf: (name) => topology.placements.find(({ identity }) => identity.name === name)!.identity,
      context: (entity) => ({
        ...this.workloadContext(topology),
        rng: new ChoiceRng(this.kernel.choices, entity, false),
      }),
      mistaken: (part, error) => this.fail('workload', part, error),
    })
  }

  private workloadContext({ hosts, placements }: Topology): Omit<WorkloadContext, 'rng'> {
    const { seed, level } = this.job
    return { seed, level, hosts, processes: placements.map(({ identity }) => identity) }
  }

  /** Invariants, and what they look at besides what is published anyway. */
  private observe({ placements }: Topology, { definition }: Simulation): void {
    const ignored = placements.filter(({ definition: { onExit } }) => onExit === 'ignore')
    this.dispensable = new Set(ignored.map(({ identity }) => identity.name))
    this.invariants = new InvariantWatch(this.events, definition.invariants ?? {}, this.files)
    this.sites = placements.map(({ identity: { name, group, host }, definition: process }) => {
      return { process: name, group, disk: this.world.host(host).disk, cwd: this.programs.folderOf(process) }
    })
    if (definition.files !== undefined) {
      this.fileWatch = new FileWatch(definition.files, this.sites, (event) =>
        this.publishFrom(event.process, 'file', event),
      )
    }
    if (definition.taps !== undefined) {
      tapNetwork(this.world.network, definition.taps, {
        publish: (event) => this.publishFrom(this.currentProcess() ?? event.from, 'wire', event),
        broken: (tap, error) => this.fail('workload', `taps.${tap}.decode`, error),
      })
    }
  }

  private declareAssertions(sites: readonly AssertionSite[]): void {
    for (const { kind, message } of sites) {
      if (message !== undefined) this.assertions.declare(kindOfCall(kind), message)
    }
  }

  /** Runs that would never end are found out. */
  private watch({ steps, stepsPerVirtualMs, virtualMs }: Limits): void {
    this.maxSteps = steps
    watchProgress(this.kernel, { steps: stepsPerVirtualMs, progressUs: 1000 }, (error) => {
      this.fail('livelock', error.process, error.message)
    })
    watchTimeBudget(this.kernel, virtualMs * 1000, (error) =>
      this.fail('time-budget', error.process, error.message),
    )
  }

  /** A simulation's own ideas of what links are like. */
  private applyLinks(weather: Weather): void {
    if (this.simulation!.definition.levels?.[this.job.level]?.links === undefined) return
    const { network, hosts } = this.world
    changeLinks(network, new Set(hosts.keys()), linkConfigOf(weather.links))
  }

  private enterPhase(phase: Phase): void {
    this.phase = phase
    if (phase === 'heal') this.script?.close()
    this.publishFrom('world', 'phase', phase)
    if (phase === 'done') this.kernel.stop()
  }

  private afterStep(event: KernelEvent): void {
    const { kernel } = this
    this.host.progress?.(kernel.step)
    if (kernel.step === this.job.untilStep || this.accountant?.after(event) === true) {
      this.halted = true
      kernel.stop()
    }
    if (kernel.step > this.maxSteps) {
      this.fail('step-budget', 'step budget', `${this.maxSteps} steps, and the workload is not finished`)
    }
    if (this.withoutPower.length > 0) this.publishPowerLosses()
    this.fileWatch?.afterStep()
    if (this.invariants?.due !== true || !this.failures.isEmpty) return
    const violation = this.invariants.check(kernel.now / 1000)
    if (violation !== null) this.fail('invariant', violation.name, violation.reason)
  }

  /** After the fault that cut the power: what the disks have lost by it. */
  private publishPowerLosses(): void {
    for (const name of this.withoutPower.splice(0))
      this.publishFrom(name, 'power-loss', { host: name, lost: this.world.host(name).disk.losses })
  }

  private checked(result: CheckResult): void {
    this.checks.push(result)
    if (result.verdict !== 'invalid') return
    const [anomaly] = result.anomalies
    const message = anomaly?.message ?? `${result.checker} says invalid`
    this.fail('checker', result.checker, message, { details: result, anomaly: anomaly?.type ?? '' })
  }

  /** A process that ended because of something that the tank lacks says nothing about the system. */
  private lookForUnsupported(process: string): void {
    if (this.phase === 'done' || this.over) return
    const message = unsupportedWords(process, this.events)
    if (message !== null) this.fail('unsupported', process, unsupportedText(message))
  }

  private crashed(process: string, status: ExitStatus): void {
    if (this.phase === 'done' || this.over) return
    if (this.failures.all.some(({ category, title }) => category === 'unsupported' && title === process))
      return
    this.fail('process-exit', process, exitMessage(process, status, lastWords(process, this.events)))
  }

  private workloadEnded({ code, signal }: ExitStatus): void {
    if (this.phase === 'done' || this.over || !this.failures.isEmpty) return
    const said = lastWords(WORKLOAD, this.events)
    const how = `the workload's process ended with ${signal ?? `code ${code}`}`
    this.fail('workload', 'workload process', said === '' ? how : said)
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

  private publishFrom<Name extends keyof PublishedData>(
    source: string,
    name: Name,
    data: PublishedData[Name],
  ): void
  private publishFrom(source: string, name: string, data: unknown): void
  private publishFrom(source: string, name: string, data: unknown): void {
    if (this.over) return
    const { step, now, hash } = this.kernel
    if (!DERIVED.has(name)) {
      hash.addText(name, 'publishes')
      hashValue(hash, data, `publishes ${name} with`)
    }
    const event = this.events.publish({ step, timeUs: now, source, name, data })
    this.script?.saw(event)
  }

  // What is left when it is over.

  private record(): RunRecord {
    return {
      result: this.result(),
      hashes: this.hashes?.values() ?? null,
      choices: this.kernel.choices.made,
      program: Object.fromEntries([...this.image.read].sort(([a], [b]) => (a < b ? -1 : 1))),
      nextActor: this.halted ? this.nextActor : null,
      account: this.accountant?.account ?? null,
      events: this.events.entries(),
      faults: this.nemesis?.records ?? [],
      checks: this.checks,
      log: linesOf(this.events),
      kernel: this.kernel,
      recording: this.recording,
    }
  }

  private get diskModel(): DiskModel {
    return this.job.disk ?? this.simulation?.definition.disk ?? 'ext4'
  }

  private result(): SeedResult {
    const { kernel, system } = this
    const divergence = divergenceOf(kernel, this.job.misfit) // it explains whatever else went wrong
    const [failure = null, ...others] = [...(divergence === null ? [] : [divergence]), ...this.failures.all]
    return {
      seed: this.job.seed,
      failure,
      others,
      steps: kernel.step,
      timeUs: kernel.now,
      digest: kernel.hash.digest(),
      choices: kernel.choices.asked,
      disk: this.diskModel,
      processes: system?.processes.length ?? 0,
      boots: system?.boots ?? 0,
      exits: this.exits(),
      operations: this.recorder.operationCounts(),
      outcomes: outcomesIn(this.events),
      isJudged: this.isJudged(),
      allowGaps: this.simulation?.definition.allowGaps ?? [],
      invariants: this.invariants?.counts() ?? [],
      checkers: this.checks.map(checkerCount),
      assertions: this.assertions.summaries(),
      situations: this.simulation?.definition.situations ?? {},
      silent: this.silent(),
      asked: this.askedFaults(),
      budget: this.budget(),
      faults: faultCounts(this.nemesis?.records ?? [], this.buggify),
    }
  }

  private budget(): BudgetReport {
    const { budget = {}, levels = {} } = this.simulation?.definition ?? {}
    const whole = { ...DEFAULT_BUDGET, ...budget }
    return { ...whole, forbids: forbiddenIn(weatherOf(this.job.level, levels[this.job.level]), whole) }
  }

  /** What the definition watches and nothing came of, in words. */
  private silent(): string[] {
    const { taps = {}, files = {} } = this.simulation?.definition ?? {}
    const seen = (event: 'wire' | 'file', name: string): boolean =>
      this.events.named(event).some(({ data }) => ('tap' in data ? data.tap : data.file) === name)
    return [
      ...Object.keys(taps).flatMap((tap) => (seen('wire', tap) ? [] : [`tap '${tap}' saw no message`])),
      ...Object.keys(files).flatMap((file) => (seen('file', file) ? [] : [`file '${file}' never changed`])),
    ]
  }

  /** The families that the definition names for this level, with a rate, and those that it aims. */
  private askedFaults(): string[] {
    const { families = {} } = this.simulation?.definition.levels?.[this.job.level] ?? {}
    const drawn = Object.entries(families).flatMap(([family, rate]) =>
      (rate?.chance ?? 0) > 0 ? [family] : [],
    )
    const aimed = this.simulation?.definition.script?.filter(({ mayMiss }) => mayMiss !== true) ?? []
    return [...drawn, ...aimed.map(({ fault }) => fault)]
  }

  private exits(): ExitCounts {
    const buggified = this.buggify.counts().some(({ victims }) => victims > 0)
    return exitsIn({ events: this.events, buggified, dispensable: this.dispensable })
  }

  /** Whether an invariant, a `check` or an assertion could find something wrong. */
  private isJudged(): boolean {
    const { invariants, workload } = this.simulation?.definition ?? {}
    const assertions = this.assertions.summaries().filter((one) => !isSituation(one))
    const promises = Object.keys(invariants ?? {}).length + assertions.length
    return promises > 0 || workload?.check !== undefined
  }
}
