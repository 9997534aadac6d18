/**
 * Leaves the microtask queue: work given to `macrotask` starts from the host's event loop with nothing of V8's microtask
 * queue on the stack, without which steps cannot be drained. The host's functions are taken when this file is loaded,
 * before a test runner or a fake clock replaces them.
 */
const hostSetImmediate = globalThis.setImmediate

export function macrotask<T>(work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    hostSetImmediate(() => {
      try {
        resolve(work())
      } catch (error) {
        reject(error)
      }
    })
  })
}
