/**
 * Programs change exports of builtin modules: `tls.DEFAULT_MAX_VERSION = …`, a mocked `https.request`. A module that the
 * processes of a thread share is copied for each of them, and what the module itself reads from its exports while a
 * process runs comes from that process's copy: a change is seen as in Node, and by nobody else.
 */
import { running } from './current.ts'

/** What shared exports were before they led to copies. */
const originals = new WeakMap<object, PropertyDescriptorMap>()

/** Makes the plain members of a shared module's exports lead to the current process's copy, where it has one. */
export function readThroughCopies(exports: unknown): void {
  if (typeof exports !== 'object' || exports === null) return
  const descriptors: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(exports)
  originals.set(exports, descriptors)
  for (const [name, descriptor] of Object.entries(descriptors)) {
    if (!descriptor.configurable || !descriptor.writable) continue
    let { value } = descriptor
    Object.defineProperty(exports, name, {
      configurable: true,
      enumerable: descriptor.enumerable,
      get(): unknown {
        const copy = running?.modules.copy(exports)
        return copy === undefined ? value : copy[name]
      },
      set(changed: unknown) {
        const copy = running?.modules.copy(exports)
        if (copy === undefined) value = changed
        else copy[name] = changed
      },
    })
  }
}

/** The members that a copy begins with. */
export function membersOf(exports: object): PropertyDescriptorMap {
  return originals.get(exports) ?? Object.getOwnPropertyDescriptors(exports)
}
