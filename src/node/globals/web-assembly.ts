/**
 * `WebAssembly` whose asynchronous compilation happens at once: V8 would finish it only in a turn of the host's loop. A
 * response is read to its end by Node's own code, over simulated sockets, and then compiled.
 */
import { ceil, imul } from '../../kernel/arithmetic.ts'
import { current } from '../process/current.ts'
import { ownMethod } from './own-members.ts'

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
 * The latest modules of this thread. V8 compiles a text once as long as a module of it is alive, and keeps the code that it
 * has optimised since; without a process that holds one, every boot would compile and warm up again.
 */
const kept = new Map<string, unknown>()
const MOST_KEPT = 8
const SAMPLES = 1_024

function keep(bytes: unknown, module: unknown): void {
  const view = viewOf(bytes)
  if (view === null) return
  const key = sampleOf(view)
  if (kept.has(key)) return
  if (kept.size === MOST_KEPT) kept.delete(kept.keys().next().value!)
  kept.set(key, module)
}

function viewOf(bytes: unknown): Uint8Array | null {
  if (ArrayBuffer.isView(bytes)) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : null
}

/** Tells modules apart well enough: if two have one sample, the second is merely not kept. */
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
  const moduleOf = (bytes: Uint8Array): unknown => {
    const module: unknown = new Real.Module(bytes)
    keep(bytes, module)
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

const Real = (globalThis as any).WebAssembly as object

export const VirtualWebAssembly: object = Object.create(
  Object.prototype,
  Object.getOwnPropertyDescriptors(Real),
)
keepCompilation(VirtualWebAssembly, Real, Promise)
