/**
 * `t`: what the body of a race is given. Timers, sockets and files need none of it, they are under control as they are.
 * Code whose awaits only stand for I/O gets its scheduling points from here.
 */
import { RaceAssertionError } from './failure.ts'
import type { RaceRun } from './race-run.ts'
import type { ClusterOptions, ProcessOptions, RaceCluster, RaceProcess, Wait } from './race-world.ts'
import { scheduleEvents, type Emitter, type EmitterOptions } from './scheduled-emitter.ts'
import { sharedView, type Shared, type SharedOptions } from './shared.ts'

export class RaceContext {
  private readonly run: RaceRun
  /** Who holds at a label; null once it was released. Made when it is needed: few bodies hold anything. */
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

  /** Makes what an emitter emits events of the schedule, for one that stands for I/O: see {@link EmitterOptions}. */
  emitter<T extends Emitter>(emitter: T, options?: EmitterOptions): T {
    return scheduleEvents(this, emitter, (error) => this.run.fail('uncaught', error), options)
  }

  /**
   * Waits until somebody wakes it: `enlist` is given the function that does. Waking is an event, so others may run before
   * the woken task does. For primitives of your own.
   */
  wait(what: string, enlist: (wake: () => void) => void): Promise<void> {
    const task = this.run.tasks.current
    return new Promise((resolve) => {
      task.waitingFor = what
      enlist(() => this.run.post(task, `woken: ${what}`, null, resolve))
    })
  }

  /** Waits here until `release(label)` was called: for scripted races, without randomness. */
  hold(label: string): Promise<void> {
    const holding = this.labels?.get(label)
    if (holding === null) return this.point(`pass ${label}`)
    return this.wait(`release("${label}")`, (wake) => {
      if (holding === undefined) this.setLabel(label, [wake])
      else holding.push(wake)
    })
  }

  /** Lets everybody pass who holds at `label`, now and from now on. */
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
    return this.run.world('t.process').process(this.waiting, entry, options)
  }

  /** Starts several processes of one program, with a network between them that can be cut. */
  cluster(size: number, options: ClusterOptions): RaceCluster {
    return this.run.world('t.cluster').cluster(this.waiting, size, options)
  }

  private get waiting(): Wait {
    return (what, enlist) => this.wait(what, enlist)
  }

  /** Fails the run unless `condition` holds, whoever catches what is thrown here. */
  assert(condition: unknown, message = 'assertion failed'): void {
    if (condition) return
    const error = new RaceAssertionError(message)
    this.run.fail('assertion', error)
    throw error
  }
}
