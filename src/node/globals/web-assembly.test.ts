/** Compiled modules are kept per thread: PostgreSQL as WebAssembly would otherwise be compiled at every boot. */
import { afterEach, expect, it, vi } from 'vitest'
import { virtualCompilation } from './web-assembly.ts'

const Real = (globalThis as any).WebAssembly
const { Module } = Real
const compiled = vi.fn()

class Counting extends Module {
  constructor(bytes: Uint8Array) {
    super(bytes)
    compiled()
  }
}

afterEach(() => {
  Real.Module = Module
  compiled.mockClear()
})

/** A module with a section of its own kind, which holds some bytes. */
function text(...content: readonly number[]): Uint8Array {
  return new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 0, content.length + 2, 1, 120, ...content])
}

it('a text is compiled once per thread, and another text by itself', async () => {
  const { compile } = virtualCompilation(Real, Promise)
  Real.Module = Counting
  const one = await compile(text(1, 2, 3))
  const again = await compile(text(1, 2, 3))
  expect(compiled).toHaveBeenCalledTimes(1)
  expect(again).not.toBe(one)
  expect(again).toBeInstanceOf(Module)
  const other = await compile(text(1, 2, 4))
  expect(compiled).toHaveBeenCalledTimes(2)
  const [section] = Module.customSections(other, 'x')
  expect(new Uint8Array(section)).toEqual(new Uint8Array([1, 2, 4]))
})
