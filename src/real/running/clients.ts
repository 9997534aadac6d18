/**
 * The clients of a real run: the simulation's own workload, driven by the wall clock. Each client has one turn at a time,
 * with the same random choices as in the tank (`client 2 operation #7`), spread by the rate that was asked for.
 */
import type { Choices } from '../../kernel/choices.ts'
import type { ClientContext, SimulationDefinition, WorkloadContext } from '../../sim/authoring/definition.ts'
import type { OperationArguments, OperationRecorder } from '../../sim/authoring/operations.ts'
import { ChoiceRng } from '../../sim/authoring/rng.ts'

export interface ClientsOptions {
  readonly definition: SimulationDefinition
  readonly choices: Choices
  readonly recorder: OperationRecorder
  readonly context: Omit<WorkloadContext, 'rng'>
  readonly concurrency: number
  /** Operations per second of all clients; 0: no pause between turns. */
  readonly rate: number
  /** A part of the workload threw outside an operation. */
  readonly threw: (part: string, error: unknown) => void
}

export class Clients {
  readonly #options: ClientsOptions
  #states: unknown[] = []
  #stopped = false

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
    const { concurrency } = this.#options
    const all = Promise.all(Array.from({ length: concurrency }, (_, client) => this.#client(client, untilMs)))
    const restMs = Math.max(0, untilMs - performance.now())
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, restMs + graceMs)))
    await Promise.race([all, late])
    clearTimeout(timer)
    this.#stopped = true
  }

  /** The final turn of every client, one after the other. */
  async final(): Promise<void> {
    const { definition, concurrency } = this.#options
    for (let client = 0; client < concurrency; client++) {
      const context = this.#turn(client, -1, `client ${client} final`)
      if (!(await this.#attempt('final', () => definition.workload.final?.(context)))) return
    }
  }

  async #client(client: number, untilMs: number): Promise<void> {
    const { definition, choices, rate, concurrency } = this.#options
    const gaps = choices.stream(`client ${client}`, 'gap')
    const meanUs = rate === 0 ? 0 : (concurrency / rate) * 1_000_000
    let dueMs = performance.now()
    for (let index = 0; !this.#stopped; index++) {
      if (meanUs > 0)
        dueMs = Math.max(dueMs, performance.now() - meanUs / 1000) + gaps.below(2 * Math.round(meanUs)) / 1000
      if (dueMs >= untilMs || performance.now() >= untilMs) return
      const waitMs = dueMs - performance.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      const context = this.#turn(client, index, `client ${client} operation #${index}`)
      if (!(await this.#attempt('run', () => definition.workload.run(context)))) return
      if (meanUs === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  #turn(client: number, index: number, entity: string): ClientContext {
    const { recorder } = this.#options
    return {
      ...this.context(entity),
      client,
      index,
      state: this.#states[client],
      operation<T>(f: string, ...rest: OperationArguments<T>) {
        const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest
        return recorder.operation(client, f, options, body)
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
