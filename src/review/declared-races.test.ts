import { describe, expect, it } from 'vitest'
import { declaredRaces, parse } from './index.ts'

function racesIn(text: string): string[] {
  return declaredRaces('a.test.ts', text, parse).map(
    ({ line, title, each }) => `${line} ${title}${each ? ' (each)' : ''}`,
  )
}

/** Written apart, since no test of this repository may be one of these. */
const VARIANT = ['skip', 'only']

describe('declared races', () => {
  it('have the titles of the groups around them', () => {
    const text = `import { race } from 'wavetank/vitest'
import { describe } from 'vitest'
race('alone', async () => {})
describe('bank', () => {
  describe.${VARIANT[0]}(\`transfers\`, () => {
    race.${VARIANT[1]}('are kept', { iterations: 5 }, async (t) => {})
  })
})`
    expect(racesIn(text)).toEqual(['3 alone', '6 bank > transfers > are kept'])
  })

  it('are found under another name, in CommonJS, and in tables', () => {
    expect(racesIn("import { race as contest } from 'wavetank/node-test'\ncontest('a', f)")).toEqual(['2 a'])
    expect(
      racesIn("const { race } = require('wavetank/node-test')\nrace.each([1, 2])('with %i', f)"),
    ).toEqual(['2 with %i (each)'])
    expect(racesIn("import * as w from 'wavetank/vitest'\nw.race('b', f)")).toEqual(['2 b'])
  })

  it('are none of another package, none with a computed title, and none in a file that is broken', () => {
    expect(racesIn("import { race } from 'other' // not wavetank/vitest\nrace('a', f)")).toEqual([])
    expect(racesIn("import { race } from 'wavetank/vitest'\nrace(`a ${1}`, f)\nPromise.race([])")).toEqual([])
    expect(racesIn("import { race } from 'wavetank/vitest'\nrace('a'")).toEqual([])
  })
})
