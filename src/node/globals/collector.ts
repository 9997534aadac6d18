/** The garbage collector is not deterministic: a `WeakRef` holds on to its target, a `FinalizationRegistry` never fires. */

export class StrongRef<T extends WeakKey> {
  readonly #target: T
  constructor(target: T) {
    if (
      (typeof target !== 'object' && typeof target !== 'function' && typeof target !== 'symbol') ||
      target === null
    )
      throw new TypeError('WeakRef: target must be an object')
    this.#target = target
  }
  deref(): T {
    return this.#target
  }
  get [Symbol.toStringTag](): string {
    return 'WeakRef'
  }
}
Object.defineProperty(StrongRef, 'name', { value: 'WeakRef' })

export class SilentFinalizationRegistry {
  constructor(cleanup: (held: unknown) => void) {
    if (typeof cleanup !== 'function') throw new TypeError('FinalizationRegistry: cleanup must be callable')
  }
  register(target: WeakKey, held?: unknown): void {
    if (Object.is(target, held))
      throw new TypeError('FinalizationRegistry.prototype.register: target and holdings must not be same')
  }
  unregister(): boolean {
    return false
  }
  get [Symbol.toStringTag](): string {
    return 'FinalizationRegistry'
  }
}
Object.defineProperty(SilentFinalizationRegistry, 'name', { value: 'FinalizationRegistry' })

/** Processes that have set `--expose-gc` with `v8.setFlagsFromString`: contexts that they make have the function. */
const exposing = new WeakSet<object>()

export function exposesCollector(process: object): boolean {
  return exposing.has(process)
}

/** A process sets flags of the engine. They are the whole thread's, so none reaches it. */
export function setEngineFlags(process: object, flags: string): void {
  if (/--expose[-_]gc\b/.test(flags)) exposing.add(process)
}

/** `--expose-gc`: the function is there, and does nothing that a program could see. */
export function exposeCollector(global: Record<string | symbol, any>): void {
  Object.defineProperty(global, 'gc', {
    value: (options?: { execution?: string }) =>
      options?.execution === 'async' ? Promise.resolve() : undefined,
    writable: true,
    configurable: true,
    enumerable: false,
  })
}
