/**
 * The nemesis: partitions, kills and pauses, each switched on and off in turn. The first comes at once, the next after a
 * time between 0 and twice the interval; partitions have one such sequence, and kills and pauses have one together, as
 * Jepsen's packages of faults do. What it does stands in the history as Jepsen writes it, and in `faults` with
 * what was seen of the victims.
 */
import { fraction, pick, shuffled, type Decisions } from '../decisions.ts'
import { sleep, type Machine } from '../machine.ts'
import { drawPartition } from '../network/partitions.ts'
import type { Cluster } from './cluster.ts'
import { killRecord, partitionRecord, pauseRecord, type FaultRecord } from './fault-evidence.ts'
import type { OperationLog } from './operation-log.ts'
import type { NemesisName, TestSettings } from './settings.ts'

const ENDS: Readonly<Record<NemesisName, string>> = {
  partition: 'stop-partition',
  kill: 'start',
  pause: 'resume',
}
const BEGINS: Readonly<Record<NemesisName, string>> = {
  partition: 'start-partition',
  kill: 'kill',
  pause: 'pause',
}

/** The two sequences draw from streams of their own. */
function labelOf(name: NemesisName): string {
  return name === 'partition' ? 'nemesis' : 'process nemesis'
}

export class Nemesis {
  /** What is over. */
  readonly faults: FaultRecord[] = []
  readonly #cluster: Cluster
  readonly #settings: TestSettings
  readonly #machine: Machine
  readonly #decisions: Decisions
  readonly #log: OperationLog
  /** What is in force, with how it is undone: the record says what was seen of it. */
  readonly #active = new Map<NemesisName, () => Promise<FaultRecord>>()

  constructor(
    cluster: Cluster,
    settings: TestSettings,
    machine: Machine,
    decisions: Decisions,
    log: OperationLog,
  ) {
    this.#cluster = cluster
    this.#settings = settings
    this.#machine = machine
    this.#decisions = decisions
    this.#log = log
  }

  /** Works until then, and not a moment longer: the last fault stays in force until {@link heal}. */
  async run(untilUs: number): Promise<void> {
    const { nemesis } = this.#settings
    const partitions = nemesis.filter((name) => name === 'partition')
    const processes = nemesis.filter((name) => name !== 'partition')
    await Promise.all([partitions, processes].map((names) => this.#alternate(names, untilUs)))
  }

  /** Switches one of these faults on or off, again and again. */
  async #alternate(names: readonly NemesisName[], untilUs: number): Promise<void> {
    const { nemesisIntervalSeconds } = this.#settings
    const leftMs = (): number => (untilUs - this.#machine.nowUs()) / 1000
    while (names.length > 0 && leftMs() > 0) {
      const name = pick(this.#decisions, names, labelOf(names[0]))
      await (this.#active.has(name) ? this.#end(name) : this.#begin(name))
      const pauseMs = fraction(this.#decisions, labelOf(name)) * 2000 * nemesisIntervalSeconds
      await sleep(this.#machine, Math.max(0, Math.min(pauseMs, leftMs())))
    }
  }

  /** Ends every fault that is in force. */
  async heal(): Promise<void> {
    for (const name of this.#active.keys()) await this.#end(name)
  }

  async #begin(name: NemesisName): Promise<void> {
    const { nodes } = this.#settings
    if (name === 'partition') return this.#partition()
    const count = 1 + this.#decisions.below(nodes.length, labelOf(name))
    const victims = new Set(shuffled(this.#decisions, nodes, labelOf(name)).slice(0, count))
    const targets = this.#cluster.nodes.filter((node) => victims.has(node.id) && node.running)
    const names = targets.map(({ id }) => id)
    this.#record(BEGINS[name], [...victims])
    if (name === 'kill') {
      const signals = await Promise.all(targets.map((node) => node.kill()))
      this.#active.set(name, async () => {
        await this.#cluster.start(this.#cluster.nodes.filter((node) => node.killed))
        return killRecord(names, signals)
      })
    } else {
      for (const node of targets) node.pause()
      this.#active.set(name, async () => {
        const pauses = new Map(this.#cluster.nodes.map((node) => [node.id, node.resume()]))
        return pauseRecord(
          names,
          names.map((each) => pauses.get(each)!),
        )
      })
    }
    this.#record(BEGINS[name], [...victims])
  }

  #partition(): void {
    const { network } = this.#cluster
    const { shape, cuts } = drawPartition(this.#decisions, this.#settings.nodes)
    this.#record('start-partition', shape)
    const before = network.dropped
    network.partition(cuts)
    this.#active.set('partition', async () => {
      network.heal()
      const cutOff = [...cuts].filter(([, others]) => others.size > 0).map(([node]) => node)
      return partitionRecord(shape, cutOff, network.dropped - before)
    })
    const isolated = Object.fromEntries([...cuts].map(([node, others]) => [node, [...others]]))
    this.#record('start-partition', ['isolated', isolated])
  }

  async #end(name: NemesisName): Promise<void> {
    const undo = this.#active.get(name)!
    this.#active.delete(name)
    this.#record(ENDS[name], null)
    this.faults.push(await undo())
    this.#record(ENDS[name], name === 'partition' ? 'network-healed' : null)
  }

  #record(f: string, value: unknown): void {
    this.#log.add({ type: 'info', process: 'nemesis', f, value })
  }
}
