import { describe, expect, it } from 'vitest'
import { findAssertions } from './assertion-sites.ts'

function found(source: string): string[] {
  return findAssertions(source, 'x.js').map(
    ({ line, column, kind, message }) => `${line}:${column} ${kind} ${message}`,
  )
}

describe('assertion call sites', () => {
  it('are calls of what is imported from wavetank, under any local name', () => {
    expect(
      found(`import { always, sometimes as once } from 'wavetank'
function f(x) {
  always(x > 0, 'positive')
    once(x > 1, \`big\`)
}`),
    ).toEqual(['3:3 always positive', '4:5 sometimes big'])
  })

  it('are found through a namespace, require and dynamic import', () => {
    expect(found("import * as t from 'wavetank'; t.reachable('a')")).toEqual(['1:32 reachable a'])
    expect(found("const { always: a } = require('wavetank'); a(true, 'b')")).toEqual(['1:44 always b'])
    expect(found("const t = await import('wavetank'); t.unreachable('c')")).toEqual(['1:37 unreachable c'])
    expect(found("const t = require('wavetank/assertions')\nreturn t.sometimesEach('d', {})")).toEqual([
      '2:8 sometimesEach d',
    ])
  })

  it('have no message when it is not a literal', () => {
    expect(found("import { reachable } from 'wavetank'; reachable(name)")).toEqual([
      '1:39 reachable undefined',
    ])
  })

  it('are not functions of that name from elsewhere, nor other exports of wavetank', () => {
    expect(found("import { always } from 'other-wavetank'; always(true, 'x')")).toEqual([])
    expect(found("import { event } from 'wavetank'; const always = (x) => x; always(event('x'))")).toEqual([])
  })

  it('are none in a file that does not parse', () => {
    expect(found("import { always } from 'wavetank'; always(((")).toEqual([])
  })
})
