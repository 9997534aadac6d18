import { describe, expect, it } from 'vitest'
import { sequence, types } from '../histories.test-support.ts'
import { uniqueIds } from './unique-ids.ts'

describe('unique-ids', () => {
  const generate = (output: unknown, type: 'ok' | 'info' = 'ok') => ({ f: 'generate', output, type })

  it('finds an id that was given twice, also when it is a structure', () => {
    expect(uniqueIds(sequence(generate(1), generate('1'), generate(null, 'info'))).verdict).toBe('valid')
    expect(types(uniqueIds(sequence(generate(1), generate(2), generate(1))))).toEqual(['duplicated'])
    expect(types(uniqueIds(sequence(generate({ a: 1, b: 2 }), generate({ b: 2, a: 1 }))))).toEqual([
      'duplicated',
    ])
  })
})
