import { describe, expect, it } from 'vitest'
import { Answers } from './answers.ts'

describe('a node', () => {
  it('that writes nothing after a request hangs, if that request is its last', () => {
    const answers = new Answers()
    answers.wrote('n1', 10)
    answers.timedOut('n1', 20)
    expect(answers.unansweredBy('n1')).toBe(1)
    expect(answers.unansweredBy('n2')).toBe(0)
  })

  it('that still writes hangs only after several requests in a row', () => {
    const answers = new Answers()
    for (const sentUs of [20, 30]) answers.timedOut('n1', sentUs)
    answers.wrote('n1', 40)
    expect(answers.unansweredBy('n1')).toBe(0)
    answers.timedOut('n1', 50)
    expect(answers.unansweredBy('n1')).toBe(3)
  })

  it('does not hang once it has answered, however late', () => {
    const answers = new Answers()
    for (const sentUs of [20, 30, 40]) answers.timedOut('n1', sentUs)
    answers.answered('n1')
    expect(answers.unansweredBy('n1')).toBe(0)
    answers.timedOut('n1', 60)
    expect(answers.unansweredBy('n1')).toBe(1)
  })
})
