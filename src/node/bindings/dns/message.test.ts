import { describe, expect, it } from 'vitest'
import { answerOf } from './answers.ts'
import { decodeResponse, encodeQuery, RECORD_TYPES, type RecordType } from './message.ts'
import { reverseName } from './world-names.ts'

/** A response to a query: its question, then records whose names point back at the question's. */
function respond(query: Buffer, records: readonly [RecordType, Buffer][], code = 0): Buffer {
  const header = Buffer.from(query)
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(records.length, 6)
  const answers = records.map(([type, data]) => {
    const fixed = Buffer.alloc(12)
    fixed.writeUInt16BE(0xc00c, 0)
    fixed.writeUInt16BE(RECORD_TYPES[type], 2)
    fixed.writeUInt16BE(1, 4)
    fixed.writeUInt32BE(60, 6)
    fixed.writeUInt16BE(data.length, 10)
    return Buffer.concat([fixed, data])
  })
  return Buffer.concat([header, ...answers])
}

function asked(type: RecordType, records: readonly [RecordType, Buffer][], code = 0): readonly unknown[] {
  const response = decodeResponse(respond(encodeQuery(7, 'a.example', type)!, records, code))
  return answerOf(response!, type)
}

const address = Buffer.of(10, 0, 0, 1)
const pointer = Buffer.of(0xc0, 0x0c)

describe('a DNS query', () => {
  it('says its name label by label', () => {
    const query = encodeQuery(0x1234, 'a.example', 'A')!
    expect(query.toString('hex')).toBe('1234010000010000000000000161076578616d706c650000010001')
  })

  it.each(['', '.', 'a.example.'])('accepts %j', (name) => expect(encodeQuery(1, name, 'A')).not.toBeNull())

  it.each(['a..b', '.a', 'x'.repeat(64), 'abcdefgh.'.repeat(29)])('refuses %j', (name) =>
    expect(encodeQuery(1, name, 'A')).toBeNull(),
  )
})

describe('a DNS response', () => {
  it('gives addresses with the time they live', () =>
    expect(asked('A', [['A', address]])).toEqual([null, ['10.0.0.1'], [60]]))

  it('gives IPv6 addresses as inet_ntop prints them', () =>
    expect(asked('AAAA', [['AAAA', Buffer.from(`20010db8${'0'.repeat(23)}1`, 'hex')]])).toEqual([
      null,
      ['2001:db8::1'],
      [60],
    ]))

  it('follows pointers in names', () =>
    expect(asked('NS', [['NS', Buffer.concat([Buffer.of(2), Buffer.from('ns'), pointer])]])).toEqual([
      null,
      ['ns.a.example'],
    ]))

  it('has no data when its records are of another type', () =>
    expect(asked('MX', [['A', address]])).toEqual(['ENODATA']))

  it('has no data when it has no records', () => expect(asked('A', [])).toEqual(['ENODATA']))

  it.each([
    [1, 'EFORMERR'],
    [2, 'ESERVFAIL'],
    [3, 'ENOTFOUND'],
    [4, 'ENOTIMP'],
    [5, 'EREFUSED'],
  ])('with code %i is %s', (code, error) => expect(asked('A', [], code)).toEqual([error]))

  it('whose record ends too early is bad', () =>
    expect(asked('MX', [['MX', Buffer.of(0)]])).toEqual(['EBADRESP']))

  it('is dropped when it is cut off, is a query, or points at itself', () => {
    const query = encodeQuery(7, 'a.example', 'A')!
    const good = respond(query, [['A', address]])
    expect(decodeResponse(good)).not.toBeNull()
    expect(decodeResponse(good.subarray(0, good.length - 1))).toBeNull()
    expect(decodeResponse(query)).toBeNull()
    const loop = Buffer.from(good)
    loop.writeUInt16BE(0xc00c, 12)
    expect(decodeResponse(loop)).toBeNull()
  })
})

describe('the reverse name of an address', () => {
  it('is its bytes backwards', () => {
    expect(reverseName({ address: '10.0.0.1', family: 4 })).toBe('1.0.0.10.in-addr.arpa')
    expect(reverseName({ address: '::1', family: 6 })).toBe(`1.${'0.'.repeat(31)}ip6.arpa`)
  })
})
