/**
 * The three kinds of trouble, kept apart everywhere:
 *
 * - {@link UsageError}: the user asked for something that cannot be (exit code 254);
 * - {@link InternalError}: wavetank itself is wrong (exit code 255), always with what is needed to reproduce it;
 * - a fault in the system under test, which is never an exception but *data*: a failure, a history, a verdict.
 *
 * A message begins with the API or command, says what was expected, what came, and what to do.
 */

/** The caller's mistake. `code` is stable; messages are not. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code: string
  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

const UNSUPPORTED = /^ERR_WAVETANK_(?:UNSUPPORTED(?:_\w+)?|NATIVE_ADDON)$/
const DEEPEST_CAUSE = 5

/**
 * Whether an error says that the tank lacks something, itself or by its causes. Such an error is no fault of the system
 * under test. It may be a copy from another thread, so its code counts, not its class. Loaders of native packages give a
 * list of causes, one per place where they looked.
 */
export function isUnsupported(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth === DEEPEST_CAUSE) return false
  if (Array.isArray(error)) return error.some((cause) => isUnsupported(cause, depth + 1))
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  return (typeof code === 'string' && UNSUPPORTED.test(code)) || isUnsupported(cause, depth + 1)
}

/** Our own mistake. */
export class InternalError extends Error {
  override readonly name = 'InternalError'
  readonly code = 'ERR_WAVETANK_INTERNAL'
}
