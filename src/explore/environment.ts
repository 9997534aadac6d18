/**
 * Where the body of an exploration runs. A run needs little: something that executes a callback as one step (with
 * all ticks and microtasks drained before it returns) and says what went uncaught. The bare environment is the host's own
 * thread, for bodies that await nothing but scheduling points; the tank is a simulated process with timers, sockets and
 * files.
 */
export interface Environment {
  /** Runs a callback and everything it sets off, to quiescence. */
  step(work: () => void): void
  /** Told of every exception and rejection that nobody handled. */
  onUncaught: (error: unknown) => void
  /** Ends the run: nothing of it may ever run again. */
  dispose(): void
}

type TickCallback = () => void

/** The host's own thread. Must be entered from a macrotask: inside a microtask the drain does nothing. */
export function bareEnvironment(): Environment {
  const drain = (process as unknown as { _tickCallback: TickCallback })._tickCallback
  return {
    onUncaught: () => {},
    step(work) {
      try {
        work()
      } catch (error) {
        this.onUncaught(error)
      }
      for (;;) {
        try {
          drain.call(process)
          return
        } catch (error) {
          this.onUncaught(error)
        }
      }
    },
    dispose() {},
  }
}
