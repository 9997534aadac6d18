/**
 * `WebAssembly` whose asynchronous compilation happens at once: V8 would finish it only in a turn of the host's loop. A
 * response is read to its end by Node's own code, over simulated sockets, and then compiled.
 */
import { ceil, imul } from '../../kernel/arithmetic.ts'
import { current } from '../process/current.ts'
import { ownMethod } from './own-members.ts'

/** The one of the thread's realm. */
const OfThread = (globalThis as any).WebAssembly as object

type Imports = Record<string, Record<string, unknown>>

/** What Node's code does with a response (`WasmStreamingObject` in src/node_wasm_web_api.cc). */
interface StreamState {
  setURL(url: string): void
  push(chunk: ArrayBuffer | ArrayBufferView): void
  finish(): void
  abort(error: unknown): void
}

/** The bytes of a response, or of a promise of one. */
function streamed(source: unknown): Promise<Uint8Array> {
  const { wasmStreamingCallback } = current().modules.require('internal/wasm_web_api')
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    const state: StreamState = {
      setURL() {},
      push(chunk) {
        const isView = ArrayBuffer.isView(chunk)
        const bytes = isView
          ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
          : new Uint8Array(chunk)
        chunks.push(bytes.slice())
      },
      finish() {
        const whole = new Uint8Array(chunks.reduce((length, { byteLength }) => length + byteLength, 0))
        let at = 0
        for (const chunk of chunks) {
          whole.set(chunk, at)
          at += chunk.byteLength
        }
        resolve(whole)
      },
      abort: reject,
    }
    wasmStreamingCallback(state, source)
  })
}

/**
 * The latest modules of this thread, with copies of their texts. V8 compiles a text once as long as a module of it is
 * alive, and keeps the code that it has optimised since; without a process that holds one, every boot would compile and
 * warm up again. To find its code V8 hashes the whole text, which takes 30 ms for PostgreSQL; a comparison takes 1. So a
 * text that comes again is not given to V8: its module is cloned, and a clone shares the code.
 */
const kept = new Map<string, KeptModule>()
const MOST_KEPT = 8
const MOST_BYTES = 64 << 20
const SAMPLES = 1_024
const { compare } = Buffer
const cloneOf = structuredClone

interface KeptModule {
  readonly text: Uint8Array
  readonly module: object
}

/** A module of a text that this thread has compiled before. */
function moduleAgain(text: Uint8Array, key: string): object | undefined {
  const known = kept.get(key)
  return known !== undefined && compare(known.text, text) === 0 ? cloneOf(known.module) : undefined
}

function keep(text: Uint8Array, key: string, module: object): void {
  if (kept.has(key) || text.length > MOST_BYTES) return
  kept.set(key, { text: text.slice(), module })
  let bytes = 0
  for (const { text: one } of kept.values()) bytes += one.length
  for (const [oldest, { text: one }] of kept) {
    if (kept.size <= MOST_KEPT && bytes <= MOST_BYTES) break
    kept.delete(oldest)
    bytes -= one.length
  }
}

function viewOf(bytes: unknown): Uint8Array | null {
  if (ArrayBuffer.isView(bytes)) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : null
}

/** Finds a text among those that are kept; if two have one sample, the second is merely not kept. */
function sampleOf(bytes: Uint8Array): string {
  const stride = ceil(bytes.length / SAMPLES) || 1
  let hash = bytes.length
  for (let at = 0; at < bytes.length; at += stride) hash = (imul(hash, 31) + bytes[at]) | 0
  return `${bytes.length} ${hash}`
}

/** The members of a realm's `WebAssembly` that wait for something. */
export function virtualCompilation(
  Real: any,
  RealmPromise: PromiseConstructor,
): Record<string, (...args: any[]) => unknown> {
  const moduleOf = (bytes: unknown): unknown => {
    const text = viewOf(bytes)
    if (text === null) return new Real.Module(bytes)
    const key = sampleOf(text)
    // A clone belongs to the realm of this thread; a context of `vm` has a class of its own.
    const again = Real === OfThread ? moduleAgain(text, key) : undefined
    if (again !== undefined) return again
    const module: object = new Real.Module(bytes)
    if (Real === OfThread) keep(text, key, module)
    return module
  }
  const compile = (bytes: Uint8Array): Promise<unknown> =>
    new RealmPromise((resolve) => resolve(moduleOf(bytes)))
  const together = (bytes: Uint8Array, imports?: Imports): object => {
    const module = moduleOf(bytes)
    return { module, instance: new Real.Instance(module, imports) }
  }
  return {
    compile,
    instantiate: (source: any, imports?: Imports) =>
      new RealmPromise((resolve) => {
        resolve(
          source instanceof Real.Module ? new Real.Instance(source, imports) : together(source, imports),
        )
      }),
    compileStreaming: (source: unknown) =>
      new RealmPromise((resolve, reject) => {
        streamed(source)
          .then((bytes) => resolve(moduleOf(bytes)))
          .catch(reject)
      }),
    instantiateStreaming: (source: unknown, imports?: Imports) =>
      new RealmPromise((resolve, reject) => {
        streamed(source)
          .then((bytes) => resolve(together(bytes, imports)))
          .catch(reject)
      }),
  }
}

/** Puts them in place. */
export function keepCompilation(holder: object, Real: object, RealmPromise: PromiseConstructor): void {
  for (const [name, compile] of Object.entries(virtualCompilation(Real, RealmPromise)))
    ownMethod(holder, name, () => compile)
}

export const VirtualWebAssembly: object = Object.create(
  Object.prototype,
  Object.getOwnPropertyDescriptors(OfThread),
)
keepCompilation(VirtualWebAssembly, OfThread, Promise)
