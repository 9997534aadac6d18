import { describe, expect, it } from 'vitest'
import { listAppend, type CycleDetails } from '../../checkers/transactions/index.ts'
import { inTurn, together } from '../../checkers/transactions/text-histories.test-support.ts'
import { History } from '../../history/index.ts'
import { cycleOf, cyclePicture } from './cycle-picture.ts'

const details = (history: History): CycleDetails => listAppend(history).anomalies[0].details as CycleDetails

/** Whether every element that is opened is closed, in order. */
function wellFormed(svg: string): boolean {
  const open: string[] = []
  for (const [, close, name, self] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (close === '/') {
      if (open.pop() !== name) return false
    } else if (self !== '/') open.push(name)
  }
  return open.length === 0
}

describe('cyclePicture', () => {
  it('draws a box for each transaction, an arrow and a sentence for each dependency', () => {
    const svg = cyclePicture(details(together('ax1 ry1', 'ay1 rx1')), { title: 'G1c' })
    expect(wellFormed(svg)).toBe(true)
    expect(svg.match(/<rect /g)).toHaveLength(2)
    expect(svg.match(/marker-end=/g)).toHaveLength(2)
    expect(svg).toContain('T1 = operation 0')
    expect(svg).toContain('append &#34;x&#34;: 1')
    expect(svg).toContain('However, T2 &#60; T1 (wr), because')
    expect(svg).toContain('>G1c</text>')
  })

  it('dashes what is order and not data', () => {
    const svg = cyclePicture(details(inTurn('ax1', 'rx-')))
    expect(svg.match(/stroke-dasharray/g)).toHaveLength(1)
    expect(svg).toContain('(realtime)')
  })

  it('draws long cycles', () => {
    const svg = cyclePicture(details(together('aa1 re1', 'ra1 ab1', 'rb1 ac1', 'rc1 ad1', 'rd1 ae1')))
    expect(svg.match(/<rect /g)).toHaveLength(5)
    const numbers = [...svg.matchAll(/ (?:x|y)="([^"]*)"/g)].map(([, value]) => Number(value))
    expect(numbers.every((value) => value >= 0)).toBe(true)
  })

  it('takes details for a cycle only if they are one, and short enough to be read', () => {
    const whole = details(together('ax1 ry1', 'ay1 rx1'))
    expect(cycleOf(whole)).toEqual(whole)
    const many = Array.from({ length: 25 }, () => whole.cycle[0])
    const noCycles = [null, 7, {}, { cycle: [], transactions: [] }, { cycle: [1] }, { ...whole, cycle: many }]
    for (const other of noCycles) expect(cycleOf(other)).toBeNull()
  })

  it('shows hostile values as text', () => {
    const key = '"><script>alert(1)</script>\u0000\uD800'
    const body = (mine: string, other: string) => [
      ['append', mine, 1],
      ['r', other, [1]],
    ]
    const history = History.from(
      [body(key, 'y'), body('y', key)].flatMap((value, process) => [
        { type: 'invoke' as const, process, f: 'txn', value },
        { type: 'ok' as const, process, f: 'txn', value },
      ]),
    )
    const svg = cyclePicture(details(history), { title: key })
    expect(svg).not.toContain('<script')
    expect(svg).not.toContain('\u0000')
    expect(wellFormed(svg)).toBe(true)
  })
})
