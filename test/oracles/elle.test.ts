/**
 * Elle's own suite, two corpora of histories that Elle judged, its lattice, and its example histories.
 *
 * Verdict, anomaly types and ruled-out models must be Elle's. Where they are not, the difference falls into one of the
 * classes below, and the test proves for each history that it does:
 *
 * - *garbage*: a transaction read what none wrote. Elle throws (list-append) or takes it for an initial state
 *   (rw-register); we report `garbage-read`, with `initialValues` once it cannot be the initial state.
 * - *gave up*: Elle's search ran into its time limit, or only proved that a cycle exists. We name the cycle; each of
 *   its edges is checked here by definition.
 * - *first candidate*: per component and kind Elle takes the first cycle it meets and drops it when another
 *   explanation of an edge makes it another kind; we go on. So ours may be worse than Elle's in the same component
 *   (then ours implies Elle's), or additional (then its edges are checked here).
 * - *tie*: reads of a key contradict each other and two of the longest have the same length: either may be taken for
 *   the version order, and what follows from it differs. `incompatible-order` is reported by both.
 * - *unknown writers*: Elle's rw-register ignores unknown transactions even when their writes were read. We do not,
 *   unless asked to; comparisons ask, and one test shows what it brings.
 * - *search*: Elle's rw-register only infers; ours then decides by search. Comparisons switch that off, and one test
 *   shows what it brings.
 * - *phantom version cycle*: on 4 large histories Elle reports `cyclic-versions` though none of the orders it may use
 *   has a cycle (shown here by brute force over all pairs).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CheckResult } from '../../src/checkers/result.ts'
import {
  ANOMALY_TYPES,
  CONSISTENCY_MODELS,
  forbiddenAnomalies,
  impliedAnomalies,
  impliedModels,
  listAppend,
  modelBoundary,
  rwRegister,
  type CycleDetails,
} from '../../src/checkers/transactions/index.ts'
import { impossibleModels } from '../../src/checkers/transactions/lattice.ts'
import { parseHistory } from '../../src/history/index.ts'
import {
  caseHistory,
  corpusHistory,
  dependencyHolds,
  longestReads,
  options,
  unwrittenReads,
  verdictOf,
  versionsAreCyclic,
  type Case,
  type CorpusLine,
} from './elle-judgement.ts'
import { describeOracles, readText } from './folder.ts'

/** What rw-register does beyond Elle, switched off. */
const AS_ELLE = { unknownWriters: false, search: false, initialValues: true }

const CYCLE = /^G(0|1c|2|-single|-nonadjacent)/

const sorted = (values: Iterable<string>): string[] => [...new Set(values)].sort()
const typesOf = ({ details }: CheckResult): string[] => [...(details['anomalyTypes'] as string[])]
const ownTypes = (result: CheckResult): string[] => typesOf(result).filter((type) => type !== 'garbage-read')
const boundaryOf = ({ details }: CheckResult): unknown[] => [details['not'], details['alsoNot']]

interface Judged {
  readonly line: CorpusLine
  readonly result: CheckResult
}

const EXISTS = '-cycle-exists'
const GAVE_UP = /-cycle-exists$|^cycle-search-timeout$/

function byId<T>(lines: readonly Judged[], value: (each: Judged) => T): Record<string, T> {
  return Object.fromEntries(lines.map((each) => [each.line.id, value(each)]))
}

function byName<T>(names: readonly string[], value: (name: string) => T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, value(name)]))
}

function corpus(path: string): CorpusLine[] {
  return readText(path)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as CorpusLine)
}

/** A case of Elle's suite that falls into a class above. */
const CASE_DIFFERENCES: Readonly<Record<string, { types?: readonly string[]; reason: string }>> = {
  'list-append__sim-prefix-test_1': {
    types: ['G-single-item'],
    reason: 'first candidate: a cycle with one anti-dependency in the component of its G0',
  },
  'rw-register__scc-sort-bug-test_1': {
    types: ['garbage-read'],
    reason: 'garbage: some keys are read with several values that no transaction wrote',
  },
  'rw-register__checker-test__internal_1': {
    reason: 'garbage: two values of a key that no transaction wrote',
  },
}

describeOracles('elle', (path) => {
  it('has the lattice of 54 models and 60 anomalies, and garbage reads beside them', () => {
    const lattice = JSON.parse(readFileSync(join(path, 'consistency_model_lattice.json'), 'utf8')) as {
      all_models: string[]
      all_anomalies: string[]
      model_implies: Record<string, string[]>
      model_prohibits: Record<string, string[]>
      anomaly_implies: Record<string, string[]>
      anomaly_boundary: Record<string, { not: string[]; also_not: string[] }>
    }
    expect(CONSISTENCY_MODELS).toEqual(sorted(lattice.all_models))
    expect(ANOMALY_TYPES).toEqual(sorted([...lattice.all_anomalies, 'garbage-read']))
    const without = (values: Iterable<string>, own: string): string[] =>
      sorted(values).filter((value) => value !== own && value !== 'garbage-read')
    expect(byName(lattice.all_models, (model) => without(impliedModels([model]), model))).toEqual(
      byName(lattice.all_models, (model) => sorted(lattice.model_implies[model])),
    )
    expect(byName(lattice.all_models, (model) => without(forbiddenAnomalies([model]), ''))).toEqual(
      byName(lattice.all_models, (model) => sorted(lattice.model_prohibits[model])),
    )
    expect(byName(lattice.all_anomalies, (anomaly) => without(impliedAnomalies([anomaly]), anomaly))).toEqual(
      byName(lattice.all_anomalies, (anomaly) => sorted(lattice.anomaly_implies[anomaly])),
    )
    const boundary = (anomaly: string) => {
      const { not, alsoNot } = modelBoundary([anomaly])
      return { not, also_not: alsoNot }
    }
    expect(byName(lattice.all_anomalies, boundary)).toEqual(lattice.anomaly_boundary)
  })

  describe('cases of its suite', () => {
    const names = readdirSync(join(path, 'cases'))

    it('are 80', () => expect(names).toHaveLength(80))

    it.each(names)('%s', (name) => {
      const example = JSON.parse(readFileSync(join(path, 'cases', name), 'utf8')) as Case
      const { expected } = example
      const history = caseHistory(example)
      const result =
        example.checker === 'list-append'
          ? listAppend(history, options(example.opts))
          : rwRegister(history, { ...options(example.opts), ...AS_ELLE })
      const difference = CASE_DIFFERENCES[example.id]
      const comparable = expected.valid !== true && difference === undefined
      expect({
        verdict: result.verdict,
        types: typesOf(result),
        boundary: comparable ? boundaryOf(result) : null,
      }).toEqual({
        verdict: verdictOf(expected),
        types: sorted([...(expected.anomaly_types ?? []), ...(difference?.types ?? [])]),
        boundary: comparable ? [expected.not ?? [], expected.also_not ?? []] : null,
      })
    })
  })

  describe('list-append corpus', () => {
    let lines: Judged[] = []
    beforeAll(() => {
      lines = corpus(join(path, 'corpus_append.jsonl.gz')).map((line) => ({
        line,
        result: listAppend(corpusHistory(line), options(line.opts)),
      }))
    })
    const judged = () => lines.filter(({ line }) => line.expected.error === undefined)
    /** A transaction's own appends in another order than its own, which Elle does not look at. */
    const ownOrder = ({ result }: Judged) =>
      result.anomalies.some(({ type, message }) => type === 'internal' && message.includes(' and then '))
    const tied = ({ line }: Judged) => [...longestReads(line).values()].some((reads) => reads.size > 1)

    it('has the same verdict on every history that Elle judged', () => {
      expect(judged().length).toBeGreaterThan(900)
      expect(byId(judged(), ({ result }) => result.verdict)).toEqual(
        byId(judged(), ({ line }) => verdictOf(line.expected)),
      )
    })

    it('finds the same anomalies that are no cycles', () => {
      const plain = (types: readonly string[]): string[] =>
        sorted(types).filter((type) => !CYCLE.test(type) && !GAVE_UP.test(type))
      const comparable = judged().filter((each) => !ownOrder(each))
      expect(judged().length - comparable.length).toBeLessThan(30)
      expect(byId(comparable, ({ result }) => plain(ownTypes(result)))).toEqual(
        byId(comparable, ({ line }) => plain(line.expected.anomaly_types ?? [])),
      )
    })

    it('finds the same cycles, or worse ones where Elle stopped at the first candidate or gave up', () => {
      const different = judged().filter(
        ({ line, result }) => ownTypes(result).join() !== sorted(line.expected.anomaly_types ?? []).join(),
      )
      expect(different.length / judged().length).toBeLessThan(0.1)
      const ties = different.filter(tied)
      expect(ties.every(({ result }) => typesOf(result).includes('incompatible-order'))).toBe(true)
      /** What Elle found that our anomalies do not imply. */
      const missed = ({ line, result }: Judged): string[] => {
        const implied = impliedAnomalies(ownTypes(result))
        const broken = impossibleModels(ownTypes(result))
        return (line.expected.anomaly_types ?? []).filter(
          (type) =>
            type !== 'cycle-search-timeout' &&
            !(type.endsWith(EXISTS) ? broken.has(type.slice(0, -EXISTS.length)) : implied.has(type)),
        )
      }
      const rest = different.filter((each) => !tied(each))
      expect(byId(rest, missed)).toEqual(byId(rest, () => []))
    })

    it('rules out the same models where nothing was garbage, tied or cut short', () => {
      const comparable = judged().filter(
        (each) =>
          each.line.expected.valid !== true &&
          !typesOf(each.result).includes('garbage-read') &&
          !(each.line.expected.anomaly_types ?? []).includes('cycle-search-timeout') &&
          !ownOrder(each) &&
          !tied(each),
      )
      expect(comparable.length).toBeGreaterThan(450)
      expect(byId(comparable, ({ result }) => boundaryOf(result))).toEqual(
        byId(comparable, ({ line }) => [line.expected.not, line.expected.also_not]),
      )
    })

    it('reports only cycles whose every edge holds by definition', () => {
      let cycles = 0
      const wrong = lines.flatMap(({ line, result }) => {
        const history = corpusHistory(line)
        return result.anomalies.flatMap(({ type, details, operations }) => {
          if (!CYCLE.test(type)) return []
          cycles++
          const { cycle } = details as CycleDetails
          const bad = cycle.filter(
            (step, i) =>
              step.to !== cycle[(i + 1) % cycle.length].from || !dependencyHolds(line, history, step),
          )
          return new Set(operations).size === operations.length ? bad : cycle
        })
      })
      expect(wrong).toEqual([])
      expect(cycles).toBeGreaterThan(1000)
    })

    it('reports an element that no transaction appended, where Elle threw or missed it', () => {
      expect(byId(lines, ({ result }) => typesOf(result).includes('garbage-read'))).toEqual(
        byId(lines, ({ line }) => unwrittenReads(line)),
      )
      const thrown = lines.filter(({ line }) =>
        line.expected.error?.startsWith('Assert failed: No transaction wrote'),
      )
      expect(thrown.length).toBeGreaterThan(50)
      expect(byId(thrown, ({ result }) => result.verdict)).toEqual(byId(thrown, () => 'invalid'))
    })
  })

  describe('rw-register corpus', () => {
    let lines: Judged[] = []
    beforeAll(() => {
      lines = corpus(join(path, 'corpus_rw.jsonl.gz')).map((line) => ({
        line,
        result: rwRegister(corpusHistory(line), { ...options(line.opts), ...AS_ELLE }),
      }))
    })
    const phantomCycle = ({ line, result }: Judged): boolean =>
      (line.expected.anomaly_types ?? []).includes('cyclic-versions') &&
      !typesOf(result).includes('cyclic-versions')
    const garbage = ({ result }: Judged): boolean => typesOf(result).includes('garbage-read')

    it('has the same verdict, but for reads of what no transaction wrote', () => {
      const different = lines.filter(({ line, result }) => result.verdict !== verdictOf(line.expected))
      expect(different.length).toBeLessThan(25)
      expect(different.every((each) => garbage(each) && unwrittenReads(each.line))).toBe(true)
      expect(different.every(({ line }) => line.expected.valid !== false)).toBe(true)
    })

    it('finds the same anomalies', () => {
      const comparable = lines.filter((each) => !phantomCycle(each))
      expect(byId(comparable, ({ result }) => ownTypes(result))).toEqual(
        byId(comparable, ({ line }) => sorted(line.expected.anomaly_types ?? [])),
      )
    })

    it('rules out the same models where nothing was garbage', () => {
      const comparable = lines.filter(
        (each) => each.line.expected.valid !== true && !garbage(each) && !phantomCycle(each),
      )
      expect(comparable.length).toBeGreaterThan(400)
      expect(byId(comparable, ({ result }) => boundaryOf(result))).toEqual(
        byId(comparable, ({ line }) => [line.expected.not, line.expected.also_not]),
      )
    })

    it('reports no cycle of versions where no order has one', () => {
      const different = lines.filter(phantomCycle)
      expect(different).toHaveLength(4)
      expect(different.some(({ line }) => versionsAreCyclic(line))).toBe(false)
      expect(different.every(({ result }) => result.verdict === 'invalid')).toBe(true)
    })

    it('is only sharper when what inference leaves open is decided by search', () => {
      const decided = lines.map(({ line }) => rwRegister(corpusHistory(line), options(line.opts)))
      const sharper = lines.filter(({ result }, i) => result.verdict !== decided[i].verdict)
      expect(sharper.length).toBeGreaterThan(50)
      expect(sharper.some(({ result }) => result.verdict === 'invalid')).toBe(false)
      // Only where nothing committed there is nothing to decide.
      const open = lines.filter((_, i) => decided[i].verdict === 'unknown')
      expect(open.some(({ line }) => line.history.some(([type]) => type === 'o'))).toBe(false)
      // A store that is serializable by construction, and was not tampered with, is never called anything else.
      const honest = decided.filter(
        (_, i) => lines[i].line.mutation === 'none' && lines[i].line.sim.db === 'ssi',
      )
      expect(honest.length).toBeGreaterThan(20)
      expect(honest.every(({ verdict }) => verdict === 'valid')).toBe(true)
    })

    it('is only sharper when it counts unknown transactions whose writes were read', () => {
      const different = lines.filter(
        ({ line, result }) =>
          result.verdict !==
          rwRegister(corpusHistory(line), { ...options(line.opts), ...AS_ELLE, unknownWriters: true })
            .verdict,
      )
      expect(different.length).toBeGreaterThan(0)
      expect(different.every(({ line }) => line.mutation === 'to-info')).toBe(true)
      expect(different.some(({ result }) => result.verdict === 'invalid')).toBe(false)
    })
  })

  describe('example histories', () => {
    const edn = (name: string) => parseHistory(readText(join(path, 'histories', name)))

    it('si-without-g-single satisfies snapshot isolation and no more', () => {
      const history = edn('si-without-g-single.edn')
      expect(listAppend(history, { consistencyModels: ['snapshot-isolation'] }).verdict).toBe('valid')
      const serializable = listAppend(history, { consistencyModels: ['serializable'] })
      expect(typesOf(serializable)).toEqual(['G2-item'])
      expect(serializable.details['not']).toEqual(['repeatable-read'])
      const strict = listAppend(history)
      expect(strict.verdict).toBe('invalid')
      expect(typesOf(strict)).toEqual(['G-single-item-realtime', 'G2-item'])
    })

    it('paper-example is judged although its operations name no process', () => {
      // Elle takes them for no client's and sees nothing; with processes added it says false, too.
      const result = listAppend(edn('paper-example.edn'))
      expect(result.verdict).toBe('invalid')
      expect(typesOf(result).some((type) => CYCLE.test(type))).toBe(true)
    })

    it('huge-scc is serializable but not strictly so, and the cycle is named', () => {
      const history = edn('huge-scc.edn.gz')
      expect(listAppend(history, { consistencyModels: ['serializable'] }).verdict).toBe('valid')
      expect(listAppend(history, { consistencyModels: ['snapshot-isolation'] }).verdict).toBe('valid')
      const strict = listAppend(history)
      expect(strict.verdict).toBe('invalid')
      // Elle gave up here: G2-item-realtime, and proof that some cycle breaks strong snapshot isolation.
      expect(strict.details['not']).toEqual(['strong-snapshot-isolation'])
      expect(typesOf(strict)).not.toContain('cycle-search-timeout')
    })
  })
})

describeOracles('elle-cli', (path) => {
  const read = (name: string) => parseHistory(readText(join(path, 'elle', name)))

  it.each(['rw-register.edn', 'rw-register.json'])('rw-register: inference finds nothing in %s', (name) => {
    expect(rwRegister(read(name), AS_ELLE).verdict).toBe('valid')
  })

  it('rw-register: search sees that a value was read after it had been overwritten', () => {
    // x = 2 is acknowledged, then x = 3 is read, which no transaction wrote and can only be older, then 2 again.
    const result = rwRegister(read('rw-register.edn'), { initialValues: true })
    expect(result.verdict).toBe('invalid')
    expect(result.details['decidedBy']).toBe('search')
    expect(result.details['not']).toEqual(['strong-serializable'])
  })

  it.each(['paper-example.edn', 'paper-example.json'])('list-append: %s is invalid', (name) => {
    expect(listAppend(read(name)).verdict).toBe('invalid')
  })

  it('list-append: list-append-gh-30.edn is not serializable', () => {
    expect(listAppend(read('list-append-gh-30.edn'), { consistencyModels: ['serializable'] }).verdict).toBe(
      'invalid',
    )
  })
})
