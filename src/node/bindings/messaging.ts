/** `messaging`: structured clone and message ports. */
import { takeInternals, type Binding } from '../internals.ts'
import { closed } from './binding.ts'

export function messaging(): Binding {
  const real = takeInternals().internalBinding('messaging')
  return closed('messaging', {
    structuredClone: real.structuredClone,
    DOMException: real.DOMException,
    JSTransferable: real.JSTransferable,
    exposeLazyDOMExceptionProperty: real.exposeLazyDOMExceptionProperty,
    setDeserializerCreateObjectFunction() {},
  })
}
