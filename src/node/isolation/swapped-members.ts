/**
 * Members of an object of the host that are another's for the length of a burst: put there, and put back as they were.
 * An accessor leads to the running process's own; between steps, when none runs, to what the host had.
 */
import { running } from '../process/current.ts'
import type { RunningProcess } from '../process/running-process.ts'

export class SwappedMembers {
  private readonly host: Record<string, any>
  private readonly ofProcess: (process: RunningProcess) => Record<string, any>
  private readonly saved = new Map<string, PropertyDescriptor | undefined>()

  constructor(host: object, ofProcess: (process: RunningProcess) => Record<string, any>) {
    this.host = host
    this.ofProcess = ofProcess
  }

  /** Puts a descriptor in a member's place, unless the host made it permanent. */
  put(key: string, descriptor: PropertyDescriptor, enumerableIfNew: boolean): void {
    const original = Object.getOwnPropertyDescriptor(this.host, key)
    if (original?.configurable === false) return
    this.saved.set(key, original)
    descriptor.enumerable = original?.enumerable ?? enumerableIfNew
    Object.defineProperty(this.host, key, descriptor)
  }

  restore(): void {
    for (const [key, original] of this.saved) {
      if (original === undefined) delete this.host[key]
      else Object.defineProperty(this.host, key, original)
    }
    this.saved.clear()
  }

  accessorOf(key: string): PropertyDescriptor {
    const { host, saved, ofProcess } = this
    const get = Object.freeze((): unknown => {
      if (running !== null) return ofProcess(running)[key]
      const original = saved.get(key)
      if (original === undefined) return (Object.getPrototypeOf(host) as Record<string, unknown>)[key]
      return original.get === undefined ? original.value : original.get.call(host)
    })
    const set = Object.freeze((value: unknown): void => {
      if (running !== null) {
        ofProcess(running)[key] = value
        return
      }
      const original = saved.get(key)
      if (original?.set !== undefined) original.set.call(host, value)
      else if (original !== undefined) original.value = value
    })
    // Frozen, like all functions of ours that programs can get at: there is nothing to put back.
    return { configurable: true, get, set }
  }
}
