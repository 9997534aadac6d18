import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Choice } from './choices.ts'
import { readTrace, writeTrace, type TraceFile } from './trace-file.ts'

const EXAMPLE: TraceFile = {
  config: { simulation: 'bank', level: 'stormy' },
  seed: 151,
  base: 'zero',
  overrides: [
    { entity: 'tcp n1→n2 #0 out', label: 'latency', index: 17, n: 901, value: 345 },
    { entity: 'nemesis', label: 'family', index: 0, n: 4, value: 3 },
    { entity: 'tcp n1→n2 #0 out', label: 'latency', index: 18, n: 901, value: 1 },
  ],
  failure: { category: 'invariant', title: 'money is conserved', step: 3 },
  codeHash: 'abc',
  nodeVersion: 'v20.20.2',
  steps: 3,
  digest: '0123456789abcdef',
  hashes: Uint32Array.of(1, 2, 0x3ffff),
}

const choice: fc.Arbitrary<Choice> = fc
  .tuple(fc.string(), fc.string(), fc.nat(), fc.nat({ max: 1e6 }), fc.nat())
  .map(([entity, label, index, more, value]) => ({
    entity,
    label,
    index,
    n: more + 1,
    value: value % (more + 1),
  }))

const byKey = (choices: readonly Choice[]): string[] => choices.map((each) => JSON.stringify(each)).sort()

describe('a trace file', () => {
  it('reads back as it was written', () => {
    const read = readTrace(writeTrace(EXAMPLE))
    expect(byKey(read.overrides)).toEqual(byKey(EXAMPLE.overrides))
    expect({ ...read, overrides: [] }).toEqual({ ...EXAMPLE, overrides: [] })
  })

  it('reads back whatever its choices and configuration are', () => {
    fc.assert(
      fc.property(
        fc.array(choice),
        fc.jsonValue(),
        fc.nat(),
        fc.uint32Array(),
        (overrides, config, seed, hashes) => {
          const low = hashes.map((hash) => hash & 0x3ffff)
          const read = readTrace(writeTrace({ ...EXAMPLE, overrides, config, seed, hashes: low }))
          expect(byKey(read.overrides)).toEqual(byKey(overrides))
          expect([JSON.stringify(read.config), read.seed, read.hashes]).toEqual([
            JSON.stringify(config),
            seed,
            low,
          ])
        },
      ),
    )
  })

  it('survives other line ends', () => {
    expect(readTrace(writeTrace(EXAMPLE).replaceAll('\n', '\r\n')).seed).toBe(151)
  })

  it('has one line per stream of choices, for people', () => {
    expect(writeTrace(EXAMPLE)).toContain('\n    ["tcp n1→n2 #0 out","latency",[[17,901,345],[18,901,1]]]')
  })

  it.each([
    ['', /trace\.json: cannot be read as a trace: it is not JSON/],
    ['{}', /it is not a trace: "format" should be "wavetank-trace"/],
    ['[1]', /it is not a trace/],
    [writeTrace(EXAMPLE).slice(0, -40), /it is not JSON/],
    [writeTrace(EXAMPLE).replace('"seed": 151', '"seed": 152'), /its checksum does not match/],
    [writeTrace(EXAMPLE).replace('[17,901,345]', '[17,901,346]'), /its checksum does not match/],
    [writeTrace({ ...EXAMPLE, seed: -1 }), /"seed" should be a non-negative integer, not -1/],
    [writeTrace({ ...EXAMPLE, base: 'x' as 'seed' }), /"base" should be one of seed, zero, not "x"/],
    [
      writeTrace({ ...EXAMPLE, codeHash: null as unknown as string }),
      /"codeHash" should be a string, not null/,
    ],
    [
      writeTrace({ ...EXAMPLE, overrides: [{ entity: 'a', label: 'b', index: 0, n: 2, value: 2 }] }),
      /choice \[0,2,2\] of a b should be \[index, range, value\]/,
    ],
  ])('says what is wrong with %j', (text, message) => {
    expect(() => readTrace(text, 'trace.json')).toThrow(message)
    expect(() => readTrace(text, 'trace.json')).toThrow(
      expect.objectContaining({ code: 'ERR_WAVETANK_TRACE_CORRUPT' }),
    )
  })

  it('of another version says which one it is', () => {
    const text = writeTrace(EXAMPLE).replace('"version": 1', '"version": 9')
    expect(() => readTrace(text, 'old.json')).toThrow(
      /old\.json: this is a trace of version 9, and this wavetank reads version 1/,
    )
    expect(() => readTrace(text)).toThrow(expect.objectContaining({ code: 'ERR_WAVETANK_TRACE_VERSION' }))
  })
})
