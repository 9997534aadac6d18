/**
 * Histories on which an earlier version was wrong, or broke a limit. Each is put to the question that it was wrong about;
 * what must come out is what the list beside them says.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ILLEGAL, linearizable, type CheckResult, type Model } from '../../src/checkers/index.ts'
import { questionOf, type CheckSettings } from '../../src/cli/check/question.ts'
import { History, parseHistory, type HistoryEvent } from '../../src/history/index.ts'
import { describeOracles, filesUnder } from './folder.ts'

interface Case {
  readonly file: string
  readonly asked: CheckSettings
  /** Verdicts that are right. */
  readonly verdict: readonly string[]
  /** An anomaly that must be among those found. */
  readonly anomaly?: string
}

const OBJECTS = ['register', 'cas-register'] as const
const lostWrites: Case[] = [
  '01-lost-write.jsonl',
  '01-lost-write.edn',
  '01-lost-write-with-ids.jsonl',
].flatMap((file) => [
  ...OBJECTS.map((model): Case => ({ file, asked: { model }, verdict: ['invalid'] })),
  { file, asked: { model: 'multi-register' }, verdict: ['invalid'] },
  { file, asked: { model: 'register', consistencyModel: ['sequential'] }, verdict: ['invalid'] },
])

const CASES: readonly Case[] = [
  ...lostWrites,
  { file: '02-undecided.jsonl.gz', asked: { workload: ['rw-register'] }, verdict: ['invalid', 'unknown'] },
  { file: '03-snowflake.jsonl', asked: { workload: ['unique-ids'] }, verdict: ['valid'] },
  { file: '03b-rounded-register.jsonl', asked: { model: 'register' }, verdict: ['invalid'] },
  { file: '04-empty.jsonl', asked: { model: 'register' }, verdict: ['unknown'] },
  { file: '04-empty.jsonl', asked: { model: 'queue' }, verdict: ['unknown'] },
  { file: '04-empty.jsonl', asked: { model: 'map' }, verdict: ['unknown'] },
  {
    file: '04-empty.jsonl',
    asked: { model: 'register', consistencyModel: ['causal'] },
    verdict: ['unknown'],
  },
  {
    file: '04-empty.jsonl',
    asked: { model: 'register', consistencyModel: ['sequential'] },
    verdict: ['unknown'],
  },
  {
    file: '05-oom-46-ops.jsonl',
    asked: { model: 'queue', timeout: 20_000, memory: 512 },
    verdict: ['invalid'],
  },
  {
    file: '06-timeout-ignored.jsonl.gz',
    asked: { workload: ['rw-register'], consistencyModel: ['serializable'], timeout: 5000 },
    verdict: ['valid', 'invalid', 'unknown'],
  },
  { file: '07-delete.jsonl', asked: { workload: ['rw-register'] }, verdict: ['valid'] },
  { file: '07-delete.jsonl', asked: { isolation: ['serializable'] }, verdict: ['valid'] },
  { file: '08-retry.jsonl', asked: { workload: ['list-append'] }, verdict: ['unknown', 'valid'] },
  {
    file: '09-own-order.jsonl',
    asked: { workload: ['list-append'] },
    verdict: ['invalid'],
    anomaly: 'internal',
  },
  { file: '10-predicate.jsonl', asked: { workload: ['closed-predicate'] }, verdict: ['valid'] },
  {
    file: '11-wfr.jsonl',
    asked: { model: 'register', consistencyModel: ['writes-follow-reads', 'monotonic-reads'] },
    verdict: ['invalid'],
    anomaly: 'writes-follow-reads+monotonic-reads',
  },
  { file: '12-map-append.jsonl', asked: { model: 'map' }, verdict: ['valid'] },
  {
    file: '13-garbage.jsonl',
    asked: { workload: ['rw-register'] },
    verdict: ['invalid'],
    anomaly: 'garbage-read',
  },
  { file: '14-broadcast.jsonl', asked: { workload: ['broadcast'] }, verdict: ['unknown'] },
]

describeOracles('wrong-verdicts', (path) => {
  it('has a case here for every file', () => {
    const files = filesUnder(path, /\.(jsonl|edn|gz|mjs)$/)
    const covered = new Set([...CASES.map(({ file }) => file), '15-map-state.mjs'])
    expect(files.filter((file) => !covered.has(file))).toEqual([])
    expect(files.length).toBeGreaterThanOrEqual(18)
  })

  it.each(CASES.map((one) => [one.file, one.asked, one] as const))(
    '%s, asked %j',
    async (file, asked, { verdict, anomaly }) => {
      const ask = await questionOf(asked)
      const result = ask!(parseHistory(readFileSync(join(path, file))))
      expect(verdict).toContain(result.verdict)
      expect(result.reason === null).toBe(result.verdict !== 'unknown')
      expect(['any', ...result.anomalies.map(({ type }) => type)]).toContain(anomaly ?? 'any')
    },
    // A check that ignores its limit of time takes minutes, and fails here.
    60_000,
  )

  it('05-oom-46-ops.jsonl ends with an answer in a process of its own with a heap of 1 GB', () => {
    const program = `
      import { readFileSync } from 'node:fs'
      import { linearizable, models } from ${JSON.stringify(join(import.meta.dirname, '../../src/checkers/index.ts'))}
      import { parseHistory } from ${JSON.stringify(join(import.meta.dirname, '../../src/history/index.ts'))}
      const history = parseHistory(readFileSync(${JSON.stringify(join(path, '05-oom-46-ops.jsonl'))}))
      console.log(linearizable(history, models.queue(), { monitors: false, timeoutWallMs: 30_000 }).verdict)`
    const typescript = join(import.meta.dirname, '../../scripts/typescript.mjs')
    const out = execFileSync(
      process.execPath,
      ['--max-old-space-size=1024', '--import', typescript, '--input-type=module', '--eval', program],
      { encoding: 'utf8' },
    )
    expect(out.trim()).toMatch(/^(invalid|unknown)$/)
  }, 120_000)

  it('15-map-state.mjs: states that are maps, sets and dates are compared by what is in them', () => {
    const e = (type: HistoryEvent['type'], f: string, value: unknown = null): HistoryEvent => ({
      type,
      process: 0,
      f,
      value,
    })
    const map: Model<ReadonlyMap<string, unknown>> = {
      name: 'kv',
      init: () => new Map(),
      step: (state, { f, type, input, output }) =>
        f === 'put'
          ? new Map(state).set('k', input)
          : type === 'info' || state.get('k') === output
            ? state
            : ILLEGAL,
    }
    const put = (value: number) => [e('invoke', 'put', value), e('ok', 'put')]
    const get = (value: number) => [e('invoke', 'get'), e('ok', 'get', value)]
    const verdict = (result: CheckResult): string => result.verdict
    expect(verdict(linearizable(History.from([...put(1), ...put(2), ...get(2)]), map))).toBe('valid')
    expect(verdict(linearizable(History.from([...put(1), ...put(2), ...get(1)]), map))).toBe('invalid')
    const date: Model<Date> = {
      name: 'date',
      init: () => new Date(0),
      step: (state, { f, type, input, output }) =>
        f === 'put'
          ? new Date(input as number)
          : type === 'info' || state.getTime() === output
            ? state
            : ILLEGAL,
    }
    expect(verdict(linearizable(History.from([...put(5), ...get(0)]), date))).toBe('invalid')
    expect(verdict(linearizable(History.from([...put(5), ...get(5)]), date))).toBe('valid')
    class Box {
      readonly #value: number
      constructor(value: number) {
        this.#value = value
      }
      get value(): number {
        return this.#value
      }
    }
    const box: Model<Box> = {
      name: 'box',
      init: () => new Box(0),
      step: (state, { f, type, input, output }) =>
        f === 'put' ? new Box(input as number) : type === 'info' || state.value === output ? state : ILLEGAL,
    }
    expect(() => linearizable(History.from([...put(5), ...get(0)]), box)).toThrow(
      'an instance of Box, which cannot be compared by its contents',
    )
    const compared = { ...box, equal: (a: Box, b: Box) => a.value === b.value }
    expect(verdict(linearizable(History.from([...put(5), ...get(0)]), compared))).toBe('invalid')
  })
})
