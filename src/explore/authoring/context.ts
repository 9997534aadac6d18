/**
 * `t`, the argument of a race's body. Timers, sockets and files are scheduling points by themselves and need none of it.
 * Code whose awaits only stand for I/O gets its scheduling points from here.
 */
import { RaceAssertionError } from '../finding/failure.ts'
import type { RaceRun } from '../running/race-run.ts'
import type { ClusterOptions, RaceCluster } from './race-cluster.ts'
import type { ProcessOptions, RaceProcess, Wait } from './race-process.ts'
import { scheduleEvents, type Emitter, type EmitterOptions } from './scheduled-emitter.ts'
import { sharedView, type Shared, type SharedOptions } from './shared.ts'

export class RaceContext {
  private readonly run: RaceRun
  /** The tasks that hold at each label; null once it was released. Made on first use: few bodies hold anything. */
  private labels: Map<string, (() => void)[] | null> | null = null

  constructor(run: RaceRun) {
    this.run = run
  }

  /** Runs `work` as a task of its own, with a name for the schedule. */
  task<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const task = this.run.tasks.create(name)
    return new Promise<T>((resolve, reject) => {
      this.run.start(task, work, reject, (value) => resolve(value as T))
    })
  }

  /** A scheduling point: anything that is ready may happen before it returns. */
  point(label = 'point'): Promise<void> {
    const task = this.run.tasks.current
    task.waitingFor = `its turn at "${label}"`
    return new Promise((resolve) => this.run.post(task, label, null, resolve))
  }

  /** A scheduling point before a known access of something shared: strategies then know what it races with. */
  access(resource: string, kind: 'read' | 'write', label = `${kind} ${resource}`): Promise<void> {
    const task = this.run.tasks.current
    task.waitingFor = `its turn to ${label}`
    return new Promise((resolve) =>
      this.run.post(task, label, { resource, write: kind === 'write' }, resolve),
    )
  }

  /** A view of an object whose asynchronous methods are scheduling points: see {@link SharedOptions}. */
  shared<T extends object, P extends string & keyof T = never>(
    object: T,
    options?: SharedOptions<P>,
  ): Shared<T, P> {
    return sharedView(this, object, options)
  }

  /** Makes the emissions of an emitter that stands for I/O events of the schedule: see {@link EmitterOptions}. */
  emitter<T extends Emitter>(emitter: T, options?: EmitterOptions): T {
    return scheduleEvents(this, emitter, (error) => this.run.fail('uncaught', error), options)
  }

  /**
   * Waits until `wake` is called, the function that is passed to `enlist`. Waking is an event, so other tasks may run before
   * the woken one does. For primitives of your own.
   */
  wait(what: string, enlist: (wake: () => void) => void): Promise<void> {
    const task = this.run.tasks.current
    return new Promise((resolve) => {
      task.waitingFor = what
      enlist(() => this.run.post(task, `woken: ${what}`, null, resolve))
    })
  }

  /** Waits here until `release(label)` is called: for scripted races, without randomness. */
  hold(label: string): Promise<void> {
    const holding = this.labels?.get(label)
    if (holding === null) return this.point(`pass ${label}`)
    return this.wait(`release("${label}")`, (wake) => {
      if (holding === undefined) this.setLabel(label, [wake])
      else holding.push(wake)
    })
  }

  /** Lets all tasks pass that hold at `label`, now and later. */
  release(label: string): void {
    const holding = this.labels?.get(label)
    this.setLabel(label, null)
    for (const pass of holding ?? []) pass()
  }

  private setLabel(label: string, holding: (() => void)[] | null): void {
    this.labels ??= new Map()
    this.labels.set(label, holding)
  }

  /** Starts a program on a host of its own in the same world; its name is its host's name. */
  process(entry: string, options?: ProcessOptions): RaceProcess {
    return this.run.processes('t.process').process(this.waiting, entry, options)
  }

  /** Starts several processes of one program, with a network between them that can be cut. */
  cluster(size: number, options: ClusterOptions): RaceCluster {
    return this.run.processes('t.cluster').cluster(this.waiting, size, options)
  }

  private get waiting(): Wait {
    return (what, enlist) => this.wait(what, enlist)
  }

  /**
   * Hopes that `condition` is true in some schedule: a race in which none sees it does not hold, it has a gap. For what a
   * workload must reach to mean anything: `t.sometimes(waited, 'a client had to wait')`.
   */
  sometimes(condition: unknown, message: string): void {
    this.run.see(message, Boolean(condition))
  }

  /** Fails the run unless `condition` holds, even if the program catches the error that is thrown here. */
  assert(condition: unknown, message = 'assertion failed'): void {
    if (condition) return
    const error = new RaceAssertionError(message)
    this.run.fail('assertion', error)
    throw error
  }
}
