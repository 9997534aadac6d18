/** `WebAssembly` whose asynchronous compilation happens at once: V8 would finish it only in a turn of the host's loop. */

type Imports = Record<string, Record<string, unknown>>

const Real = (globalThis as any).WebAssembly

function compile(bytes: Uint8Array): Promise<unknown> {
  return new Promise((resolve) => resolve(new Real.Module(bytes)))
}

function instantiate(source: unknown, imports?: Imports): Promise<unknown> {
  return new Promise((resolve) => {
    if (source instanceof Real.Module) resolve(new Real.Instance(source, imports))
    else {
      const module = new Real.Module(source)
      resolve({ module, instance: new Real.Instance(module, imports) })
    }
  })
}

export const VirtualWebAssembly: object = Object.create(Object.prototype, {
  ...Object.getOwnPropertyDescriptors(Real as object),
  compile: { value: compile, writable: true, configurable: true, enumerable: false },
  instantiate: { value: instantiate, writable: true, configurable: true, enumerable: false },
})
