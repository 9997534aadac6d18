import { describe, expect, it } from 'vitest'
import { adviseLevel } from './level-advice.ts'

const changed = (file: string, after: string, before: string | null = null) => ({ file, before, after })

describe('advice on a level', () => {
  it.each([
    ['a write to a disk', changed('src/log.ts', "await writeFile('a', b)"), 'radioactive'],
    ['a lease', changed('src/claim.js', 'export const lease = 1'), 'radioactive'],
    ['a request', changed('src/api.ts', 'await fetch(url)'), 'stormy'],
    ['a new package', changed('package.json', '{}'), 'stormy'],
    ['a pure function', changed('src/sum.ts', 'export const sum = 1'), 'sunny'],
    ['a test, whatever it does', changed('src/log.test.ts', "await writeFile('a', b)"), 'sunny'],
  ] as const)('%s', (_, change, level) => {
    expect(adviseLevel([change]).level).toBe(level)
  })

  it('takes the gravest of all files and names it', () => {
    const { level, why, files } = adviseLevel([
      changed('a.ts', ''),
      changed('b.ts', 'fetch(url)'),
      changed('c.ts', 'quorum'),
    ])
    expect(level).toBe('radioactive')
    expect(why).toMatch(/^c\.ts: /)
    expect(files.map(({ file }) => file)).toEqual(['c.ts', 'b.ts', 'a.ts'])
  })

  it('needs nothing for documents, comments and layout', () => {
    expect(adviseLevel([changed('README.md', 'lease')])).toMatchObject({
      level: null,
      why: expect.stringMatching(/documents/) as string,
    })
    expect(adviseLevel([changed('a.ts', 'f() // lease', 'f()')]).level).toBe(null)
    expect(adviseLevel([changed('picture.bin', '')]).level).toBe(null)
    expect(adviseLevel([]).level).toBe(null)
  })

  it('lets rules of the project come first', () => {
    const rules = [
      { files: 'src/billing/**', level: 'radioactive', why: 'money' },
      { files: '**/*.gen.ts', level: 'sunny', why: 'generated' },
    ] as const
    expect(adviseLevel([changed('src/billing/deep/sum.ts', '')], rules)).toMatchObject({
      level: 'radioactive',
      why: 'src/billing/deep/sum.ts: money',
    })
    expect(adviseLevel([changed('lease.gen.ts', 'quorum')], rules).level).toBe('sunny')
    expect(adviseLevel([changed('srcs/billing/a.ts', '')], rules).level).toBe('sunny')
  })
})
