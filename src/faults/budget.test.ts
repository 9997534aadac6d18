import { describe, expect, it } from 'vitest'
import { BudgetLedger, type Member } from './budget.ts'

function group(name: string, size: number): Member[] {
  return Array.from({ length: size }, (_, i) => ({ name: `${name}${i + 1}`, group: name }))
}

describe('the fault budget', () => {
  it.each([
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 1],
    [5, 2],
    [7, 3],
  ])('allows a minority of %i to be out: %i', (size, allowed) => {
    expect(new BudgetLedger({}, group('n', size)).allowedOut('n')).toBe(allowed)
  })

  it('counts groups apart, and a member that is out twice once', () => {
    const nodes = group('n', 3)
    const gateways = group('g', 1)
    const ledger = new BudgetLedger({ dead: 1 }, [...nodes, ...gateways])
    const back = ledger.takeOut([nodes[0]])
    const backAgain = ledger.takeOut([nodes[0]])
    expect(ledger.mayTakeOut([nodes[1]])).toBe(false)
    expect(ledger.mayTakeOut([nodes[0]])).toBe(true)
    expect(ledger.mayTakeOut([gateways[0]])).toBe(true)
    back()
    back()
    expect(ledger.mayTakeOut([nodes[1]])).toBe(false)
    backAgain()
    expect(ledger.mayTakeOut([nodes[1]])).toBe(true)
  })

  it('takes a whole machine out only when all its members fit', () => {
    const nodes = group('n', 5)
    const ledger = new BudgetLedger({}, nodes)
    expect(ledger.mayTakeOut(nodes.slice(0, 2))).toBe(true)
    expect(ledger.mayTakeOut(nodes.slice(0, 3))).toBe(false)
  })

  it('lets no disk lie unless told to', () => {
    expect(new BudgetLedger({}, group('n', 3)).mayLie('n1', 3)).toBe(false)
    const ledger = new BudgetLedger({ lyingDisks: 'minority' }, group('n', 3))
    expect(ledger.mayLie('n1', 3)).toBe(true)
    ledger.recordLie('n1')
    expect([ledger.mayLie('n1', 3), ledger.mayLie('n2', 3)]).toEqual([true, false])
  })
})
