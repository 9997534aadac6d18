/**
 * When faults happen. Every nemesis that was asked for has a loop of its own: wait, strike, hold, undo. The lengths and
 * victims are choices of the seed; whether the same choice meets the same moment of the system is up to reality.
 */
import type { FaultBudget } from '../../faults/budget.ts'
import type { Choices } from '../../kernel/choices.ts'
import { ChoiceRng } from '../../sim/authoring/rng.ts'
import type { Cluster, RealNode } from '../cluster/cluster.ts'
import { nemesisName, type ChosenNemesis } from '../nemeses/index.ts'
import type { Evidence, FaultInForce, Field, Members, RealFaultRecord } from '../nemeses/nemesis.ts'

/** Shares of the interval: the least time that a fault gets, and how much longer one is held that has not landed. */
const LEAST_SHARE = 0.3
const MOST_LONGER = 2
const POLL_MS = 50

export interface LoopOptions {
  readonly cluster: Cluster
  readonly choices: Choices
  readonly nemeses: readonly ChosenNemesis[]
  readonly intervalS: number
  readonly nowUs: () => number
  readonly primaries: () => Promise<readonly string[]>
  readonly members: Members | null
  readonly budget: Required<FaultBudget>
  /** For programs that faults start: it names the run. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly changed: (change: 'begin' | 'end', fault: FaultChange) => void
}

/** A fault as it begins; at its end with what was seen. */
export type FaultChange = Omit<RealFaultRecord, 'endUs' | 'injector' | 'victim' | 'landed'> &
  Partial<RealFaultRecord>

export class NemesisLoops {
  readonly records: RealFaultRecord[] = []
  /** Faults begun or ended so far. */
  epoch = 0
  readonly #options: LoopOptions
  readonly #stop = new AbortController()
  #loops: Promise<void>[] = []
  #next = 1
  #endMs = 0

  constructor(options: LoopOptions) {
    this.#options = options
  }

  /** Before the first start: what faults need of nodes. Throws if one of them cannot work here. */
  prepare(): void {
    const { nemeses, members, budget, environment } = this.#options
    const preparation = { nodes: this.#victims(), path: environment.PATH ?? '', members, budget }
    for (const { nemesis, variant } of nemeses) nemesis.prepare?.(preparation, variant)
  }

  /** Begins the loops, for as long as clients ask. */
  begin(windowMs: number): void {
    this.#endMs = performance.now() + windowMs
    this.#loops = this.#options.nemeses.map((chosen) => this.#loop(chosen))
  }

  /** Undoes what is in force. Resolves when nothing is. */
  async end(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#loops)
    this.#options.cluster.proxy.heal()
  }

  async #loop(chosen: ChosenNemesis): Promise<void> {
    const name = nemesisName(chosen)
    for (let strike = 0; !this.#stop.signal.aborted; strike++) {
      const rng = new ChoiceRng(this.#options.choices, `real nemesis ${name} #${strike}`, false)
      const unitMs = this.#options.intervalS * 1000
      await this.#sleep((rng.between(30, 100) / 100) * unitMs)
      // What begins in the last moment cannot show that it landed.
      if (this.#stop.signal.aborted || this.#endMs - performance.now() < LEAST_SHARE * unitMs) return
      const beginUs = this.#options.nowUs()
      const fault = await chosen.nemesis.begin(this.#field(rng), chosen.variant)
      if (fault === null) continue
      const record = this.#begun(chosen, fault, beginUs)
      await this.#sleep((rng.between(50, 100) / 100) * unitMs)
      await this.#untilLanded(fault, MOST_LONGER * unitMs)
      this.#ended(record, await endOf(fault))
    }
  }

  #field(rng: ChoiceRng): Field {
    const { cluster, choices, primaries, members, budget, environment } = this.#options
    const nodes = this.#victims()
    const living = nodes.filter((node) => node.process.alive && !node.down)
    const sameRng = (about: string): ChoiceRng => new ChoiceRng(choices, `real nemesis: ${about}`, false)
    return { cluster, rng, sameRng, nodes, living, primaries, members, budget, environment }
  }

  #victims(): RealNode[] {
    return this.#options.cluster.nodes.filter(({ placement }) => placement.definition.spared !== true)
  }

  #begun({ nemesis, variant }: ChosenNemesis, { text, targets }: FaultInForce, beginUs: number): FaultChange {
    const { family, group } = nemesis
    const id = this.#next++
    const fault = { id, nemesis: nemesisName({ nemesis, variant }), family, group, text, targets, beginUs }
    this.epoch++
    this.#options.changed('begin', fault)
    return fault
  }

  #ended(fault: FaultChange, evidence: Evidence): void {
    const { injector, victim } = evidence
    const record = { ...fault, endUs: this.#options.nowUs(), injector, victim, landed: victim !== null }
    this.records.push(record)
    this.epoch++
    this.#options.changed('end', record)
  }

  async #untilLanded(fault: FaultInForce, mostMs: number): Promise<void> {
    const untilMs = performance.now() + mostMs
    while (fault.landed?.() === false && performance.now() < untilMs && !this.#stop.signal.aborted)
      await this.#sleep(POLL_MS)
  }

  #sleep(ms: number): Promise<void> {
    const { signal } = this.#stop
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal.addEventListener('abort', done)
    })
  }
}

async function endOf(fault: FaultInForce): Promise<Evidence> {
  try {
    return await fault.end()
  } catch (error) {
    return { injector: `the fault could not be undone: ${(error as Error).message}`, victim: null }
  }
}
