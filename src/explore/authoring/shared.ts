/**
 * Shared objects: stand-ins for state behind I/O (a fake repository, an in-memory store). In the view that `t.shared`
 * returns, every method call first passes a scheduling point that names the object, so its asynchronous methods interleave
 * as those of the real store would. Reads of the properties in `properties`, which the code under test must await, pass
 * one too; other properties are read at once, and all are written at once, since JavaScript cannot wait there.
 */
import type { RaceContext } from './context.ts'

export interface SharedOptions<P extends string = never> {
  /** What the object is called in schedules. */
  readonly name?: string
  /** Methods that only read; calls of two of them commute. */
  readonly reads?: readonly string[]
  /** Properties that are read with `await`. */
  readonly properties?: readonly P[]
  /** What a call touches, if the object is many things in one: its first argument, for example. */
  readonly resource?: (method: string, args: readonly unknown[]) => string
}

/** The object as its users see it: every method is asynchronous, and so are the properties named. */
export type Shared<T, P = never> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : K extends P
      ? Promise<Awaited<T[K]>>
      : T[K]
}

export function sharedView<T extends object, P extends string & keyof T = never>(
  t: RaceContext,
  object: T,
  options: SharedOptions<P> = {},
): Shared<T, P> {
  const name = options.name ?? object.constructor?.name ?? 'shared'
  const reads = new Set(options.reads ?? [])
  const properties = new Set<string | symbol>(options.properties ?? [])
  return new Proxy(object, {
    get(target, property, receiver): unknown {
      if (properties.has(property)) {
        const label = `${name}.${String(property)}`
        return t.access(label, 'read', label).then(() => Reflect.get(target, property, target) as unknown)
      }
      const value: unknown = Reflect.get(target, property, receiver)
      if (typeof value !== 'function' || typeof property === 'symbol') return value
      return async (...args: unknown[]): Promise<unknown> => {
        const resource = options.resource?.(property, args) ?? name
        await t.access(resource, reads.has(property) ? 'read' : 'write', `${name}.${property}`)
        return Reflect.apply(value, target, args)
      }
    },
  }) as Shared<T, P>
}
