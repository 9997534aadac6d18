/**
 * When faults happen: by intervals, where every nemesis has a loop of its own (wait, strike, hold, undo); in phases, one
 * nemesis after the other; or as the simulation's script says. The lengths and victims are choices of the seed; whether
 * the same choice meets the same moment of the system is up to reality.
 */
import type { FaultBudget } from '../../faults/budget.ts'
import type { Choices } from '../../kernel/choices.ts'
import type { PublishedEvent } from '../../sim/authoring/event-log.ts'
import { ChoiceRng } from '../../sim/authoring/rng.ts'
import type { AimedFault } from '../../sim/authoring/script.ts'
import type { Cluster, RealNode } from '../cluster/cluster.ts'
import { nemesisName, type ChosenNemesis } from '../nemeses/index.ts'
import type { Aims } from './aims.ts'
import type { ScriptedFault } from '../nemeses/scripted.ts'
import type { Evidence, FaultInForce, Field, RealFaultRecord } from '../nemeses/nemesis.ts'

/** Shares of the interval: the least time that a fault gets, and how much longer one is held that has not landed. */
const LEAST_SHARE = 0.3
const MOST_LONGER = 2
const POLL_MS = 50
/** The longest timer there is. */
const LONGEST_MS = 2 ** 31 - 1

export interface LoopOptions {
  readonly cluster: Cluster
  readonly choices: Choices
  readonly nemeses: readonly ChosenNemesis[]
  readonly intervalS: number
  /** `phases`: each nemesis has a part of the time alone, quiet at both of its ends. */
  readonly schedule: 'interval' | 'phases'
  readonly script: readonly ScriptedFault[]
  readonly aims: Pick<Aims, 'at' | 'primaries' | 'members'>
  readonly nowUs: () => number
  readonly budget: Required<FaultBudget>
  /** For programs that faults start: it names the run. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Writes a control group down before it is made. */
  readonly willMakeGroup: (path: string) => void
  readonly changed: (change: 'begin' | 'end', fault: FaultChange) => void
}

/** A fault as it begins; at its end with what was seen. */
export type FaultChange = Omit<RealFaultRecord, 'endUs' | 'injector' | 'victim' | 'landed'> &
  Partial<RealFaultRecord>

export class NemesisLoops {
  readonly records: RealFaultRecord[] = []
  /** Faults of the script that struck nothing, with the reason. */
  readonly missed: string[] = []
  /** Faults begun or ended so far. */
  epoch = 0
  readonly #options: LoopOptions
  readonly #stop = new AbortController()
  #loops: Promise<void>[] = []
  #next = 1
  readonly #waits = new Set<(event: PublishedEvent) => void>()
  #endMs = 0

  constructor(options: LoopOptions) {
    this.#options = options
  }

  /** Before the first start: what faults need of nodes. Throws if one of them cannot work here. */
  prepare(): void {
    const { script, aims, budget, environment } = this.#options
    const nemeses = [...this.#options.nemeses, ...script.map(({ chosen }) => chosen)]
    const preparation = {
      nodes: this.#victims(),
      path: environment.PATH ?? '',
      members: aims.members,
      budget,
    }
    for (const { nemesis, variant } of nemeses) nemesis.prepare?.(preparation, variant)
  }

  /** Begins the loops, for as long as clients ask. */
  begin(windowMs: number): void {
    this.#endMs = performance.now() + windowMs
    const { nemeses, schedule, script } = this.#options
    this.#loops = [
      ...(schedule === 'phases' ? [this.#phases(windowMs)] : nemeses.map((chosen) => this.#loop(chosen))),
      ...script.map((scripted) => this.#scripted(scripted)),
    ]
  }

  /** An event was published: a script may wait for it. */
  saw(event: PublishedEvent): void {
    for (const wait of this.#waits) wait(event)
  }

  /** Undoes what is in force. Resolves when nothing is. */
  async end(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#loops)
    this.#options.cluster.network.heal()
  }

  async #loop(chosen: ChosenNemesis): Promise<void> {
    const name = nemesisName(chosen)
    for (let strike = 0; !this.#stop.signal.aborted; strike++) {
      const rng = new ChoiceRng(this.#options.choices, `real nemesis ${name} #${strike}`, false)
      const unitMs = this.#options.intervalS * 1000
      await this.#sleep((rng.between(30, 100) / 100) * unitMs)
      // What begins in the last moment cannot show that it landed.
      if (this.#stop.signal.aborted || this.#endMs - performance.now() < LEAST_SHARE * unitMs) return
      const holdMs = (rng.between(50, 100) / 100) * unitMs
      await this.#strike(chosen, this.#field(rng), holdMs, MOST_LONGER * unitMs)
    }
  }

  /** Strikes, holds, undoes; false if there was nothing to hit. */
  async #strike(chosen: ChosenNemesis, field: Field, holdMs: number, longerMs: number): Promise<boolean> {
    const beginUs = this.#options.nowUs()
    const fault = await chosen.nemesis.begin(field, chosen.variant)
    if (fault === null) return false
    const record = this.#begun(chosen, fault, beginUs)
    await this.#sleep(holdMs)
    await this.#untilLanded(fault, longerMs)
    this.#ended(record, await endOf(fault))
    return true
  }

  async #phases(windowMs: number): Promise<void> {
    const { nemeses, choices } = this.#options
    const quarterMs = windowMs / nemeses.length / 4
    for (const [index, chosen] of nemeses.entries()) {
      const untilMs = this.#endMs - windowMs + 4 * quarterMs * (index + 1)
      const rng = new ChoiceRng(choices, `real nemesis phase #${index}`, false)
      await this.#sleep(quarterMs)
      if (this.#stop.signal.aborted) return
      await this.#strike(chosen, this.#field(rng), 2 * quarterMs, quarterMs / 2)
      await this.#sleep(untilMs - performance.now())
    }
  }

  async #scripted({ index, fault, chosen }: ScriptedFault): Promise<void> {
    const { choices, aims } = this.#options
    const miss = (reason: string): void => {
      if (fault.mayMiss !== true)
        this.missed.push(`script[${index}] (${fault.fault}) was aimed at nothing: ${reason}`)
    }
    if (fault.after === undefined) await this.#sleep(fault.atMs ?? 0)
    else if (await this.#event(fault.after, fault.nth ?? 1)) await this.#sleep(fault.delayMs ?? 0)
    if (this.#stop.signal.aborted) {
      miss('its moment did not come')
      return
    }
    const field = this.#field(new ChoiceRng(choices, `real nemesis script #${index}`, false))
    const names = fault.target === undefined ? null : aims.at(fault.target)
    const isAimedAt = ({ name }: RealNode): boolean => names === null || names.includes(name)
    const aimed = { ...field, nodes: field.nodes.filter(isAimedAt), living: field.living.filter(isAimedAt) }
    if (!(await this.#strike(chosen, aimed, fault.forMs ?? LONGEST_MS, 0)))
      miss('there was nothing that it could hit')
  }

  /** Waits for the nth event of a name, or for which a function is true; false if it has not come. */
  #event(after: NonNullable<AimedFault['after']>, nth: number): Promise<boolean> {
    let seen = 0
    return new Promise((resolve) => {
      const wait = (event: PublishedEvent): void => {
        if (!(typeof after === 'string' ? event.name === after : after(event)) || ++seen < nth) return
        this.#waits.delete(wait)
        resolve(true)
      }
      this.#waits.add(wait)
      this.#stop.signal.addEventListener('abort', () => resolve(false))
    })
  }

  #field(rng: ChoiceRng): Field {
    const { cluster, choices, aims, budget, environment, willMakeGroup } = this.#options
    const nodes = this.#victims()
    const living = nodes.filter((node) => node.process.alive && !node.down)
    const sameRng = (about: string): ChoiceRng => new ChoiceRng(choices, `real nemesis: ${about}`, false)
    const { members } = aims
    const primaries = (): Promise<readonly string[]> => aims.primaries()
    const known = { cluster, primaries, members, budget, environment, willMakeGroup }
    return { ...known, rng, sameRng, nodes, living }
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
