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

/** Our own mistake. */
export class InternalError extends Error {
  override readonly name = 'InternalError'
  readonly code = 'ERR_WAVETANK_INTERNAL'
}
