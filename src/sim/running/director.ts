/**
 * The phases of a run, as plain asynchronous code in the workload's process:
 *
 *     boot → setup (quiet) → chaos window → heal → settle → check
 *
 * Faults happen inside the chaos window only. It ends after its drawn length, or when the last client is done. Then the
 * core is healed: everything, but for the processes that the budget lets stay broken. The clients finish what they have
 * left, the system comes to rest, and `check` judges the history.
 *
 * Each of a client's operations is due at a time of its own, whatever those before it do (a client that is late catches
 * up), and whether it happens at all is a choice too (0: it does not). So shrinking can take out any operation, and
 * nothing else moves.
 */
import { inspect } from 'node:util'
import type { Nemesis } from '../../faults/nemesis.ts'
import type { Weather } from '../../faults/levels.ts'
import type { CheckResult } from '../../checkers/result.ts'
import { max, round } from '../../kernel/arithmetic.ts'
import type { Choices } from '../../kernel/choices.ts'
import {
  rangeOf,
  type ClientContext,
  type Limits,
  type SimulationDefinition,
  type WorkloadContext,
} from '../authoring/definition.ts'
import { EventCursor, type EventLog } from '../authoring/event-log.ts'
import { resultsOf } from './check-results.ts'
import type { FailureCategory } from './failure.ts'
import type { OperationArguments, OperationRecorder } from '../authoring/operations.ts'
import { ChoiceRng } from '../authoring/rng.ts'
import type { ProcessFiles } from '../authoring/watched-files.ts'
import type { Script } from './script.ts'
import type { WorkloadProcess } from './workload-process.ts'

export const DEFAULT_CLIENTS = 3
const DEFAULT_OPERATIONS = [10, 30] as const
export const DEFAULT_BOOT_MS = 200
export const DEFAULT_REST_MS = 1000
export const SETTLE_POLL_MS = 100
/** Operations that are named when none of them is answered. */
const SHOWN_WAITING = 5
const CERTAIN_PPM = 1_000_000

export type Phase = 'boot' | 'setup' | 'chaos' | 'heal' | 'settle' | 'check' | 'done'

/** What the director needs of the run. */
export interface Stage {
  readonly definition: SimulationDefinition
  readonly limits: Limits
  readonly weather: Weather
  readonly choices: Choices
  readonly workload: WorkloadProcess
  readonly nemesis: Nemesis
  readonly script: Pick<Script, 'begin'>
  readonly recorder: OperationRecorder
  readonly events: EventLog
  readonly files: ProcessFiles
  readonly context: Omit<WorkloadContext, 'rng'>
  /** Whether nothing is due any more. */
  readonly isIdle: () => boolean
  /** The processes that do not run now. */
  readonly down: () => readonly string[]
  enter(phase: Phase): void
  checked(result: CheckResult): void
  fail(category: FailureCategory, title: string, error: unknown): void
}

export class Director {
  private readonly stage: Stage

  constructor(stage: Stage) {
    this.stage = stage
  }

  /** Runs all phases. Resolves when the run is over; a failure of the workload ends it early. */
  async run(): Promise<void> {
    const { stage } = this
    const { workload, nemesis, definition, limits } = stage
    stage.enter('boot')
    await workload.sleep(definition.bootMs ?? DEFAULT_BOOT_MS)
    stage.enter('setup')
    if (!(await this.attempt('setup', () => definition.workload.setup?.(this.context('setup'))))) return
    const states = await this.openClients()
    if (states === null) return
    stage.enter('chaos')
    const [least, most] = stage.weather.windowMs
    const windowMs = stage.choices.stream('chaos', 'window').between(least, most)
    nemesis.begin(windowMs * 1000)
    stage.script.begin()
    const clients = Promise.all(states.map((state, client) => this.client(client, state)))
    const windowOver = workload.sleep(windowMs)
    await Promise.race([clients, windowOver])
    stage.enter('heal')
    nemesis.close()
    const watched = this.watchProgress(limits.settleVirtualMs)
    await clients
    stage.enter('settle')
    if (!(await this.settle())) return
    for (const [client, state] of states.entries()) if (!(await this.finalTurn(client, state))) return
    watched()
    stage.enter('check')
    await this.check()
    stage.enter('done')
  }

  private context(entity: string): WorkloadContext {
    return { ...this.stage.context, rng: this.rng(entity) }
  }

  private rng(entity: string): ChoiceRng {
    return new ChoiceRng(this.stage.choices, entity, this.stage.weather.swarm)
  }

  private async openClients(): Promise<unknown[] | null> {
    const { definition, choices, recorder } = this.stage
    const [least, most] = rangeOf(definition.workload.clients ?? DEFAULT_CLIENTS)
    const count = least === most ? least : choices.stream('clients', 'count').between(least, most)
    recorder.begin(count)
    const states: unknown[] = []
    for (let client = 0; client < count; client++) {
      const opened = await this.attempt('open', async () => {
        states[client] = await definition.workload.open?.({ ...this.context(`client ${client}`), client })
      })
      if (!opened) return null
    }
    return Array.from(states, (state) => state)
  }

  private async client(client: number, state: unknown): Promise<void> {
    const { definition, choices, workload } = this.stage
    const begunMs = workload.nowMs
    for (const { index, dueMs } of this.schedule(client)) {
      const entity = `client ${client} operation #${index}`
      await workload.sleep(max(0, begunMs + dueMs - workload.nowMs))
      if (!choices.stream(entity, 'happens').chance(CERTAIN_PPM)) continue
      const context = this.clientContext(client, index, state, entity)
      if (!(await this.attempt('run', () => definition.workload.run(context)))) return
    }
  }

  /** When a client's operations are due, in that order. */
  private schedule(client: number): { readonly index: number; readonly dueMs: number }[] {
    const { definition, choices, weather } = this.stage
    const [least, most] = rangeOf(definition.workload.operations ?? DEFAULT_OPERATIONS)
    const spanMs = definition.workload.spanMs ?? (weather.windowMs[0] + weather.windowMs[1]) / 2
    const count = choices.stream(`client ${client}`, 'operations').between(least, most)
    const turns = Array.from({ length: count }, (_, index) => {
      const dueUs = choices
        .stream(`client ${client} operation #${index}`, 'due')
        .between(0, round(spanMs * 1000))
      return { index, dueMs: dueUs / 1000 }
    })
    return turns.sort((a, b) => a.dueMs - b.dueMs || a.index - b.index)
  }

  private finalTurn(client: number, state: unknown): Promise<boolean> {
    const context = this.clientContext(client, -1, state, `client ${client} final`)
    return this.attempt('final', () => this.stage.definition.workload.final?.(context))
  }

  private clientContext(client: number, index: number, state: unknown, entity: string): ClientContext {
    const { recorder } = this.stage
    return {
      ...this.stage.context,
      rng: this.rng(entity),
      client,
      index,
      state,
      operation<T>(f: string, ...rest: OperationArguments<T>) {
        const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest
        return recorder.operation(client, f, options, body)
      },
    }
  }

  /**
   * After the faults the system must answer: an operation that has waited for the whole bound since then ends the run, with
   * who waits for what. The function returned stops watching.
   */
  private watchProgress(boundMs: number): () => void {
    const { workload, recorder } = this.stage
    const healedMs = workload.nowMs
    let cancel = (): void => {}
    const judge = (): void => {
      if (this.stage.isIdle()) return // nothing else can happen: that is a deadlock, and found as one
      const [oldest] = recorder.stillWaiting()
      if (oldest === undefined) return watch(boundMs)
      const waitedMs = workload.nowMs - max(healedMs, oldest.sinceUs / 1000)
      if (waitedMs < boundMs) return watch(boundMs - waitedMs)
      return this.stage.fail('unsettled', 'progress', this.waitingText(boundMs))
    }
    const watch = (delayMs: number): void => {
      cancel = workload.after(delayMs, judge)
    }
    watch(boundMs)
    return () => cancel()
  }

  private waitingText(boundMs: number): string {
    const { recorder, workload, down } = this.stage
    const waiting = recorder.stillWaiting()
    const who = waiting.slice(0, SHOWN_WAITING).map(({ client, f, key, sinceUs }) => {
      const what = key === null ? f : `${f} of ${inspect(key, { breakLength: Number.POSITIVE_INFINITY })}`
      return `client ${client} for ${what} since ${round(workload.nowMs - sinceUs / 1000)} ms`
    })
    if (waiting.length > SHOWN_WAITING) who.push(`${waiting.length - SHOWN_WAITING} more`)
    const isDown = down()
    const processes = isDown.length === 0 ? '' : `; processes that are down: ${isDown.join(', ')}`
    return `no answer within ${boundMs} virtual ms after ${this.healedText()}: ${who.join(', ')}${processes}`
  }

  /** What was healed: everything, or a core, and then what stays broken. */
  private healedText(): string {
    const { lasting } = this.stage.nemesis
    if (lasting.length === 0) return 'every fault had ended'
    return `the core was healed (stays broken: ${lasting.map(({ text }) => text).join(', ')})`
  }

  private async settle(): Promise<boolean> {
    const { definition, workload, limits } = this.stage
    const { settled } = definition.workload
    if (settled === undefined) {
      await workload.sleep(definition.restMs ?? DEFAULT_REST_MS)
      return true
    }
    for (let waitedMs = 0; waitedMs <= limits.settleVirtualMs; waitedMs += SETTLE_POLL_MS) {
      let atRest = false
      if (
        !(await this.attempt('settled', async () => void (atRest = await settled(this.context('settled')))))
      )
        return false
      if (atRest) return true
      await workload.sleep(SETTLE_POLL_MS)
    }
    this.stage.fail(
      'unsettled',
      'settled',
      `not at rest ${limits.settleVirtualMs} virtual ms after ${this.healedText()}`,
    )
    return false
  }

  private async check(): Promise<void> {
    const { definition, recorder, events, files } = this.stage
    const { check } = definition.workload
    if (check === undefined) return
    const context = {
      ...this.context('check'),
      history: recorder.history(),
      events: everything(events),
      files,
    }
    try {
      const returned: unknown = await check(context)
      const { results, wrong } = resultsOf(returned)
      if (wrong !== null) this.stage.fail('mistake', 'check', wrong)
      for (const result of results) this.stage.checked(result)
    } catch (error) {
      this.stage.fail('check', 'check', error)
    }
  }

  /** Runs a part of the workload; if it throws, the run ends. */
  private async attempt(part: string, body: () => unknown): Promise<boolean> {
    try {
      await body()
      return true
    } catch (error) {
      this.stage.fail('workload', part, error)
      return false
    }
  }
}

/** The log as `check` reads it: all of it is new. */
export function everything(events: EventLog): EventCursor {
  const cursor = new EventCursor(events)
  cursor.advance()
  return cursor
}
