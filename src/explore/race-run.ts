/**
 * One explored run: a fresh kernel, the body as its first event, and the strategy's schedule until the body is done,
 * fails, or cannot go on. Everything a run leaves behind is plain data.
 */
import { min } from '../kernel/arithmetic.ts'
import { Divergence, type Choice } from '../kernel/choices.ts'
import type { Access } from '../kernel/event.ts'
import { UsageError } from '../kernel/errors.ts'
import { Kernel, type Pause } from '../kernel/kernel.ts'
import { ExitSignal } from '../node/current.ts'
import { RaceContext } from './context.ts'
import type { Environment, EnvironmentFactory } from './environment.ts'
import { failureOf, type FailureCategory, type RaceFailure } from './failure.ts'
import type { RunLimits } from './options.ts'
import type { RaceWorld } from './race-world.ts'
import { Idleness } from './idleness.ts'
import { Recording, type ScheduleStep } from './recording.ts'
import { Steering } from './steering.ts'
import type { ExploreStrategy } from './strategy.ts'
import { Tasks, type Task } from './tasks.ts'

export interface RunSettings extends RunLimits {
  readonly seed: number
  readonly strategy: ExploreStrategy
  readonly environment: EnvironmentFactory
  readonly base?: 'seed' | 'zero'
  readonly overrides?: readonly Choice[]
  readonly misfit?: 'diverge' | 'bend'
  /** Put back what the run has changed in the thread; true unless it is said otherwise. */
  readonly swept?: boolean
  /** Keep steps and source positions. Choices are always kept: there are few. */
  readonly record?: boolean
  /** Steps after which to stop; what is not done by then is no failure. */
  readonly until?: number
  /** Called before every step. */
  readonly beforeStep?: (step: number) => void
  /** The folder that source positions are relative to. */
  readonly root?: string
}

/**
 * Settings are mostly put together with a spread, and V8 gives every object that is extended after one a shape of its
 * own: each reading would be a search. Copied over these, they have one shape in all runs.
 */
const UNSET: Readonly<Record<keyof RunSettings, undefined>> = {
  seed: undefined,
  strategy: undefined,
  environment: undefined,
  maxSteps: undefined,
  timeoutUs: undefined,
  latenessUs: undefined,
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
  /** Ended early by its strategy: it says nothing. */
  readonly abandoned: boolean
  /** While recording. */
  readonly schedule: readonly ScheduleStep[]
  /** Where nobody can move: the names of those who wait. */
  readonly waiting: readonly string[]
  /** The step in which the body began; what came before it is the loading of its file. */
  readonly bodyStep: number
  /** Every choice that was not the simplest. */
  readonly choices: readonly Choice[]
}

const NOBODY: readonly string[] = []

/** The host's own, as `await` uses them whatever a body makes of `Promise`. */
const HostPromise = Promise
const { resolve } = HostPromise
const { then } = HostPromise.prototype

export class RaceRun {
  readonly kernel: Kernel
  readonly tasks = new Tasks()
  readonly settings: RunSettings
  private readonly environment: Environment
  private readonly recording: Recording | null
  private readonly steering: Steering
  /** Where there are timers; null otherwise. */
  private readonly idleness: Idleness | null
  /** The virtual time at which the body must be done. */
  private endsAt = Infinity
  private failure: RaceFailure | null = null
  private broken: { readonly error: unknown } | null = null

  constructor(given: RunSettings) {
    const settings: RunSettings = { ...UNSET, ...given }
    this.settings = settings
    this.steering = new Steering(settings.strategy, this.tasks, settings.base !== 'zero')
    this.kernel = new Kernel({
      seed: settings.seed,
      base: settings.base,
      overrides: settings.overrides,
      misfit: settings.misfit,
      record: true,
      traceCapacity: 0, // a recording has more, and is asked for
      latenessUs: settings.latenessUs,
      worded: settings.record,
      strategy: this.steering,
    })
    this.recording = settings.record === true ? this.recorded(settings.root ?? '') : null
    this.steering.recording = this.recording
    if (settings.record === true || settings.beforeStep !== undefined || settings.timeoutUs !== undefined) {
      this.kernel.beforeStep = (event, step) => {
        this.recording?.begins(event)
        settings.beforeStep?.(step)
        if (this.kernel.now > this.endsAt) this.timeOut()
      }
    }
    this.kernel.tasks = this.tasks
    this.environment = settings.environment(this.kernel, {
      uncaught: (error) => this.fail('uncaught', error),
      broken: (error) => this.breakOff(error),
      awaited: (value) => this.awaited(value),
    })
    this.idleness = this.environment.world === null ? null : new Idleness(this.kernel)
    this.steering.idleness = this.idleness
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
      waiting: this.failure?.category === 'deadlock' ? this.waiting.map(({ name }) => name) : NOBODY,
      bodyStep: bodyStep ?? 0,
      choices: kernel.choices.made,
    }
  }

  /** The step that begins is the first after the time given: what it does is not looked at any more. */
  private timeOut(): void {
    this.fail('time-limit', `not done after ${this.settings.timeoutUs! / 1_000} ms: ${this.whoWaits()}`)
  }

  private recorded(root: string): Recording {
    return new Recording(this.kernel, this.tasks, () => this.environment.actor, root)
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

  /** Schedules a callback of a task as an event that may come at any time within its window. */
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

  /** The world of the run, for what needs one. */
  world(api: string): RaceWorld {
    const { world } = this.environment
    if (world === null) {
      throw new UsageError(
        'ERR_WAVETANK_NO_WORLD',
        `${api} needs a world: declare the body with race() in a test file, or explore a file, not a closure`,
      )
    }
    return world
  }

  fail(category: FailureCategory, error: unknown, step = this.kernel.step): void {
    if (error instanceof ExitSignal) return // unwinds the stack; the environment says that the process has ended
    if (isUnsupported(error)) return this.breakOff(error)
    this.failure ??= failureOf(category, error, step, this.recording?.origins.relative)
    this.kernel.stop()
  }

  /** Nothing can be said of this program. */
  private breakOff(error: unknown): void {
    this.broken ??= { error }
    this.kernel.stop()
  }

  private deadlock(): Error | string {
    const message = `nobody can move: ${this.whoWaits()}`
    if (this.recording === null) return message
    return Object.assign(new Error(message), { stack: this.recording.waitStack(this.waiting) })
  }

  private get waiting(): Task[] {
    return this.tasks.all.filter(({ state }) => state === 'running')
  }

  private whoWaits(): string {
    const wait = (task: Task) => this.recording?.waitOf(task) ?? task.waitingFor
    return this.waiting.map((task) => `${task.name} waits for ${wait(task)}`).join('; ')
  }
}

/**
 * What `async () => await work()` would give, and in as many turns of the microtask queue: an `await` is a `then` without
 * callbacks here, which costs V8 far less than a function that can be suspended.
 */
function outcomeOf(work: () => unknown): Promise<unknown> {
  try {
    return then.call(resolve.call(HostPromise, work()))
  } catch (error) {
    return HostPromise.reject(error)
  }
}

/** What the tank cannot do is no race. It may have come from another thread, as a copy. */
function isUnsupported(error: unknown): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === 'ERR_WAVETANK_UNSUPPORTED'
}

/** A replay that did not ask for what was recorded is another run. */
function refuseUnasked({ choices, step }: Kernel): void {
  const [first] = choices.unasked()
  if (first === undefined) return
  const name = `${first.entity} ${first.label} #${first.index}`
  throw new Divergence(`the run is over, and the recorded choice ${name} was never asked for`, step)
}
