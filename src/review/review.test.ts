import { describe, expect, it } from 'vitest'
import { parse, review, RULES, type ReviewFinding, type Surroundings } from './index.ts'
import { markedLine, PLANTED, unmarked } from './planted-cases.test-support.ts'

const SURROUNDINGS: Surroundings = {
  nativeAddon: (specifier) => (specifier === 'has-addon' ? 'has a native addon' : null),
}

function findingsIn(text: string, path = 'a.ts'): readonly ReviewFinding[] {
  return review([{ path, text }], parse, SURROUNDINGS).findings
}

describe('review', () => {
  it.each(PLANTED.map((each) => [each.rule, each.title, each.source]))('%s: %s', (rule, _, source) => {
    const lines = findingsIn(unmarked(source))
      .filter((finding) => finding.rule === rule)
      .map(({ line }) => line)
    const marked = markedLine(source)
    expect(lines).toEqual(marked === null ? [] : [marked])
  })

  it.each(RULES.map(({ name }) => name))('%s has a case that it must find and one that must pass', (rule) => {
    const marks = PLANTED.filter((each) => each.rule === rule).map(
      ({ source }) => markedLine(source) !== null,
    )
    expect(marks).toContain(true)
    expect(marks).toContain(false)
  })

  it('says where, what, why and what to do', () => {
    const [finding] = findingsIn('let a\n  Atomics.wait(a, 0, 0)\n', 'src/a.mjs')
    expect(finding).toMatchObject({
      rule: 'blocked-thread',
      severity: 'block',
      file: 'src/a.mjs',
      line: 2,
      column: 3,
    })
    expect(finding.why).toMatch(/one thread/)
    expect(finding.fix).toMatch(/waitAsync/)
  })

  it('reads TypeScript, JSX, CommonJS and a shebang', () => {
    const texts = [
      ['a.ts', 'enum A { B }\nexport const a = <T,>(x: T): T => x!'],
      ['a.tsx', 'export const a = <p>{1}</p>'],
      ['a.cjs', 'return 1'],
      ['a.js', '#!/usr/bin/env node\nawait 1'],
    ].map(([path, text]) => ({ path, text }))
    expect(review(texts, parse, SURROUNDINGS)).toMatchObject({ files: 4, unread: [], findings: [] })
  })

  it('names a file that it cannot parse, and goes on', () => {
    const texts = [
      { path: 'broken.ts', text: 'const = 1' },
      { path: 'whole.ts', text: 'Atomics.wait(a, 0, 0)' },
    ]
    const { files, unread, findings } = review(texts, parse, SURROUNDINGS)
    expect(files).toBe(1)
    expect(unread).toEqual([{ file: 'broken.ts', reason: expect.stringMatching(/./) as string }])
    expect(findings).toHaveLength(1)
  })
})

describe('a suppression', () => {
  it('accepts the finding of its line or the next one, with its reason', () => {
    for (const text of [
      'Atomics.wait(a, 0, 0) // wavetank-ignore blocked-thread: only in a worker of its own',
      '// wavetank-ignore blocked-thread: only in a worker of its own\nAtomics.wait(a, 0, 0)',
    ]) {
      const { findings, suppressed } = review([{ path: 'a.ts', text }], parse, SURROUNDINGS)
      expect(findings).toEqual([])
      expect(suppressed.map(({ reason }) => reason)).toEqual(['only in a worker of its own'])
    }
  })

  it.each([
    ['without a reason', '// wavetank-ignore blocked-thread\nAtomics.wait(a, 0, 0)', /no reason/],
    ['of a rule that does not exist', '// wavetank-ignore blocked-tread: why\n', /blocked-thread/],
    ['that suppresses nothing', '// wavetank-ignore lost-update: why\nlet a', /suppresses nothing/],
  ])('%s is a finding itself', (_, text, found) => {
    const own = findingsIn(text).filter(({ rule }) => rule === 'suppression')
    expect(own.map((finding) => finding.found)).toEqual([expect.stringMatching(found) as string])
  })
})
