/**
 * The cluster module as modules of the thread see it. Every server that listens asks whether its process is a primary:
 * one that has not loaded the module is, unless its parent said otherwise, and need not load it (with the whole of
 * `child_process`) to know.
 */
import { running } from '../process/current.ts'
import { facade } from './facade.ts'
import { ModuleSlot } from './slots.ts'

const module = new ModuleSlot('cluster')

/** As `cluster` itself decides it when it is loaded. */
function isPlainPrimary(): boolean {
  return !module.isLoaded && !Object.hasOwn(running!.object.env as object, 'NODE_UNIQUE_ID')
}

export function dispatchedCluster(): any {
  let made: any
  return new Proxy(
    {},
    {
      get(_, key) {
        if ((key === 'isPrimary' || key === 'isMaster') && isPlainPrimary()) return true
        if (key === 'isWorker' && isPlainPrimary()) return false
        made ??= facade(() => module.exports)
        return made[key] as unknown
      },
    },
  )
}
