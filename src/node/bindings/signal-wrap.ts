/** `signal_wrap`: signals that reach a simulated process from the world or from other processes of its host. */
import os from 'node:os'
import { current } from '../process/current.ts'
import { Handle } from '../process/handle.ts'
import type { Binding } from '../library/internals.ts'
import { closed, uvCode } from './binding.ts'

const names = new Map(Object.entries(os.constants.signals).map(([name, number]) => [number, name]))

/** The name of a signal's number. */
export function signalName(number: number): string | undefined {
  return names.get(number)
}

class Signal extends Handle {
  onsignal: ((signal: number) => void) | null = null
  private name: string | null = null
  private readonly handler = (): void => {
    this.callback('onsignal', os.constants.signals[this.name as NodeJS.Signals])
  }

  constructor() {
    super('SIGNALWRAP')
  }

  start(number: number): number {
    const process = current()
    if (!(this instanceof Signal)) throw new TypeError('Illegal invocation')
    const name = signalName(number)
    if (name === undefined || name === 'SIGKILL' || name === 'SIGSTOP') return uvCode('EINVAL')
    this.stop()
    this.name = name
    const handlers = process.signals.get(name)
    if (handlers === undefined) process.signals.set(name, new Set([this.handler]))
    else handlers.add(this.handler)
    this.active = true
    return 0
  }

  stop(): number {
    if (this.name !== null) this.process.signals.get(this.name)?.delete(this.handler)
    this.name = null
    this.active = false
    return 0
  }

  protected override release(): void {
    this.stop()
  }
}

export function signalWrap(): Binding {
  return closed('signal_wrap', { Signal })
}
