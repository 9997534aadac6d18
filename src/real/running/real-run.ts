/**
 * One real test, from the first process to the verdict:
 *
 *     start → ready → setup → clients and faults → heal → settle → final → check → clean up
 *
 * It is the tank's run with the world replaced: the same definition, the same recorder, the same choices; processes,
 * network and time are the machine's.
 */
import { dirname } from 'node:path'
import type { CheckResult } from '../../checkers/result.ts'
import { HistoryWriter } from '../../history/write.ts'
import { DEFAULT_BUDGET } from '../../faults/budget.ts'
import { Buggify, useBuggify } from '../../faults/buggify.ts'
import { Choices } from '../../kernel/choices.ts'
import { UsageError } from '../../kernel/errors.ts'
import { DEFAULT_LIMITS, rangeOf, type SimulationDefinition } from '../../sim/authoring/definition.ts'
import { AssertionTable } from '../../sim/authoring/assertion-table.ts'
import { OperationRecorder } from '../../sim/authoring/operations.ts'
import { resultsOf } from '../../sim/running/check-results.ts'
import { useRun } from '../../sim/running/current-run.ts'
import {
  DEFAULT_BOOT_MS,
  DEFAULT_CLIENTS,
  DEFAULT_REST_MS,
  everything,
  SETTLE_POLL_MS,
} from '../../sim/running/director.ts'
import type { FailureCategory } from '../../sim/running/failure.ts'
import { isMistake, mistakeText } from '../../sim/running/mistake.ts'
import type { Topology } from '../../sim/running/topology.ts'
import { RUN_VARIABLE } from '../cleanup/manifest.ts'
import type { RunResources } from '../cleanup/run-resources.ts'
import { blindness } from '../cluster/backends/abilities.ts'
import type { ChosenBackend } from '../cluster/backends/backend.ts'
import { Cluster } from '../cluster/cluster.ts'
import { withDetails } from '../entry/detail-text.ts'
import { answerNames } from '../entry/names.ts'
import { nemesisName } from '../nemeses/index.ts'
import { SCRIPT } from '../nemeses/scripted.ts'
import { CLIENTS } from '../proxy/address-plan.ts'
import { Aims } from './aims.ts'
import { Clients } from './clients.ts'
import { NemesisLoops } from './nemesis-loops.ts'
import { loadOf } from './load.ts'
import { drawNodes } from './nodes.ts'
import { Observation } from './observation.ts'
import { RealFiles, RealFileWatch } from './real-files.ts'
import { doubtsOf, successesInTime, verdictOf, type RealFailure, type RealResult } from './result.ts'
import type { RealSettings } from './settings.ts'
import { RunFolder, type StoredTest } from './store.ts'
import { realTaps } from './taps.ts'

/** How long clients may take to finish their last turns after the faults. */
const GRACE_MS = 30_000
const SERVES_AGAIN_MS = 10_000

export class RealRun {
  readonly #settings: RealSettings
  readonly #definition: SimulationDefinition
  readonly #choices: Choices
  /** With the names of the tank, and with those that were asked for. */
  readonly #drawn: Topology
  readonly #topology: Topology
  readonly #folder: RunFolder
  readonly #cluster: Cluster
  readonly #observation: Observation
  readonly #recorder: OperationRecorder
  readonly #loops: NemesisLoops
  readonly #history: HistoryWriter
  readonly #files: RealFiles
  /** Why invariants see too little here; null: they see all that a real run shows. */
  readonly #blind: string | null
  readonly #failures: RealFailure[] = []
  #sawWire = false
  readonly #checks: CheckResult[] = []
  readonly #concurrency: number
  readonly #begunMs = performance.now()

  constructor(settings: RealSettings, backend: ChosenBackend, resources: RunResources) {
    this.#settings = settings
    this.#definition = settings.simulation.definition
    this.#choices = new Choices({ seed: settings.seed })
    useBuggify(new Buggify(this.#choices, () => false))
    const { drawn, topology } = drawNodes(this.#choices, this.#definition, settings.nodes)
    this.#drawn = drawn
    this.#topology = topology
    this.#concurrency =
      settings.concurrency ?? rangeOf(this.#definition.workload.clients ?? DEFAULT_CLIENTS)[1]
    this.#blind = blindness(backend.name, this.#definition)
    this.#folder = new RunFolder(settings.store)
    this.#folder.begin(this.#stored())
    this.#history = new HistoryWriter(this.#folder.history)
    let fileWatch: RealFileWatch | null = null
    const taps = realTaps(this.#definition.taps, {
      publish: (event) => {
        this.#sawWire = true
        this.#observation.publish(event.from, 'wire', event)
      },
      broken: (tap, error) => this.#fail('workload', `taps.${tap}.decode`, error),
    })
    this.#cluster = new Cluster({
      placements: this.#topology.placements,
      folder: dirname(settings.file),
      project: settings.project,
      resources,
      backend,
      logs: this.#folder.logs,
      environment: settings.environment,
      random: this.#uniform(),
      weather: [...settings.nemeses, ...settings.script.map(({ chosen }) => chosen)].some(
        ({ nemesis }) => nemesis.group === 'network',
      ),
      events: {
        line: (node, stream, text) => this.#observation.publish(node, stream, text),
        booted: (process, boot) =>
          this.#observation.publish(process, 'process', {
            process,
            change: 'boot',
            boot,
            code: null,
            signal: null,
            ordered: false,
          }),
        exited: (process, boot, { code, signal }, ordered) => {
          this.#observation.publish(process, 'process', {
            process,
            change: 'exit',
            boot,
            code,
            signal,
            ordered,
          })
          if (!ordered) this.#exited(process, code, signal)
        },
        published: (node, name, data) => this.#observation.publish(node, name, data),
        assertionFailed: (node, title, message) => this.#fail('assertion', title, `${node}: ${message}`),
        ...(taps === null ? {} : { saw: taps }),
      },
    })
    this.#files = new RealFiles(this.#cluster.nodes, this.#definition.needsTank !== undefined)
    this.#observation = new Observation({
      definition: this.#definition,
      files: this.#files,
      nowUs: () => this.#nowUs(),
      drain: () => {
        this.#cluster.drain()
        fileWatch?.compare()
      },
      fail: (category, title, message) => this.#fail(category, title, `${message}${this.#hint()}`),
      blind: this.#blind,
      saw: (event) => this.#loops.saw(event),
      path: this.#folder.events,
    })
    if (this.#definition.files !== undefined) {
      fileWatch = new RealFileWatch(this.#definition.files, this.#cluster.nodes, (event) =>
        this.#observation.publish(event.process, 'file', event),
      )
    }
    this.#loops = new NemesisLoops({
      cluster: this.#cluster,
      choices: this.#choices,
      nemeses: settings.nemeses,
      intervalS: settings.intervalS,
      schedule: settings.schedule,
      script: settings.script,
      aims: new Aims({
        definition: this.#definition,
        choices: this.#choices,
        seed: settings.seed,
        cluster: this.#cluster,
        drawn: this.#drawn,
        topology: this.#topology,
        events: () => this.#observation.events,
      }),
      nowUs: () => this.#nowUs(),
      budget: { ...DEFAULT_BUDGET, ...this.#definition.budget },
      environment: { ...settings.environment, [RUN_VARIABLE]: resources.manifest.resources.run },
      willMakeGroup: (path) => resources.manifest.add('groups', path),
      changed: (change, fault) => {
        const { text, landed, victim } = fault
        this.#history.fault({ f: fault.nemesis, value: `${change} ${text}`, time: this.#nowUs() })
        this.#observation.publish('nemesis', 'real-fault', { change, fault })
        if (change === 'end') this.#folder.fault(this.#loops.records.at(-1)!)
        settings.say(
          change === 'begin' ? `  ${text}` : `  over: ${text} (${landed === true ? victim : 'DID NOT LAND'})`,
        )
      },
    })
    this.#recorder = new OperationRecorder({
      nowUs: () => this.#nowUs(),
      faultEpoch: () => this.#loops.epoch,
      publish: (event) => this.#observation.publish(`client ${event.client}`, 'operation', event),
      keep: (event) => this.#history.event(event),
      unsupported: (f, error) => this.#fail('unsupported', `operation ${f}`, error),
      after: (delayMs, callback) => {
        const timer = setTimeout(callback, delayMs)
        return () => clearTimeout(timer)
      },
    })
  }

  async execute(): Promise<RealResult> {
    await this.#cluster.begin()
    const forget = answerNames(this.#cluster.names(CLIENTS))
    useRun({
      assertions: new AssertionTable((message) => this.#fail('assertion', 'too many assertions', message)),
      events: this.#observation.events,
      publish: (name, data) => this.#observation.publish('workload', name, data),
      currentProcess: () => null,
      fail: (category, title, message, more) =>
        this.#fail(category, title, withDetails(message, more?.details)),
    })
    try {
      await this.#phases()
    } finally {
      useRun(null)
      useBuggify(null)
      forget()
      await this.#cluster.end()
      this.#history.close()
      this.#observation.close()
    }
    return this.#result()
  }

  async #phases(): Promise<void> {
    const { say, timeLimitS, rate } = this.#settings
    const definition = this.#definition
    this.#enter('boot')
    this.#loops.prepare()
    say(`starting ${this.#cluster.nodes.map(({ name }) => name).join(', ')}`)
    await this.#cluster.start()
    await sleep(definition.bootMs ?? DEFAULT_BOOT_MS)
    this.#enter('setup')
    const { hosts, placements } = this.#topology
    const processes = placements.map(({ identity }) => identity)
    const clients = new Clients({
      definition,
      choices: this.#choices,
      recorder: this.#recorder,
      context: { seed: this.#settings.seed, level: 'sunny', hosts, processes },
      concurrency: this.#concurrency,
      rate,
      nowUs: () => this.#nowUs(),
      turned: (turn) => this.#folder.turn(turn),
      threw: (part, error) => this.#fail(isMistake(error) ? 'mistake' : 'workload', part, error),
    })
    if (!(await clients.open())) return
    this.#enter('chaos')
    say(`${this.#concurrency} clients ask for ${timeLimitS} s`)
    this.#loops.begin(timeLimitS * 1000)
    const over = performance.now() + timeLimitS * 1000
    const asking = clients.run(over, GRACE_MS)
    await Promise.race([asking, sleep(timeLimitS * 1000)])
    this.#enter('heal')
    say('undoing all faults')
    await this.#loops.end()
    await Promise.all(
      this.#cluster.nodes
        .filter(
          ({ process, ports, placement }) => process.alive && (ports.size > 0 || placement.definition.system),
        )
        .map((node) => this.#cluster.serves(node, SERVES_AGAIN_MS)),
    )
    await asking
    this.#folder.flush()
    this.#enter('settle')
    if (!(await this.#settle(clients))) return
    await clients.final()
    this.#enter('check')
    say('checking')
    await this.#check(clients)
    this.#enter('done')
  }

  async #settle(clients: Clients): Promise<boolean> {
    const { settled } = this.#definition.workload
    if (settled === undefined) {
      await sleep(this.#definition.restMs ?? DEFAULT_REST_MS)
      return true
    }
    const { settleVirtualMs } = { ...DEFAULT_LIMITS, ...this.#definition.limits }
    const untilMs = performance.now() + settleVirtualMs
    while (performance.now() < untilMs) {
      try {
        if (await settled(clients.context('settled'))) return true
      } catch (error) {
        this.#fail(isMistake(error) ? 'mistake' : 'workload', 'settled', error)
        return false
      }
      await sleep(SETTLE_POLL_MS)
    }
    this.#fail('unsettled', 'settled', `not at rest ${settleVirtualMs} ms after every fault had ended`)
    return false
  }

  async #check(clients: Clients): Promise<void> {
    const { check } = this.#definition.workload
    if (check === undefined) return
    const context = clients.context('check')
    const events = everything(this.#observation.events)
    const blind = this.#blind
    try {
      const returned: unknown = await check({
        ...context,
        history: this.#recorder.history(),
        get events() {
          if (blind === null) return events
          throw new UsageError('ERR_WAVETANK_BACKEND', `check reads events, but ${blind}`)
        },
        files: this.#files,
      })
      const { results, wrong } = resultsOf(returned)
      if (wrong !== null) this.#fail('mistake', 'check', wrong)
      for (const result of results) this.#checked(result)
    } catch (error) {
      this.#fail(isMistake(error) ? 'mistake' : 'check', 'check', error)
    }
  }

  #checked(result: CheckResult): void {
    this.#checks.push(result)
    if (result.verdict !== 'invalid') return
    this.#fail('checker', result.checker, result.anomalies[0]?.message ?? `${result.checker} says invalid`)
  }

  #exited(process: string, code: number | null, signal: string | null): void {
    const { onExit = 'fail' } = this.#cluster.node(process).placement.definition
    if (onExit !== 'fail' || code === 0) return
    this.#fail('process-exit', process, `${process} ended with ${signal ?? `code ${code}`}; its log says why`)
  }

  #enter(phase: 'boot' | 'setup' | 'chaos' | 'heal' | 'settle' | 'check' | 'done'): void {
    this.#observation.publish('world', 'phase', phase)
  }

  #fail(category: FailureCategory, title: string, reason: unknown): void {
    const message = isMistake(reason)
      ? mistakeText(reason)
      : reason instanceof Error
        ? reason.message
        : String(reason)
    if (this.#failures.some((failure) => failure.category === category && failure.title === title)) return
    this.#failures.push({ category, title, message, timeUs: this.#nowUs() })
    this.#settings.say(`  ${category}: ${title}: ${message.split('\n')[0]}`)
  }

  /** An invariant that waits for bytes on a wire may be wrong where there were none. */
  #hint(): string {
    if (this.#definition.taps === undefined || this.#sawWire) return ''
    return ' (no tap has seen a byte: nodes that tell each other addresses of their own do not pass the proxy)'
  }

  #result(): RealResult {
    const { seed, simulation, file, timeLimitS, rate } = this.#settings
    const found = {
      operations: this.#recorder.operationCounts(),
      checks: this.#checks,
      invariants: this.#observation.invariants(),
      faults: this.#loops.records,
      nemeses: this.#nemesisNames(),
    }
    const okInTime = successesInTime(this.#observation.events)
    const { allowGaps } = this.#definition
    const doubts = [
      ...doubtsOf(found, { okInTime, allowGaps }),
      ...this.#loops.missed,
      ...this.#cluster.doubts,
    ]
    const load = loadOf(this.#folder.turns(), rate === 0 ? 'closed' : 'open', this.#nowUs())
    return {
      version: 1,
      name: simulation.name,
      file,
      seed,
      nodes: this.#cluster.nodes.map(({ name }) => name),
      concurrency: this.#concurrency,
      rate,
      timeLimitS,
      durationS: this.#nowUs() / 1e6,
      ...found,
      load,
      failures: this.#failures,
      doubts,
      verdict: verdictOf({ failures: this.#failures, doubts }),
    }
  }

  #nemesisNames(): string[] {
    const { nemeses, script } = this.#settings
    return [...nemeses.map(nemesisName), ...(script.length > 0 ? [SCRIPT] : [])]
  }

  #stored(): StoredTest {
    const { seed, simulation, file, timeLimitS, rate } = this.#settings
    return {
      version: 1,
      name: simulation.name,
      file,
      seed,
      nodes: this.#topology.placements.map(({ identity }) => identity.name),
      tankNames: this.#drawn.placements.map(({ identity }) => identity.name),
      counts: Object.fromEntries(
        Object.entries(this.#drawn.hosts).map(([group, hosts]) => [group, hosts.length]),
      ),
      concurrency: this.#concurrency,
      rate,
      timeLimitS,
      nemeses: this.#nemesisNames(),
      ...(this.#blind === null ? {} : { blind: this.#blind }),
    }
  }

  /** For the proxy: which chunk of how many is delayed is not a choice that could be replayed, only a seeded one. */
  #uniform(): () => number {
    const stream = this.#choices.stream('real proxy', 'fate')
    return () => stream.below(1 << 30) / (1 << 30)
  }

  #nowUs(): number {
    return Math.round((performance.now() - this.#begunMs) * 1000)
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
