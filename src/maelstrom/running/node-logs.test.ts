import { expect, it } from 'vitest'
import { NodeLogs } from './node-logs.ts'

it('a log keeps lines up to its limit, and says how many it dropped', () => {
  const logs = new NodeLogs(['n1', 'n2'], 8)
  for (const line of ['one', 'two', 'three', 'four']) logs.add('n1', line)
  logs.add('n2', 'one')
  expect(Object.fromEntries(logs.all())).toEqual({
    n1: ['one', 'two', '… and 2 lines that were not kept'],
    n2: ['one'],
  })
})
