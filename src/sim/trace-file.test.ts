import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  changedFiles,
  packChoices,
  parseTraceFile,
  printTraceFile,
  unpackChoices,
  type TraceFile,
} from './trace-file.ts'

const TRACE: Omit<TraceFile, 'format' | 'version'> = {
  simulation: { file: 'kv.sim.ts', name: 'kv' },
  level: 'stormy',
  seed: 7,
  base: 'zero',
  choices: [['nemesis reboot #0', 'strike', [0, 2, 1, 0]]],
  failure: {
    category: 'invariant',
    title: 'x',
    message: 'y',
    step: 1,
    timeUs: 2,
    process: null,
    stack: null,
    details: null,
  },
  digest: 'abc',
  steps: 10,
  program: { 'kv.sim.ts': 'aa', 'server.js': 'bb' },
  shrunk: null,
  runtime: { node: 'v20', wavetank: '0' },
}

describe('a trace file', () => {
  it('comes back as it was written', () => {
    expect(parseTraceFile(printTraceFile(TRACE), 'f.json')).toEqual({
      format: 'wavetank trace',
      version: 1,
      ...TRACE,
    })
  })

  it('keeps every choice', () => {
    const choice = fc.record({
      entity: fc.constantFrom('a', 'b', 'client 1 operation #2'),
      label: fc.constantFrom('x', 'y'),
      index: fc.nat(100),
      n: fc.integer({ min: 2, max: 1e6 }),
      value: fc.nat(1e6),
      step: fc.nat(),
    })
    const key = (one: { entity: string; label: string; index: number }): string =>
      `${one.entity}|${one.label}|${one.index}`
    fc.assert(
      fc.property(fc.uniqueArray(choice, { selector: key }), (choices) => {
        const back = unpackChoices(packChoices(choices))
        const sorted = (all: ReturnType<typeof unpackChoices>): unknown[] =>
          [...all].sort((a, b) => (key(a) < key(b) ? -1 : 1))
        expect(sorted(back)).toEqual(sorted(choices))
      }),
    )
  })

  it('says what is wrong with it', () => {
    const text = printTraceFile(TRACE)
    const damaged = (change: (trace: any) => void): string => {
      const trace = JSON.parse(text)
      change(trace)
      return JSON.stringify(trace)
    }
    expect(() => parseTraceFile(text.slice(0, 50), 'f.json')).toThrow(
      /f\.json is not a trace of wavetank: it is not JSON/,
    )
    expect(() => parseTraceFile('null', 'f.json')).toThrow(/"format" is not/)
    expect(() =>
      parseTraceFile(
        damaged((trace) => (trace.version = 99)),
        'f',
      ),
    ).toThrow(/version 99 is not 1/)
    expect(() =>
      parseTraceFile(
        damaged((trace) => delete trace.seed),
        'f',
      ),
    ).toThrow(/it lacks seed/)
    expect(() =>
      parseTraceFile(
        damaged((trace) => (trace.choices[0][2] = 'x')),
        'f',
      ),
    ).toThrow(/"choices" is damaged/)
    expect(() =>
      parseTraceFile(
        damaged((trace) => (trace.level = 'breezy')),
        'f',
      ),
    ).toThrow(/expected sunny/)
  })

  it('knows which files changed', () => {
    const trace = parseTraceFile(printTraceFile(TRACE), 'f')
    expect(changedFiles(trace, { 'kv.sim.ts': 'aa', 'server.js': 'cc', 'new.js': 'dd' })).toEqual([
      'new.js',
      'server.js',
    ])
    expect(changedFiles(trace, TRACE.program)).toEqual([])
  })
})
