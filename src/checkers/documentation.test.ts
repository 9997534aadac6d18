import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as checkers from './index.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/checkers.md'), 'utf8')

describe('docs/checkers.md', () => {
  it('names every checker of the shelf', () => {
    const names = readdirSync(import.meta.dirname, { encoding: 'utf8' })
      .filter((name) => /^[a-z-]+\.ts$/.test(name))
      .map((name) => name.replace('.ts', '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()))
      .filter((name) => name in checkers)
    expect(names.length).toBeGreaterThanOrEqual(20)
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  it('names every anomaly that the shelf can find', () => {
    const files = readdirSync(import.meta.dirname, { encoding: 'utf8' }).filter((name) =>
      /^[a-z-]+\.ts$/.test(name),
    )
    const types = [...files, 'kafka/index.ts', 'kafka/lost-writes.ts'].flatMap((name) => {
      const text = readFileSync(join(import.meta.dirname, name), 'utf8')
      return [...text.matchAll(/found\.add\(\s*'([\w-]+)'/g)].map(([, type]) => type)
    })
    expect(types.length).toBeGreaterThan(40)
    expect([...new Set(types)].filter((type) => !page.includes(type))).toEqual([])
  })
})
