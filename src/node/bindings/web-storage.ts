/**
 * `webstorage`, of Node 22 and later: Node's own storage in memory, which is what `sessionStorage` is. That of a file
 * (`--localstorage-file`) is opened by native code on the real disk, and refused.
 */
import { takeInternals, type Binding } from '../library/internals.ts'
import type { SharedThread } from '../process/running-process.ts'
import { closed, refusing } from './binding.ts'

const IN_MEMORY = ':memory:'

export function webStorage({ leaks }: SharedThread): Binding {
  const { Storage } = takeInternals().internalBinding('webstorage')
  leaks.include('internal/webstorage', { Storage }) // its class is native, and one per thread
  return closed('webstorage', {
    Storage: new Proxy(Storage, {
      construct(target, [key, location], newTarget) {
        // Without the key the native constructor refuses by itself.
        if (location !== undefined && location !== IN_MEMORY) refusing('webstorage', 'localStorage')()
        return Reflect.construct(target, [key, location], newTarget) as object
      },
    }),
  })
}
