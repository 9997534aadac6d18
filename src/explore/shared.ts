/**
 * Shared objects: stand-ins for state behind I/O (a fake repository, an in-memory store). In the view that `t.shared`
 * returns, every method call first passes a scheduling point that names the object, so its asynchronous methods
 * interleave as the real store's would. A property that is not a function is read and written as it is, unless the code
 * under test awaits it: use `t.access` there.
 */
import type { RaceContext } from './context.ts'

export interface SharedOptions {
  /** What the object is called in schedules. */
  readonly name?: string
  /** Methods that only read; calls of two of them commute. */
  readonly reads?: readonly string[]
  /** What a call touches, when the object is many things in one: its first argument, say. */
  readonly resource?: (method: string, args: readonly unknown[]) => string
}

/** The object as its users see it: every method is asynchronous. */
export type Shared<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : T[K]
}

export function sharedView<T extends object>(
  t: RaceContext,
  object: T,
  options: SharedOptions = {},
): Shared<T> {
  const name = options.name ?? object.constructor?.name ?? 'shared'
  const reads = new Set(options.reads ?? [])
  return new Proxy(object, {
    get(target, property, receiver): unknown {
      const value: unknown = Reflect.get(target, property, receiver)
      if (typeof value !== 'function' || typeof property === 'symbol') return value
      return async (...args: unknown[]): Promise<unknown> => {
        const resource = options.resource?.(property, args) ?? name
        await t.access(resource, reads.has(property) ? 'read' : 'write', `${name}.${property}`)
        return Reflect.apply(value, target, args)
      }
    },
  }) as Shared<T>
}
