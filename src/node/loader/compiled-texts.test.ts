import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { CompiledTexts } from './compiled-texts.ts'

const ROOT = mkdtempSync(join(tmpdir(), 'wavetank-texts-'))
const FOLDER = join(ROOT, 'node_modules/.cache/wavetank/typescript')
mkdirSync(join(ROOT, 'node_modules'))
afterAll(() => rmSync(ROOT, { recursive: true }))

const forbidden = (): never => {
  throw new Error('compiled again')
}

describe('compiled texts', () => {
  it('are found again by what went into them, and by nothing less', () => {
    const text = { code: 'let a', map: '{}' }
    expect(new CompiledTexts(ROOT).get(['v1', 'a.ts', 'let a: 1'], () => text)).toEqual(text)
    expect(new CompiledTexts(ROOT).get(['v1', 'a.ts', 'let a: 1'], forbidden)).toEqual(text)
    for (const parts of [['v2', 'a.ts', 'let a: 1'], ['v1', 'b.ts', 'let a: 1'], ['v1', 'a.tslet a: 1'], []])
      expect(() => new CompiledTexts(ROOT).get(parts, forbidden)).toThrow('compiled again')
  })

  it('are compiled again where an entry is broken, and put right', () => {
    const parts = ['broken']
    const text = { code: 'x', map: '' }
    new CompiledTexts(ROOT).get(parts, () => text)
    for (const broken of ['', '{"code":"x"', '{"code":1,"map":""}', 'null']) {
      for (const name of readdirSync(FOLDER)) writeFileSync(join(FOLDER, name), broken)
      expect(() => new CompiledTexts(ROOT).get(parts, forbidden)).toThrow('compiled again')
      expect(new CompiledTexts(ROOT).get(parts, () => text)).toEqual(text)
      expect(new CompiledTexts(ROOT).get(parts, forbidden)).toEqual(text)
    }
    expect(readdirSync(FOLDER).every((name) => name.endsWith('.json'))).toBe(true)
  })

  it('are not kept where there is no node_modules', () => {
    const root = mkdtempSync(join(ROOT, 'bare-'))
    new CompiledTexts(root).get(['a'], () => ({ code: '', map: '' }))
    expect(readdirSync(root)).toEqual([])
  })

  it('are compiled where they cannot be written', () => {
    const root = mkdtempSync(join(ROOT, 'blocked-'))
    mkdirSync(join(root, 'node_modules'))
    writeFileSync(join(root, 'node_modules/.cache'), 'a file in the way')
    expect(new CompiledTexts(root).get(['a'], () => ({ code: 'c', map: 'm' }))).toEqual({
      code: 'c',
      map: 'm',
    })
  })
})
