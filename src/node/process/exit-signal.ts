/**
 * The exception that unwinds the JavaScript of a process that has exited: `process.reallyExit` throws it, and every
 * binding throws it again, because JavaScript cannot be stopped otherwise. A process whose code catches it is a zombie
 * until its step is over.
 */
export class ExitSignal extends Error {
  override readonly name = 'ExitSignal'

  constructor() {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0 // every process that ends makes one, and its stack is never read
    super('the simulated process has exited')
    Error.stackTraceLimit = stackTraceLimit
  }
}
