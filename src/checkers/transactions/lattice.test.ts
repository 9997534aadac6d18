import { describe, expect, it } from 'vitest'
import { UsageError } from '../../kernel/errors.ts'
import {
  anomaliesImplying,
  CONSISTENCY_MODELS,
  forbiddenAnomalies,
  impliedAnomalies,
  impliedModels,
  modelBoundary,
} from './lattice.ts'

describe('the lattice of models', () => {
  it('has 54 names', () => {
    expect(CONSISTENCY_MODELS).toHaveLength(54)
  })

  it('has strict serializability at the top of transactions and of single objects', () => {
    const implied = impliedModels(['strict-serializable'])
    for (const model of ['PL-3', 'PL-SI', 'linearizable', 'PL-2', 'PRAM'])
      expect(implied.has(model)).toBe(true)
  })

  it('lets an anomaly imply its weaker forms', () => {
    expect(impliedAnomalies(['G0']).has('G1c-realtime')).toBe(true)
    expect(impliedAnomalies(['G0-realtime']).has('G1c')).toBe(false)
    expect(anomaliesImplying(['G2']).has('lost-update')).toBe(true)
  })

  it('says which models an anomaly rules out, the weakest first', () => {
    expect(modelBoundary(['G2-item'])).toEqual({
      not: ['repeatable-read'],
      alsoNot: ['serializable', 'strong-serializable', 'strong-session-serializable'],
    })
    expect(modelBoundary(['G1a', 'G0']).not).toEqual(['read-uncommitted'])
    expect(modelBoundary([])).toEqual({ not: [], alsoNot: [] })
  })

  it('knows that snapshot isolation allows write skew and forbids the rest', () => {
    const forbidden = forbiddenAnomalies(['snapshot-isolation'])
    expect(forbidden.has('G2-item')).toBe(false)
    for (const type of ['G-single-item', 'G-nonadjacent', 'lost-update', 'G1a'])
      expect(forbidden.has(type)).toBe(true)
  })

  it('rejects a model that it does not know, naming those it knows', () => {
    expect(() => forbiddenAnomalies(['serialisable'])).toThrow(UsageError)
    expect(() => forbiddenAnomalies(['serialisable'])).toThrow(/"serialisable"; did you mean "serializable"/)
  })
})
