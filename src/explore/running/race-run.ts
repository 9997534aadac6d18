/**
 * One explored run: a fresh kernel, the body as its first event, and the strategy's schedule until the body is done,
 * fails, or cannot go on. Its result is plain data.
 */
import { min } from '../../kernel/arithmetic.ts'
import { Divergence, type Choice } from '../../kernel/choices.ts'
import type { Access, KernelEvent } from '../../kernel/event.ts'
import { isUnsupported, UsageError } from '../../kernel/errors.ts'
import { HashLog } from '../../kernel/hash-log.ts'
import type { Kernel, Pause } from '../../kernel/kernel.ts'
import { ExitSignal } from '../../node/bare.ts'
import { RaceContext } from '../authoring/context.ts'
import type { Environment, EnvironmentFactory } from './environment.ts'
import { failureOf, type RaceFailureCategory, type RaceFailure } from '../finding/failure.ts'
import type { RunLimits } from '../search/options.ts'
import type { RaceWorld } from '../authoring/race-world.ts'
import { Idleness } from './idleness.ts'
import type { Recording, ScheduleStep } from './recording.ts'
import { Steering } from './steering.ts'
import type { ExploreStrategy } from '../search/strategy.ts'
import { Tasks, type Task } from './tasks.ts'

export interface RunSettings extends RunLimits {
  readonly seed: number
  readonly strategy: ExploreStrategy
  readonly environment: EnvironmentFactory
  readonly base?: 'seed' | 'zero'
  readonly overrides?: readonly Choice[]
  readonly misfit?: 'diverge' | 'bend'
  /** Restore what the run has changed in the thread; true by default. */
  readonly swept?: boolean
  /** Keep steps and source positions. Choices are always kept, since there are few. */
  readonly record?: boolean
  /** The step after which to stop; a body that is not done by then has not failed. */
  readonly until?: number
  /** Called before every step. */
  readonly beforeStep?: (step: number) => void
  /** The folder that source positions are relative to. */
  readonly root?: string
}

/**
 * Settings are mostly made with a spread, and V8 gives every object that is extended after a spread a shape of its own, so
 * each read would be a search. Copied over these, they have one shape in all runs.
 */
const UNSET: Readonly<Record<keyof RunSettings, undefined>> = {
  seed: undefined,
  strategy: undefined,
  environment: undefined,
  maxSteps: undefined,
  timeoutUs: undefined,
  latenessUs: undefined,
  stallUs: undefined,
  base: undefined,
  overrides: undefined,
  misfit: undefined,
  swept: undefined,
  record: undefined,
  until: undefined,
  beforeStep: undefined,
  root: undefined,
}

export interface RaceRunResult {
  readonly failure: RaceFailure | null
  readonly steps: number
  readonly contested: number
  readonly hash: string
  /** The strategy ended the run early: its result means nothing. */
  readonly abandoned: boolean
  /** Empty unless the run was recorded. */
  readonly schedule: readonly ScheduleStep[]
  /** Whether each `t.sometimes` of the run was true, by its message; null if there was none. */
  readonly sometimes: ReadonlyMap<string, boolean> | null
  /** All tasks as they were at the end, the body's own first. */
  readonly tasks: readonly Pick<Task, 'name' | 'state'>[]
  /** If the run was recorded: the tasks that had not ended, with what they wait for. */
  readonly waits: readonly { readonly task: string; readonly text: string }[]
  /** In a deadlock: the names of the tasks that wait. */
  readonly waiting: readonly string[]
  /** The step in which the body began; the steps before it load the file. */
  readonly bodyStep: number
  /** Every choice that was not the simplest. */
  readonly choices: readonly Choice[]
  /** The hash after every step, while recording. */
  readonly hashes: Uint32Array | null
}

const NONE: readonly string[] = []

/** The host's own, as `await` uses them even if a body changes `Promise`. */
const HostPromise = Promise
const { resolve } = HostPromise
const { then } = HostPromise.prototype

export class RaceRun {
  readonly kernel: Kernel
  readonly tasks = new Tasks()
  readonly settings: RunSettings
  private readonly environment: Environment
  private readonly hashes: HashLog | null
  private readonly steering: Steering
  private readonly recording: Recording | null
  /** Null without a world: there are no timers. */
  private readonly idleness: Idleness | null
  /** The virtual time at which the body must be done. */
  private endsAt = Infinity
  private failure: RaceFailure | null = null
  private sometimes: Map<string, boolean> | null = null
  private broken: { readonly error: unknown } | null = null

  constructor(given: RunSettings) {
    const settings: RunSettings = { ...UNSET, ...given }
    this.settings = settings
    this.steering = new Steering(settings, this.tasks, () => this.environment.actor)
    this.kernel = this.steering.kernel
    this.recording = this.steering.recording
    this.hashes = settings.record === true ? HashLog.of(this.kernel) : null
    if (settings.record === true || settings.beforeStep !== undefined || settings.timeoutUs !== undefined) {
      this.kernel.beforeStep = (event, step) => {
        this.recording?.begins(event)
        settings.beforeStep?.(step)
        if (this.kernel.now > this.endsAt) this.timeOut(event)
      }
    }
    this.environment = settings.environment(this.kernel, {
      uncaught: (error) => this.fail('uncaught', error),
      broken: (error) => this.breakOff(error),
      awaited: (value) => this.awaited(value),
    })
    this.idleness = this.environment.processes === null ? null : new Idleness(this.kernel)
  }

  execute(): RaceRunResult {
    const { kernel, settings, environment } = this
    const main = this.tasks.create('main')
    environment.start((body) => {
      this.steering.bodyStep = kernel.step
      if (settings.timeoutUs !== undefined) this.endsAt = kernel.now + settings.timeoutUs
      this.start(
        main,
        () => body(new RaceContext(this)),
        (error) => this.fail('exception', error),
        () => kernel.stop(),
      )
    })
    const pause = this.run(min(settings.maxSteps, settings.until ?? Infinity))
    if (this.broken !== null) throw this.broken.error
    if (settings.misfit === 'diverge' && settings.until === undefined) refuseUnasked(kernel)
    const isIdle = this.idleness?.ended === true
    const lastStep = kernel.step - (isIdle ? this.idleness.steps : 0)
    if (this.failure === null && main.state !== 'done') {
      if (pause === 'host-turn') throw needsHostTurn()
      if (pause === 'idle' || isIdle) this.fail('deadlock', this.deadlock(), lastStep)
      else if (pause === 'steps' && kernel.step >= settings.maxSteps)
        this.fail('step-limit', `not done after ${settings.maxSteps} steps: ${this.whoWaits()}`)
    }
    environment.dispose()
    const { contested, bodyStep } = this.steering
    settings.strategy.end?.({ contested, failed: this.failure !== null })
    return {
      failure: this.failure,
      steps: lastStep,
      contested,
      hash: kernel.hash.digest(),
      abandoned: pause === 'abandoned',
      schedule: this.recording?.schedule.filter(({ step }) => step <= lastStep) ?? [],
      sometimes: this.sometimes,
      tasks: this.tasks.all,
      waits:
        this.recording === null
          ? []
          : this.waiting.map((task) => ({ task: task.name, text: this.waitText(task) })),
      waiting: this.failure?.category === 'deadlock' ? this.waiting.map(({ name }) => name) : NONE,
      bodyStep: bodyStep ?? 0,
      choices: kernel.choices.made,
      hashes: this.hashes?.values().subarray(0, lastStep) ?? null,
    }
  }

  /** The beginning step is the first one after the limit: what it does no longer counts. */
  private timeOut(event: KernelEvent): void {
    if (this.idleness?.standsStill(event) === true) return this.idleness.end() // a deadlock, seen early
    this.fail('time-limit', `not done after ${this.settings.timeoutUs! / 1_000} ms: ${this.whoWaits()}`)
  }

  private run(steps: number): Pause {
    const { environment, recording, settings } = this
    const run = () => environment.run(steps, settings.swept ?? true)
    return recording === null ? run() : recording.during(run)
  }

  /** Runs a task's code: at once, as calling an async function does, up to its first await. */
  start(
    task: Task,
    work: () => unknown,
    onError: (error: unknown) => void,
    onDone?: (value: unknown) => void,
  ): void {
    this.tasks
      .run(task, () => outcomeOf(work))
      .then(
        (value) => {
          task.state = 'done'
          onDone?.(value)
        },
        (error: unknown) => {
          task.state = 'failed'
          onError(error)
        },
      )
  }

  /** Schedules a callback of a task as an event that may happen at any time within its window. */
  post(task: Task, what: string, access: Access | null, run: () => void, origin?: object | null): void {
    const { environment } = this
    const event = this.kernel.schedule(environment.actor, what, 0, () => environment.call(run))
    event.task = task.id
    event.access = access
    if (origin !== undefined) event.origin = origin
  }

  private async awaited(value: unknown): Promise<unknown> {
    if (this.steering.bodyStep === null) return value
    const task = this.tasks.current
    const origin = this.recording?.origins.take() ?? null
    const turn = () =>
      new Promise<void>((resolve) => this.post(task, 'go on after await', null, resolve, origin))
    try {
      return await value
    } finally {
      await turn()
    }
  }

  /** Boots further processes; `api` is the method that needs a world for that. */
  processes(api: string): RaceWorld {
    const { processes } = this.environment
    if (processes === null) {
      throw new UsageError(
        'ERR_WAVETANK_NO_WORLD',
        `${api} needs a world: declare the body with race() in a test file, or explore a file, not a closure`,
      )
    }
    return processes
  }

  fail(category: RaceFailureCategory, error: unknown, step = this.kernel.step): void {
    if (error instanceof ExitSignal) return // unwinds the stack; the environment reports that the process has ended
    if (isUnsupported(error)) return this.breakOff(error)
    this.failure ??= failureOf(category, error, step, this.recording?.origins.relative)
    this.kernel.stop()
  }

  /** Of the schedules of an exploration, one at least must see each of these. */
  see(message: string, isSeen: boolean): void {
    this.sometimes ??= new Map()
    if (isSeen || !this.sometimes.has(message)) this.sometimes.set(message, isSeen)
  }

  /** Ends the run without a verdict on the program. */
  private breakOff(error: unknown): void {
    this.broken ??= { error }
    this.kernel.stop()
  }

  private deadlock(): Error | string {
    const message = `no task can go on: ${this.whoWaits()}`
    if (this.recording === null) return message
    return Object.assign(new Error(message), { stack: this.recording.waitStack(this.waiting) })
  }

  private get waiting(): Task[] {
    return this.tasks.all.filter(({ state }) => state === 'running')
  }

  private whoWaits(): string {
    return this.waiting.map((task) => this.waitText(task)).join('; ')
  }

  private waitText(task: Task): string {
    return `${task.name} waits for ${this.recording?.waitOf(task) ?? task.waitingFor}`
  }
}

/**
 * The same as `async () => await work()`, in as many turns of the microtask queue. An `await` is a `then` without callbacks
 * here, which costs V8 far less than a function that can be suspended.
 */
function outcomeOf(work: () => unknown): Promise<unknown> {
  try {
    return then.call(resolve.call(HostPromise, work()))
  } catch (error) {
    return HostPromise.reject(error)
  }
}

/** Schedules run one after the other without a turn of the real event loop. */
function needsHostTurn(): UsageError {
  return new UsageError(
    'ERR_WAVETANK_UNSUPPORTED',
    'race: HTTP/2, and calls of native addons that complete later, need turns of the real event loop, which a race ' +
      'does not take. Use them in a simulation, or give the race a stand-in: externals',
  )
}

/** A replay that does not make a recorded choice is another run. */
function refuseUnasked({ choices, step }: Kernel): void {
  const [first] = choices.unasked()
  if (first === undefined) return
  const name = `${first.entity} ${first.label} #${first.index}`
  throw new Divergence(`the run is over, and the recorded choice ${name} was never asked for`, step)
}
