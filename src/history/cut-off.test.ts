import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../kernel/errors.ts'
import { parseHistory } from './read.ts'

const OPERATIONS = 2000

/** As gzip leaves it when the program that packs it dies. */
function packedAndCut(text: string): Buffer {
  const packed = gzipSync(text)
  return packed.subarray(0, Math.floor(packed.length * 0.7))
}

function repeated(line: (type: 'invoke' | 'ok', value: number) => string): string {
  let text = ''
  for (let i = 0; i < OPERATIONS; i++) {
    const value = (i * 7919 * 104_729) % 1_000_003
    text += line('invoke', value) + line('ok', value)
  }
  return text
}

const edn = repeated((type, value) => `{:type :${type} :f :write :value ${value} :process 0}\n`)
const log = repeated((type, value) => `INFO  jepsen.util - 0\t:${type}\t:write\t${value}\n`)
const json = repeated((type, value) => `${JSON.stringify({ type, f: 'write', value, process: 0 })}\n`)
const awdit = repeated((type, value) => (type === 'ok' ? '-----\n' : `w 1 ${value}\n`))

describe('a cut-off gzip stream', () => {
  it.each([
    ['EDN maps', edn],
    ['an EDN list', `[${edn}]`],
    ['a text log', log],
    ['JSON lines', json],
  ])('of %s is read up to the cut, and both the cut and the torn line are problems', (_, text) => {
    const history = parseHistory(packedAndCut(text))
    expect(history.length).toBeGreaterThan(OPERATIONS / 4)
    expect(history.length).toBeLessThan(OPERATIONS)
    expect(history.problems.map(({ code }) => code)).toEqual(['cut-off-gzip', 'torn-last-line'])
    const values = [...history.operations()].map((op) => [op.type, op.output])
    const whole = [...parseHistory(text).operations()].map((op) => [op.type, op.output])
    expect(values.slice(0, -1)).toEqual(whole.slice(0, values.length - 1))
  })

  it('does not trust a last line that looks whole', () => {
    const text = `0 :invoke :read nil\n0 :ok :read ${'12345'.repeat(100)}`
    const packed = gzipSync(text, { level: 0 })
    const history = parseHistory(packed.subarray(0, -50))
    expect([...history.operations()].map((op) => op.type)).toEqual(['info'])
  })

  it('is named where what it held cannot be read without its end', () => {
    const array = `[${json.trimEnd().replaceAll('\n', ',\n')}]`
    expect(() => parseHistory(packedAndCut(array))).toThrow(/^line .*; the gzip stream is cut off$/)
  })
})

describe('a file that ends inside an operation', () => {
  it('is read up to there in EDN, unless the operation began on an earlier line', () => {
    const torn = parseHistory(edn.slice(0, edn.length * 0.7))
    expect(torn.problems).toMatchObject([{ code: 'torn-last-line', column: 1 }])
    const unbalanced = edn.replace('}', '')
    expect(() => parseHistory(unbalanced)).toThrow(/^line \d+, column \d+: expected/)
  })

  it('is refused in formats of sessions, where its reads may have seen what is missing', () => {
    for (const source of [packedAndCut(awdit), `${awdit}w 1`]) {
      expect(() => parseHistory(source)).toThrow(UsageError)
      expect(() => parseHistory(source)).toThrow(/a history in the format awdit must be whole/)
    }
  })
})
