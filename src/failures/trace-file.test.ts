import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../kernel/errors.ts'
import type { Choice } from '../kernel/choices.ts'
import { parseTrace, printTrace, sealed, type TraceFile } from './trace-file.ts'
import { raceExample, SIMULATION } from './traces.test-support.ts'

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
  it.each(['simulation', 'race'] as const)('of a %s reads back as it was written', async (kind) => {
    const trace: TraceFile = kind === 'simulation' ? SIMULATION : await raceExample()
    const read = parseTrace(printTrace(trace))
    expect(byKey(read.choices)).toEqual(byKey(trace.choices))
    expect({ ...read, choices: [] }).toEqual(JSON.parse(JSON.stringify({ ...trace, choices: [] }), revived))
  })

  it('reads back whatever its choices and hashes are', () => {
    fc.assert(
      fc.property(fc.array(choice), fc.nat(), fc.uint32Array({ minLength: 1 }), (choices, seed, hashes) => {
        const low = hashes.map((hash) => hash & 0x3ffff)
        const trace = { ...SIMULATION, choices, seed, hashes: low, steps: low.length }
        const read = parseTrace(printTrace(trace))
        expect(byKey(read.choices)).toEqual(byKey(choices))
        expect([read.seed, read.hashes]).toEqual([seed, low])
      }),
    )
  })

  it('survives other line ends', () => {
    expect(parseTrace(printTrace(SIMULATION).replaceAll('\n', '\r\n')).seed).toBe(151)
  })

  it('has one line per stream of choices, for people', () => {
    expect(printTrace(SIMULATION)).toContain('\n    ["tcp n1→n2 #0 out","latency",[[17,901,345],[18,901,1]]]')
  })

  const TEXT = printTrace(SIMULATION)
  const changed = (change: object): string => printTrace({ ...SIMULATION, ...change })

  it.each([
    ['', /trace\.json: cannot be read as a trace: it is not JSON/],
    ['{}', /it is not a trace: "format" should be "wavetank-trace"/],
    ['[1]', /it is not a trace/],
    ['null', /it is not a trace/],
    [TEXT.slice(0, -40), /it is not JSON/],
    [TEXT.replace('"seed": 151', '"seed": 152'), /its checksum does not match/],
    [TEXT.replace('[17,901,345]', '[17,901,346]'), /its checksum does not match/],
    [changed({ kind: 'other' }), /"kind" should be one of simulation, race, not "other"/],
    [changed({ seed: -1 }), /"seed" should be a non-negative integer, not -1/],
    [changed({ program: null }), /"program" should be an object, not null/],
    [changed({ config: undefined }), /"config" should be an object, not null/],
    [changed({ config: { ...SIMULATION.config, level: 'breezy' } }), /"config.level" should be one of sunny/],
    [changed({ steps: 1e12 }), /"steps" should be at most/],
    [changed({ steps: 4 }), /it has 4 steps and 3 hashes/],
    [
      changed({ config: { ...SIMULATION.config, simulation: { file: '../../etc/x', name: 'a' } } }),
      /should be the path of a file inside the project/,
    ],
    [
      changed({ choices: [{ entity: 'a', label: 'b', index: 0, n: 2, value: 2 }] }),
      /choice \[0,2,2\] of a b should be \[index, range, value\]/,
    ],
    [
      changed({ choices: [{ entity: 'a', label: 'b', index: 1e300, n: 2, value: 1 }] }),
      /should be \[index, range, value\]/,
    ],
  ])('says what is wrong with %j', (text, message) => {
    expect(() => parseTrace(text, 'trace.json')).toThrow(message)
    expect(() => parseTrace(text, 'trace.json')).toThrow(
      expect.objectContaining({ code: 'ERR_WAVETANK_TRACE_CORRUPT' }),
    )
  })

  it('of another version says which one it is, and what to do', () => {
    const old = TEXT.replace('"version": 2', '"version": 1')
    expect(() => parseTrace(old, 'old.json')).toThrow(
      /old\.json: this is a trace of version 1, and this wavetank reads version 2; run the simulation or the test again/,
    )
    expect(() => parseTrace(old)).toThrow(expect.objectContaining({ code: 'ERR_WAVETANK_TRACE_VERSION' }))
    const newer = TEXT.replace('"version": 2', '"version": 9')
    expect(() => parseTrace(newer)).toThrow(/version 9.*replay it with the newer wavetank/)
  })

  it('that is sealed and hostile is refused or harmless: no field of a wrong type gets through', async () => {
    for (const trace of [SIMULATION, await raceExample()]) {
      const paths = pathsOf(bodyOf(trace))
      expect(paths.length).toBeGreaterThan(20)
      let refused = 0
      for (const path of paths) {
        for (const value of HOSTILE) {
          const text = resealed(bodyOf(trace), path, value)
          try {
            expect(sameTypes(parseTrace(text), trace), `${path.join('.')} = ${JSON.stringify(value)}`).toBe(
              true,
            )
          } catch (error) {
            if (!(error instanceof UsageError)) throw error
            refused++
          }
        }
      }
      expect(refused).toBeGreaterThan(paths.length)
    }
  })
})

const HOSTILE: readonly unknown[] = [null, 'x', -1, 1.5, 1e300, true, [], {}, [null], undefined]

function revived(_: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && '0' in value && !Array.isArray(value)
    ? Uint32Array.from(Object.values(value) as number[])
    : value
}

type Path = readonly (string | number)[]

/** The body of a trace as data. */
function bodyOf(trace: TraceFile): Record<string, unknown> {
  const {
    format: _,
    version: __,
    checksum: ___,
    ...body
  } = JSON.parse(printTrace(trace)) as Record<string, unknown>
  return body
}

/** Every place in a value; of a list, the first two. */
function pathsOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return at.length === 0 ? [] : [at]
  const entries = Array.isArray(value) ? [...value.entries()].slice(0, 2) : Object.entries(value)
  return [
    ...(at.length === 0 ? [] : [at]),
    ...entries.flatMap(([name, each]) => pathsOf(each, [...at, name])),
  ]
}

function resealed(body: Record<string, unknown>, path: Path, value: unknown): string {
  const copy = structuredClone(body)
  let place: any = copy
  for (const name of path.slice(0, -1)) place = place[name]
  if (value === undefined) delete place[path.at(-1)!]
  else place[path.at(-1)!] = value
  const fields = Object.entries(copy).map(
    ([name, each]) => `  ${JSON.stringify(name)}: ${JSON.stringify(each)}`,
  )
  return sealed(fields.join(',\n'))
}

/** Whether the fields that commands read have the types that they had. */
function sameTypes(read: TraceFile, trace: TraceFile): boolean {
  const kinds = (each: TraceFile): string =>
    JSON.stringify(
      [each.steps, each.seed, each.digest, each.failure.message, each.failure.step].map((v) => typeof v),
    )
  if (kinds(read) !== kinds(trace) || !Array.isArray(read.choices)) return false
  if (read.kind === 'race') return Array.isArray(read.config.finding.schedule)
  return typeof read.config.simulation.file === 'string'
}
