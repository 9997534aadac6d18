import { describe, expect, it } from 'vitest'
import { casRegister, linearizable, register, set } from '../../checkers/linearizable/index.ts'
import type { CheckResult } from '../../checkers/result.ts'
import { History } from '../../history/history.ts'
import type { HistoryEvent } from '../../history/operation.ts'
import { checkPage } from './page.ts'

const stale: HistoryEvent[] = [
  { process: 0, type: 'invoke', f: 'write', value: 1 },
  { process: 1, type: 'invoke', f: 'write', value: 9 },
  { process: 0, type: 'ok', f: 'write' },
  { process: 1, type: 'info', f: 'write', value: 9 },
  { process: 2, type: 'invoke', f: 'write', value: 2 },
  { process: 2, type: 'ok', f: 'write' },
  { process: 0, type: 'invoke', f: 'read' },
  { process: 0, type: 'ok', f: 'read', value: 1 },
]

const pageOf = (history: History, result: CheckResult): string =>
  checkPage({ file: 'history.jsonl', history, isRead: true, result })

describe('the picture of a linearizability check', () => {
  it('shows process rows, bars, the path and the stuck operation of a failure', () => {
    const history = History.from(stale)
    const page = pageOf(history, linearizable(history, casRegister(), { monitors: false }))
    expect(page.match(/class="name">process/g)).toHaveLength(2)
    expect(page.match(/<g class="stuck">/g)).toHaveLength(1)
    expect(page.match(/<polyline/g)).toHaveLength(1)
    expect(page.match(/<circle/g)).toHaveLength(2)
    expect(page).toContain('is not possible when the state is 2')
  })

  it('puts the moments of a valid order inside the bars, from left to right', () => {
    const history = History.from(stale.slice(0, 6))
    const page = pageOf(history, linearizable(history, casRegister(), { monitors: false }))
    const moments = [...page.matchAll(/<circle cx="([\d.]+)"/g)].map(([, x]) => Number(x))
    expect(moments).toHaveLength(2)
    expect(moments).toEqual(moments.toSorted((a, b) => a - b))
    expect(new Set(moments).size).toBe(moments.length)
  })

  it('draws what a monitor found', () => {
    const history = History.from(stale)
    const page = pageOf(history, linearizable(history, register()))
    expect(page).toContain('each value was written once')
    expect(page.match(/<rect/g)).toHaveLength(3)
  })

  it('has no script and escapes every text of the history', () => {
    const evil = '<img src=x onerror=alert(1)>"\'&'
    const history = History.from([
      { process: evil, type: 'invoke', f: evil, key: evil, value: evil },
      { process: evil, type: 'ok', f: evil, key: evil, value: evil },
      { process: evil, type: 'invoke', f: 'contains', key: evil, value: evil },
      { process: evil, type: 'ok', f: 'contains', key: evil, value: evil },
    ])
    const model = { ...set(), functions: [evil, 'contains'] }
    const page = pageOf(history, linearizable(history, model, { partition: 'none', monitors: false }))
    expect(page).not.toContain('<img')
    expect(page).not.toMatch(/<script|innerHTML|<[^>]*\son\w+=/i)
    expect(page).toContain("default-src 'none'")
    expect(page).toContain('&#60;img')
  })
})
