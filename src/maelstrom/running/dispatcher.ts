/**
 * Hands requests to free threads at the rate of the test. The time between two requests is uniform between 0 and twice
 * the mean; a request for which no thread is free waits for one, and what is late is made up for as threads come free.
 */
import { fraction, pick, type Decisions } from '../decisions.ts'
import type { Machine } from '../machine.ts'
import type { Generator } from '../workloads/workload.ts'
import type { Thread } from './threads.ts'

export interface DispatcherSettings {
  readonly machine: Machine
  readonly decisions: Decisions
  readonly threads: readonly Thread[]
  readonly rate: number
  readonly untilUs: number
}

/** Resolves when the time is over and every request has ended; rejects with what a thread threw. */
export function dispatch(settings: DispatcherSettings, next: Generator): Promise<void> {
  return new Promise((resolve, reject) => new Dispatcher(settings, next, resolve, reject).begin())
}

class Dispatcher {
  readonly #settings: DispatcherSettings
  readonly #next: Generator
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void
  readonly #free: Thread[]
  #dueUs: number
  #cancel: (() => void) | null = null
  #over = false

  constructor(
    settings: DispatcherSettings,
    next: Generator,
    resolve: () => void,
    reject: (error: unknown) => void,
  ) {
    this.#settings = settings
    this.#next = next
    this.#resolve = resolve
    this.#reject = reject
    this.#free = [...settings.threads]
    this.#dueUs = settings.machine.nowUs()
  }

  begin(): void {
    const { machine, rate, untilUs } = this.#settings
    machine.after(Math.max(0, (untilUs - machine.nowUs()) / 1000), () => this.#end())
    if (rate > 0) this.#pump()
  }

  #pump(): void {
    const { machine, decisions, untilUs } = this.#settings
    this.#cancel?.()
    this.#cancel = null
    while (!this.#over && this.#free.length > 0) {
      const now = machine.nowUs()
      if (now >= untilUs) return
      if (this.#dueUs > now) {
        this.#cancel = machine.after((this.#dueUs - now) / 1000, () => this.#pump())
        return
      }
      const thread = pick(decisions, this.#free, 'thread')
      const request = this.#next({ thread: thread.index, process: thread.process, state: thread.state })
      this.#dueUs += Math.round((fraction(decisions, 'stagger') * 2_000_000) / this.#settings.rate)
      if (request === null) continue
      this.#free.splice(this.#free.indexOf(thread), 1)
      thread.run(request).then(
        () => {
          this.#free.push(thread)
          if (this.#over) this.#end()
          else this.#pump()
        },
        (error: unknown) => this.#reject(error),
      )
    }
  }

  #end(): void {
    this.#over = true
    this.#cancel?.()
    if (this.#free.length === this.#settings.threads.length) this.#resolve()
  }
}
