import { expect, it } from 'vitest'
import { Answers } from './answers.ts'
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

it('a node hangs if it left its last three requests unanswered, and not if it answered one since', () => {
  const answers = new Answers()
  for (const node of ['n1', 'n2', 'n3']) for (let i = 0; i < 3; i++) answers.timedOut(node)
  answers.answered('n2')
  answers.timedOut('n3')
  expect(answers.hanging()).toEqual([
    ['n1', 3],
    ['n3', 4],
  ])
})
