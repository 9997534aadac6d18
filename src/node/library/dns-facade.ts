/**
 * The dns module as modules of the thread see it. Every connection to a name looks it up: a process that has not loaded
 * the module cannot have changed it, and has no need of two dozen functions that are bound to its default resolver. So
 * it uses an instance of the thread; the resolver it gets, as in Node, when the module would have been loaded.
 */
import { running } from '../process/current.ts'
import { facade } from './facade.ts'
import { ModuleSlot } from './slots.ts'

const module = new ModuleSlot('dns')

/** Members that depend on nothing but the running process. */
const SHARED: ReadonlySet<string | symbol> = new Set(['lookup', 'ADDRCONFIG', 'V4MAPPED', 'ALL'])

export function dispatchedDns(): any {
  let made: any
  let shared: any
  return new Proxy(
    {},
    {
      get(_, key) {
        if (module.isLoaded || !SHARED.has(key)) {
          made ??= facade(() => module.exports)
          return made[key] as unknown
        }
        const { modules, thread } = running!
        modules.require('internal/dns/utils').getDefaultResolver()
        shared ??= thread.library.another('dns')
        return shared[key] as unknown
      },
    },
  )
}
