import { assert, json, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonTexts } from './json-texts.ts'

/** Long enough to be worth keeping. */
const padded = (text: string): string => text + ' '.repeat(300)

const parseThrice = (text: string): unknown[] => {
  const { parse } = new JsonTexts()
  return [parse(text), parse(text), parse(text), parse(text)]
}

describe('JSON texts', () => {
  it('are read as JSON.parse reads them, however often', () => {
    const sameAsParsed = (text: string): void => {
      const expected = JSON.parse(text)
      for (const value of parseThrice(padded(text))) {
        expect(value).toStrictEqual(expected)
        expect(JSON.stringify(value)).toBe(JSON.stringify(expected))
      }
    }
    assert(property(json(), sameAsParsed))
    assert(
      property(string({ unit: 'binary' }), string(), (key, value) =>
        sameAsParsed(JSON.stringify({ a: [{ [key]: value }, value], [key]: -0 })),
      ),
    )
  })

  it.each([
    '{"__proto__": {"x": 1}, "y": 2}',
    '{"\\u005f_proto__": {"x": 1}}',
    '{"2": "b", "1": "a", "c": 1, "c": 2}',
    '[1e400, -0, 1.50, "\u2028\u2029", "</script><!--"]',
    '"text"',
    ' -1',
    'null',
  ])('may be odd: %s', (text) => {
    const expected = JSON.parse(text)
    for (const value of parseThrice(padded(text))) {
      expect(value).toStrictEqual(expected)
      if (typeof value !== 'object' || value === null) continue
      expect(Object.entries(value)).toEqual(Object.entries(expected))
      expect(Object.getPrototypeOf(value)).toBe(Object.getPrototypeOf(expected))
    }
  })

  it('give every caller objects of its own', () => {
    const { parse } = new JsonTexts()
    const text = padded('{"deep": {"list": [1, 2, [3]]}}')
    const values = Array.from({ length: 6 }, () => parse(text)) as { deep: { list: unknown[] } }[]
    for (const value of values) {
      expect(value).toEqual({ deep: { list: [1, 2, [3]] } })
      ;(value.deep.list[2] as unknown[]).push(4)
      value.deep.list.length = 1
      Object.assign(value.deep, { more: true })
    }
  })

  it('are refused as JSON.parse refuses them', () => {
    const { parse } = new JsonTexts()
    const text = padded('{"a": 1,}')
    for (let i = 0; i < 4; i++) expect(() => parse(text)).toThrow(SyntaxError)
  })
})
