import { describe, expect, it } from 'vitest'
import { parseMessage, printMessage, type Message } from './envelope.ts'
import { errorCode } from './error-codes.ts'
import { explainReply, replyFault } from './reply-schema.ts'
import { BROADCAST, KAFKA } from './rpcs.ts'

describe('an envelope', () => {
  it('may have an integer id', () => {
    const line = '{"id":3,"src":"n1","dest":"c2","body":{"type":"x","deep":{"any":[1]}}}'
    expect(parseMessage(line)).toEqual({ src: 'n1', dest: 'c2', body: { type: 'x', deep: { any: [1] } } })
  })

  it('may have null for an id that is absent', () => {
    const line = '{"src":"n1","dest":"n2","body":{"type":"x","msg_id":null,"in_reply_to":null}}'
    expect(parseMessage(line)).toMatchObject({ body: { type: 'x', in_reply_to: null } })
  })

  it('keeps every digit of an integer, as ids of 64 bits need', () => {
    const line =
      '{"src":"n1","dest":"n2","body":{"type":"x","msg_id":18446744073709551615,"id":[1234567890123456789,-9007199254740993]}}'
    const message = parseMessage(line)
    expect(message).toMatchObject({ body: { id: [1234567890123456789n, -9007199254740993n] } })
    expect(printMessage(message)).toBe(line)
  })

  it.each([
    ['hello', 'it is not JSON'],
    ['[]', 'expected an object, found a list'],
    ['{"src":"n1","dest":"n2","body":{"type":"x"},"more":1}', 'no "more"'],
    ['{"src":1,"dest":"n2","body":{"type":"x"}}', '"src" must be a string, found a number'],
    ['{"src":"n1","body":{"type":"x"}}', '"dest" must be a string, found nothing'],
    ['{"src":"n1","dest":"n2","body":{}}', '"type" of the body must be a string'],
    ['{"src":"n1","dest":"n2","body":{"type":"x","msg_id":"1"}}', '"msg_id" of the body must be an integer'],
  ])('is refused with the reason: %s', (line, reason) => {
    expect((parseMessage(line) as { reason: string }).reason).toContain(reason)
    expect((parseMessage(line) as Partial<Message>).body).toBeUndefined()
  })
})

describe('an error code', () => {
  it('is definite where the protocol says so', () => {
    const definite = [0, 1, 10, 11, 12, 13, 14, 20, 21, 22, 30, 1000, 999].filter(
      (code) => errorCode(code).definite,
    )
    expect(definite).toEqual([1, 10, 11, 12, 14, 20, 21, 22, 30])
    expect(errorCode(1000).name).toBe('unknown')
  })
})

describe('a reply', () => {
  it('fits its schema', () => {
    expect(
      replyFault(BROADCAST.read, { type: 'read_ok', messages: [1, 'a'], in_reply_to: 1, msg_id: 2 }),
    ).toBeNull()
    expect(replyFault(KAFKA.poll, { type: 'poll_ok', msgs: { a: [[0, 1]] } })).toBeNull()
  })

  it.each([
    [{ type: 'read_okay', messages: [] }, '"type" must be "read_ok"'],
    [{ type: 'read_ok' }, '"messages" is missing'],
    [{ type: 'read_ok', messages: 1 }, 'expected a list, found a number'],
    [{ type: 'read_ok', messages: [], extra: 1 }, '"extra" is no field of read_ok'],
  ])('is refused with the reason: %j', (reply, reason) => {
    expect(replyFault(BROADCAST.read, reply)).toContain(reason)
  })

  it('names the place inside a value', () => {
    const reply = {
      type: 'poll_ok',
      msgs: {
        a: [
          [0, 1],
          ['x', 2],
        ],
      },
    }
    expect(replyFault(KAFKA.poll, reply)).toBe(
      '"msgs": key "a": item 1: item 0: expected an integer, found a string',
    )
  })

  it('is explained with request, schema, reply and reason', () => {
    const text = explainReply({ type: 'read', msg_id: 4 }, BROADCAST.read, { type: 'read_ok' }, 'REASON')
    for (const part of ['REASON', '"msg_id":4', '"messages": a list', '{"type":"read_ok"}'])
      expect(text).toContain(part)
  })
})
