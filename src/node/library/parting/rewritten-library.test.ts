import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { detachSource, partSource, REWRITING_FILES } from './rewriting.ts'
import { detachedSourceOf, partedSourceOf, variablesOfSource } from './rewritten-library.ts'

// That a second run finds what a first one kept, and writes nothing, is seen in test/e2e/strace.test.ts.

const SOURCE = "const { a, b } = require('x'); function f() { return a + b }"

const answering = (variables: readonly string[]) => ({ variablesOf: () => variables })

describe('a rewritten source', () => {
  it('is the same whether it was kept or not', () => {
    const parted = partSource(SOURCE, answering(['a']))
    const detached = detachSource(SOURCE, ['require'])
    for (let i = 0; i < 2; i++) {
      expect(partedSourceOf(SOURCE, answering(['a']))).toEqual(parted)
      expect(detachedSourceOf(SOURCE, ['require'])).toEqual(detached)
    }
  })

  it('is made anew where another module has other variables by now', () => {
    for (const name of ['a', 'b', 'a']) {
      expect(partedSourceOf(SOURCE, answering([name])).variables).toEqual([name, 'process'])
      expect(variablesOfSource(SOURCE, answering([name]))).toEqual([name])
    }
    expect(variablesOfSource(SOURCE, { variablesOf: () => 'all' })).toEqual(['a', 'b'])
  })

  it('depends on its parameters and tables', () => {
    const source = 'const t = {}; function f() { return [t, p] }'
    expect(variablesOfSource(source, { ...answering([]), tables: ['t'] })).toEqual([])
    expect(variablesOfSource(source, answering([]))).toEqual(['t'])
    expect(detachedSourceOf(source, ['p']).variables).toContain('p')
    expect(detachedSourceOf(source, []).variables).not.toContain('p')
  })

  it('is named by all files that define the rewriting', () => {
    const imported = REWRITING_FILES.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/from '(\.\/[^']+)'/g)].map(([, name]) =>
        join(file, '..', name),
      ),
    )
    expect(REWRITING_FILES).toEqual(expect.arrayContaining(imported))
    expect(imported).toContain(join(import.meta.dirname, 'analysis.ts'))
  })
})
