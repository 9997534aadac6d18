/**
 * Diagnostics channels belong to a process: its subscribers hear of its own requests only. Modules that exist once per
 * thread hold their channels from the time they were loaded; what they hold leads to the current process's channel.
 */
import { running } from '../process/current.ts'
import { ProcessSlot } from '../process/process-slot.ts'
import { facade } from './facade.ts'
import { ModuleSlot, newSlot } from './slots.ts'

const module = new ModuleSlot('diagnostics_channel')

/** Members that are asked for all the time answer at once while the process has not even loaded the module. */
class DispatchedChannel {
  readonly name: string | symbol
  private readonly slot = newSlot()

  constructor(name: string | symbol) {
    this.name = name
  }

  private get own(): any {
    return (running!.slots[this.slot] ??= module.exports.channel(this.name))
  }

  get hasSubscribers(): boolean {
    return running !== null && module.isLoaded && (this.own.hasSubscribers as boolean)
  }

  publish(data: unknown): void {
    if (this.hasSubscribers) this.own.publish(data)
  }

  subscribe(subscriber: unknown): void {
    this.own.subscribe(subscriber)
  }

  unsubscribe(subscriber: unknown): boolean {
    return this.own.unsubscribe(subscriber) as boolean
  }

  bindStore(...args: unknown[]): void {
    this.own.bindStore(...args)
  }

  unbindStore(...args: unknown[]): boolean {
    return this.own.unbindStore(...args) as boolean
  }

  runStores(...args: unknown[]): unknown {
    return this.own.runStores(...args)
  }
}

/** The module as modules of the thread see it. */
export function dispatchedDiagnostics(): any {
  return {
    __proto__: facade(() => module.exports),
    channel: (name: string | symbol) => new DispatchedChannel(name),
    tracingChannel: (name: unknown) => dispatchedTracing(name),
  }
}

function dispatchedTracing(name: unknown): any {
  const own = (): any => {
    const channels = tracing(running!)
    let channel = channels.get(name)
    if (channel === undefined) channels.set(name, (channel = module.exports.tracingChannel(name)))
    return channel
  }
  return {
    __proto__: facade(own),
    get hasSubscribers(): unknown {
      return running !== null && module.isLoaded && own().hasSubscribers
    },
  }
}

const TRACING = new ProcessSlot<Map<unknown, any>>()

function tracing(process: NonNullable<typeof running>): Map<unknown, any> {
  return TRACING.get(process) ?? TRACING.set(process, new Map())
}
