/**
 * The errors of native code for messages that cannot be cloned. They differ between versions of Node, so each is
 * provoked once per thread, with objects of the host.
 */
import { takeInternals } from '../../library/internals.ts'

interface Refusals {
  /** For a port in a message that the transfer list does not name. */
  readonly unlisted: Error
  /** For something in the list that is marked as not to be transferred; null where it is passed over. */
  readonly marked: Error | null
}

let known: Refusals | undefined

/** The error for a port in a message that the transfer list does not name. */
export function unlistedPort(): Error {
  return again(refusals().unlisted)
}

/** Throws for something in the transfer list that may not be transferred, unless this Node passes over it. */
export function refuseMarked(): void {
  const { marked } = refusals()
  if (marked !== null) throw again(marked)
}

function refusals(): Refusals {
  if (known !== undefined) return known
  const { privateSymbols } = takeInternals().internalBinding('util')
  const { MessageChannel, structuredClone } = takeInternals().internalBinding('messaging')
  const { port1 } = new MessageChannel()
  const buffer: any = new ArrayBuffer(1)
  buffer[privateSymbols.untransferable_object_private_symbol] = true
  known = {
    unlisted: thrownBy(() => structuredClone(port1, {}))!,
    marked: thrownBy(() => structuredClone(buffer, { transfer: [buffer] })),
  }
  port1.close()
  return known
}

function thrownBy(run: () => void): Error | null {
  try {
    run()
    return null
  } catch (error) {
    return error as Error
  }
}

/** A new error like one that was thrown before. */
function again(error: Error): Error {
  const { DOMException } = takeInternals().internalBinding('messaging')
  if (error instanceof DOMException) return new DOMException(error.message, error.name) as Error
  return Object.assign(new TypeError(error.message), { code: (error as { code?: string }).code })
}
