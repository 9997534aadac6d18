import { describe, expect, it } from 'vitest'
import { printable, printableJson } from './printable.ts'

describe('printable', () => {
  it('shows escape sequences instead of sending them', () => {
    expect(printable('a\u001b[2Jb\u009b31m\u007f\rc')).toBe('a\\u001b[2Jb\\u009b31m\\u007f\\u000dc')
    expect(printable('user\u202Egnp.exe')).toBe('user\\u202egnp.exe')
  })

  it('keeps line feeds and every other character', () => {
    expect(printable('Zürich\n日本 ✓')).toBe('Zürich\n日本 ✓')
  })

  it('cuts what is endless', () => {
    expect(printable('x'.repeat(1_000_000)).length).toBe(4000)
    expect(printable('abcdef', 4)).toBe('abc…')
  })

  it('leaves the meaning of JSON as it is', () => {
    const value = { 'name\u009b': 'a\u001b\u202e\u007f' }
    const text = printableJson(JSON.stringify(value))
    expect(JSON.parse(text)).toEqual(value)
    expect(text).not.toMatch(/[\u007f-\u009f\u202e]/)
  })
})
