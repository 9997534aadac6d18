import { describe, expect, it } from 'vitest'
import { messageShape } from './message-shape.ts'

describe('the shape of a message', () => {
  it.each([
    ['0-7 is 27, but must be null', '1-3 is null, but must be 4 or 9'],
    ['key "a" was lost', 'key "long name" was lost'],
    ['x is 3', 'y is 17'],
    ['missing 1, 2, 3', 'missing 4'],
    ['1 operation is open', '12 operations are open'.replace(' are', ' is')],
    ['read [1,{"a":2}] after []', 'read [] after [3]'],
    ['kv1 exited with code 1: Error: boom', 'kv2 exited with code 7: Error: boom'],
    ['order 123e4567-e89b-12d3-a456-426614174000 twice', 'order 00000000-0000-0000-0000-000000000001 twice'],
    ['heard second,first', 'heard first,second'],
    ['acknowledged 5.2 ms ago\nat x', 'acknowledged 17 ms ago'],
  ])('is the same for %j and %j', (a, b) => {
    expect(messageShape(a)).toBe(messageShape(b))
  })

  it.each([
    ['acknowledged, but missing: 3', 'done twice: 3'],
    ['the list cannot be read', 'an entry is missing'],
    ["the client's answer is late", "the server's answer is late"],
    ['a deposit was lost', 'a deposit was made twice'],
  ])('tells %j from %j', (a, b) => {
    expect(messageShape(a)).not.toBe(messageShape(b))
  })

  it('keeps the words', () => {
    expect(messageShape('0-7 is 27, but must be null')).toBe('# is #, but must be #')
    expect(messageShape("the client's answer is late")).toBe("the client's answer is late")
  })
})
