import { describe, expect, it } from 'vitest'
import { writeTrace } from '../kernel/trace-file.ts'
import type { SeedJob, SeedReport } from './campaign/executor.ts'
import type { Failure } from './failure.ts'
import { changedFiles, parseTrace, printTrace, replayJob, type TraceConfig } from './trace-file.ts'

const CONFIG: TraceConfig = {
  simulation: { file: 'kv.sim.ts', name: 'kv' },
  level: 'stormy',
  program: { 'kv.sim.ts': 'aa', 'server.js': 'bb' },
  shrunk: { before: 100, after: 3, faults: 1, runs: 50, minimal: true },
  wavetank: '0.1.0',
}
const JOB: SeedJob = { simulation: { file: '/p/kv.sim.ts', name: 'kv' }, level: 'stormy', seed: 7 }
const FAILURE: Failure = {
  category: 'invariant',
  title: 'x',
  message: 'y',
  step: 2,
  timeUs: 2,
  process: null,
  stack: null,
  details: null,
}
const REPORT = {
  result: { failure: FAILURE, steps: 3, digest: 'abc' },
  choices: [{ entity: 'nemesis reboot #0', label: 'strike', index: 0, n: 2, value: 1, step: 0 }],
  hashes: Uint32Array.of(1, 2, 3),
} as unknown as SeedReport

const TEXT = printTrace(CONFIG, JOB, REPORT, 'v20')

describe('the trace of a simulation', () => {
  it('comes back as it was written, and is run again with its choices over zeros', () => {
    const trace = parseTrace(TEXT, 'f.json')
    expect(trace).toMatchObject({
      config: CONFIG,
      seed: 7,
      failure: FAILURE,
      steps: 3,
      digest: 'abc',
      nodeVersion: 'v20',
    })
    expect(replayJob(trace, '/q/kv.sim.ts')).toMatchObject({
      simulation: { file: '/q/kv.sim.ts', name: 'kv' },
      base: 'zero',
      misfit: 'diverge',
      overrides: [{ entity: 'nemesis reboot #0', label: 'strike', index: 0, n: 2, value: 1 }],
    })
  })

  it('says what is wrong with it', () => {
    expect(() => parseTrace(TEXT.slice(0, 80), 'f.json')).toThrow(/f\.json: cannot be read as a trace/)
    expect(() => parseTrace(TEXT.replace('"seed": 7', '"seed": 8'), 'f.json')).toThrow(/checksum/)
    const other = { ...parseTrace(TEXT, 'f'), config: { what: 'a race' } }
    expect(() => parseTrace(writeTrace(other), 'f.json')).toThrow(/not of a failing simulation/)
  })

  it('knows which files changed', () => {
    const trace = parseTrace(TEXT, 'f')
    expect(changedFiles(trace, { 'kv.sim.ts': 'aa', 'server.js': 'cc', 'new.js': 'dd' })).toEqual([
      'new.js',
      'server.js',
    ])
    expect(changedFiles(trace, CONFIG.program)).toEqual([])
  })
})
