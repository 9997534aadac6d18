/**
 * The clients of a real run: the simulation's own workload, driven by the wall clock. Each client has one turn at a time,
 * with the same random choices as in the tank (`client 2 operation #7`). With a rate, turns are due by a schedule and the
 * next free client takes the oldest; without one, a client begins its next turn when its last one is over.
 */
import type { Choices } from '../../kernel/choices.ts'
import type { ClientContext, SimulationDefinition, WorkloadContext } from '../../sim/authoring/definition.ts'
import type { OperationArguments, OperationRecorder } from '../../sim/authoring/operations.ts'
import { ChoiceRng } from '../../sim/authoring/rng.ts'
import { Arrivals } from './arrivals.ts'
import type { TurnRecord } from './load.ts'

/** Of random numbers: 30 bits. */
const GRAIN = 2 ** 30

export interface ClientsOptions {
  readonly definition: SimulationDefinition
  readonly choices: Choices
  readonly recorder: OperationRecorder
  readonly context: Omit<WorkloadContext, 'rng'>
  readonly concurrency: number
  /** Turns per second of all clients; 0: no pause between turns. */
  readonly rate: number
  readonly nowUs: () => number
  /** A turn is over, or never began. */
  readonly turned: (turn: TurnRecord) => void
  /** A part of the workload threw outside an operation. */
  readonly threw: (part: string, error: unknown) => void
}

export class Clients {
  readonly #options: ClientsOptions
  #states: unknown[] = []
  #stopped = false
  /** Turns that have begun and are not over, by client. */
  readonly #open = new Map<number, TurnRecord>()

  constructor(options: ClientsOptions) {
    this.#options = options
  }

  context(entity: string): WorkloadContext {
    const { context, choices } = this.#options
    return { ...context, rng: new ChoiceRng(choices, entity, false) }
  }

  /** Calls `setup` and opens all clients; false if that failed. */
  async open(): Promise<boolean> {
    const { definition, recorder, concurrency } = this.#options
    if (!(await this.#attempt('setup', () => definition.workload.setup?.(this.context('setup')))))
      return false
    recorder.begin(concurrency)
    for (let client = 0; client < concurrency; client++) {
      const opened = await this.#attempt('open', async () => {
        this.#states[client] = await definition.workload.open?.({
          ...this.context(`client ${client}`),
          client,
        })
      })
      if (!opened) return false
    }
    return true
  }

  /** Runs all clients until the time is over and their last turns are done, or `graceMs` later. */
  async run(untilMs: number, graceMs: number): Promise<void> {
    const { concurrency, rate, choices, turned } = this.#options
    const gaps = choices.stream('load', 'gap')
    const random = (): number => gaps.below(GRAIN) / GRAIN
    const beginMs = performance.now()
    const arrivals = rate === 0 ? null : new Arrivals({ rate, random, beginMs, untilMs })
    const due = (): Promise<number | null> => arrivals?.next() ?? rightAway(untilMs)
    const all = Promise.all(Array.from({ length: concurrency }, (_, client) => this.#client(client, due)))
    const restMs = Math.max(0, untilMs - beginMs)
    await Promise.race([all, sleep(restMs)])
    for (const dueMs of arrivals?.end() ?? [])
      turned({ client: -1, operation: null, dueUs: this.#us(dueMs), beginUs: null, endUs: null })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, graceMs)))
    await Promise.race([all, late])
    clearTimeout(timer)
    this.#stopped = true
    for (const turn of this.#open.values()) turned(turn)
  }

  /** The final turn of every client, one after the other. */
  async final(): Promise<void> {
    const { definition, concurrency } = this.#options
    for (let client = 0; client < concurrency; client++) {
      const context = this.#turn(client, -1, `client ${client} final`, () => {})
      if (!(await this.#attempt('final', () => definition.workload.final?.(context)))) return
    }
  }

  async #client(client: number, due: () => Promise<number | null>): Promise<void> {
    const { definition, nowUs, turned } = this.#options
    for (let index = 0; !this.#stopped; index++) {
      const dueMs = await due()
      if (dueMs === null) return
      const dueUs = this.#us(dueMs)
      const beginUs = nowUs()
      let operation: number | null = null
      const begun = (): TurnRecord => ({ client, operation, dueUs, beginUs, endUs: null })
      const first = (id: number): void => {
        operation ??= id
        this.#open.set(client, begun())
      }
      const context = this.#turn(client, index, `client ${client} operation #${index}`, first)
      this.#open.set(client, begun())
      if (!(await this.#attempt('run', () => definition.workload.run(context)))) return
      if (this.#open.delete(client) && !this.#stopped) turned({ ...begun(), endUs: nowUs() })
    }
  }

  /** A time of `performance.now()` in the time of the run. */
  #us(ms: number): number {
    return Math.round(this.#options.nowUs() - (performance.now() - ms) * 1000)
  }

  /** `began` is called with the number of every operation. */
  #turn(client: number, index: number, entity: string, began: (id: number) => void): ClientContext {
    const { recorder } = this.#options
    return {
      ...this.context(entity),
      client,
      index,
      state: this.#states[client],
      operation<T>(f: string, ...rest: OperationArguments<T>) {
        const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest
        return recorder.operation(client, f, options, (running) => {
          began(running.id)
          return body(running)
        })
      },
    }
  }

  async #attempt(part: string, body: () => unknown): Promise<boolean> {
    try {
      await body()
      return true
    } catch (error) {
      this.#options.threw(part, error)
      return false
    }
  }
}

/** A closed loop: the next turn is due now, once what has come in was handled. */
async function rightAway(untilMs: number): Promise<number | null> {
  await new Promise((resolve) => setImmediate(resolve))
  const nowMs = performance.now()
  return nowMs < untilMs ? nowMs : null
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
