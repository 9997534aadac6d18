import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { KeptResults } from './kept-results.ts'

const ROOT = mkdtempSync(join(tmpdir(), 'wavetank-kept-'))
const FOLDER = join(ROOT, 'node_modules/.cache/wavetank/numbers')
mkdirSync(join(ROOT, 'node_modules'))
afterAll(() => rmSync(ROOT, { recursive: true }))

const kept = (root = ROOT) =>
  new KeptResults<{ n: number }>('numbers', (value) => typeof value?.n === 'number', root)

const forbidden = (): never => {
  throw new Error('made again')
}

describe('kept results', () => {
  it('are found again by what went into them, and by nothing less', () => {
    expect(kept().get(['v1', 'a', 'b'], () => ({ n: 1 }))).toEqual({ n: 1 })
    expect(kept().get(['v1', 'a', 'b'], forbidden)).toEqual({ n: 1 })
    for (const parts of [['v2', 'a', 'b'], ['v1', 'b', 'a'], ['v1', 'ab'], []])
      expect(() => kept().get(parts, forbidden)).toThrow('made again')
  })

  it('are made again where they are refused, and replaced', () => {
    kept().get(['refused'], () => ({ n: 1 }))
    const isTwo = ({ n }: { n: number }) => n === 2
    expect(kept().get(['refused'], () => ({ n: 2 }), isTwo)).toEqual({ n: 2 })
    expect(kept().get(['refused'], forbidden, isTwo)).toEqual({ n: 2 })
  })

  it('are made again where an entry is broken, and put right', () => {
    const parts = ['broken']
    kept().get(parts, () => ({ n: 1 }))
    for (const broken of ['', '{"n":', '{"n":"1"}', 'null']) {
      for (const name of readdirSync(FOLDER)) writeFileSync(join(FOLDER, name), broken)
      expect(() => kept().get(parts, forbidden)).toThrow('made again')
      expect(kept().get(parts, () => ({ n: 1 }))).toEqual({ n: 1 })
      expect(kept().get(parts, forbidden)).toEqual({ n: 1 })
    }
    expect(readdirSync(FOLDER).every((name) => name.endsWith('.json'))).toBe(true)
  })

  it('are not kept where there is no node_modules', () => {
    const root = mkdtempSync(join(ROOT, 'bare-'))
    expect(kept(root).get(['a'], () => ({ n: 1 }))).toEqual({ n: 1 })
    expect(readdirSync(root)).toEqual([])
  })

  it('are made where they cannot be written', () => {
    const root = mkdtempSync(join(ROOT, 'blocked-'))
    mkdirSync(join(root, 'node_modules'))
    writeFileSync(join(root, 'node_modules/.cache'), 'a file in the way')
    expect(kept(root).get(['a'], () => ({ n: 1 }))).toEqual({ n: 1 })
  })
})
