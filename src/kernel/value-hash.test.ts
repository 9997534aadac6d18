/** Two values that a program can tell apart have different hashes. */
import { describe, expect, it } from 'vitest'
import { RunHash } from './hash.ts'
import { hashValue } from './value-hash.ts'

function hashOf(value: unknown): string {
  const hash = new RunHash()
  hashValue(hash, value, 'posts')
  return hash.digest()
}

const shared = (byte: number): SharedArrayBuffer => {
  const buffer = new SharedArrayBuffer(1)
  new Uint8Array(buffer)[0] = byte
  return buffer
}

/** Values of one kind, each another. */
const KINDS: Readonly<Record<string, readonly (() => unknown)[]>> = {
  'nothing and its name': [() => null, () => 'null', () => undefined, () => 'undefined'],
  'numbers and texts': [() => 1, () => 2, () => 'number 1', () => 'string number 1', () => 1n, () => true],
  'nested arrays': [() => [[1], 2], () => [[1, 2]], () => [], () => [[]]],
  dates: [() => new Date(0), () => new Date(1), () => new Date(NaN)],
  patterns: [() => /a/, () => /b/],
  'boxed values': [() => Object(1), () => Object(2), () => Object(true), () => Object(1n), () => Object('1')],
  bytes: [() => new Uint8Array(4), () => new Uint32Array(1), () => new DataView(new ArrayBuffer(4))],
  'shared bytes': [() => shared(1), () => shared(2)],
  errors: [
    () => new Error('a'),
    () => new Error('b'),
    () => new TypeError('a'),
    () => new Error('a', { cause: 1 }),
    () => new Error('a', { cause: 2 }),
  ],
  collections: [() => new Map([[1, 2]]), () => new Map([[1, 3]]), () => new Set([1]), () => new Set([2])],
}

describe('the hash of a value', () => {
  it.each(Object.keys(KINDS))('differs between %s', (kind) => {
    const hashes = KINDS[kind].map((make) => hashOf(make()))
    expect(KINDS[kind].map((make) => hashOf(make()))).toEqual(hashes)
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  it('neither calls code of the program nor trips over what only looks like a date', () => {
    const called: string[] = []
    const object = {
      get a() {
        called.push('a getter')
        return 1
      },
    }
    hashOf([object, Object.create(Date.prototype), Object.create(Map.prototype)])
    expect(called).toEqual([])
  })
})
