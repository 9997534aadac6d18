import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withRepeats } from './repetition.ts'

/** Letters as rows; capitals stand. `ab×3` is a block of two that came three times. */
function told(text: string): string {
  const rows = withRepeats(
    text.split(''),
    (a, b) => a === b,
    (row) => row !== row.toLowerCase(),
  )
  return rows.map(({ row, times }) => (times === 1 ? row : `${row}×${times}`)).join(' ')
}

describe('rows that repeat', () => {
  it('are shown once, with a count', () => {
    expect(told('xaaaay')).toBe('x a×4 y')
    expect(told('aab')).toBe('a×2 b')
  })

  it('may be blocks of several, from three rounds on', () => {
    expect(told('xabcabcabcaby')).toBe('x a×3 b×3 c×3 a b y')
    expect(told('ababc')).toBe('a b a b c')
  })

  it('are the longest of those that begin at a row, in the shortest blocks', () => {
    expect(told('aaaaaa')).toBe('a×6')
    expect(told('aabaabaabc')).toBe('a×3 a×3 b×3 c')
  })

  it('are none of those that stand', () => {
    expect(told('aaAa')).toBe('a×2 A a')
    expect(told('AAAA')).toBe('A A A A')
    expect(told('aBaBaB')).toBe('a B a B a B')
  })

  it('are all there when the counts are written out again', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'C'), maxLength: 60 })
    fc.assert(
      fc.property(letters, (text) => {
        const rows = withRepeats(
          text.split('').map((letter, at) => ({ letter, at })),
          (a, b) => a.letter === b.letter,
          ({ letter }) => letter === 'C',
        )
        let written = ''
        for (let i = 0; i < rows.length; i += rows[i].period) {
          const block = rows.slice(i, i + rows[i].period)
          for (const { row, last, times, period } of block)
            expect(last.at).toBe(row.at + (times - 1) * period)
          written += block
            .map(({ row }) => row.letter)
            .join('')
            .repeat(rows[i].times)
        }
        expect(written).toBe(text)
      }),
    )
  })
})
