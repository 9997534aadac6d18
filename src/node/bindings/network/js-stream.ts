/**
 * `js_stream`: Node's own native stream whose other side is JavaScript. Native code on top of it (TLS, HTTP/2) may call
 * that JavaScript from a turn of the host's loop, outside of any step; it is then entered as the process that made it.
 */
import { current } from '../../process/current.ts'
import { takeInternals, type Binding } from '../../library/internals.ts'
import { closed } from '../binding.ts'

const CALLBACKS = ['isClosing', 'onreadstart', 'onreadstop', 'onshutdown', 'onwrite'] as const

const Native = takeInternals().internalBinding('js_stream').JSStream as new () => object

export class JSStream extends Native {
  constructor() {
    super()
    const process = current()
    for (const name of CALLBACKS) {
      let callback: ((...args: unknown[]) => unknown) | undefined
      Object.defineProperty(this, name, {
        configurable: true,
        enumerable: true,
        get: () => callback,
        set: (given: unknown) => {
          callback = typeof given === 'function' ? process.inside(given as () => unknown) : undefined
        },
      })
    }
  }
}

export function jsStream(): Binding {
  return closed('js_stream', { JSStream })
}
