/**
 * How much memory a thread of the real machine has, and a way to let go of its garbage. Inside a simulated process
 * `process.memoryUsage` is simulated, so the host's functions are taken when this file is loaded.
 *
 * The memory in use is the heap with its garbage, plus the buffers outside of it. The resident memory of the process
 * would be the plainer measure, but all threads share it, and freed pages leave it only some time later; it differs
 * from this one by the constant part that Node itself takes.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const { process: host } = globalThis
const usage = host.memoryUsage.bind(host)
const resident = host.memoryUsage.rss.bind(host.memoryUsage)

/** Bytes that this thread has in its heap and in buffers. */
export function memoryInUse(): number {
  const { heapTotal, external, arrayBuffers } = usage()
  // Shared array buffers count among `arrayBuffers` but not among `external`.
  return heapTotal + Math.max(external, arrayBuffers)
}

/** Bytes of the whole process that are resident now. */
export function residentBytes(): number {
  return resident()
}

/** A collection comes at most this share of the time. */
const COLLECTING_SHARE = 1 / 3

/** Collects all garbage of the thread, but seldom enough that the work goes on. */
export class GarbageCollection {
  readonly #now: () => number
  #endedMs = Number.NEGATIVE_INFINITY
  #tookMs = 0

  constructor(now: () => number) {
    this.#now = now
  }

  collect(): void {
    const begin = this.#now()
    if (begin - this.#endedMs < this.#tookMs * (1 / COLLECTING_SHARE - 1)) return
    forced ??= forcedCollection()
    forced()
    this.#endedMs = this.#now()
    this.#tookMs = this.#endedMs - begin
  }
}

let forced: (() => void) | null = null

/** V8's own function; the flag is taken back at once, so that no other realm gets a global `gc`. */
function forcedCollection(): () => void {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc') as () => void
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
