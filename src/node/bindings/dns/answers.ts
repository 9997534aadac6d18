/**
 * The answers that Node's library gets from a DNS response, by the type that was asked for, in the shapes of
 * src/cares_wrap.cc. An answer without a record of the type is ENODATA. Answers to ANY come in the order in which Node
 * looks for types.
 */
import { parseAddress } from '../../../world/network/addresses.ts'
import { namesRecordTypes } from '../versions.ts'
import { type Reader, type Record, RECORD_TYPES, type RecordType, type Response } from './message.ts'

/** Arguments of a request's `oncomplete`. */
export type Answer = readonly [error: string | null, ...result: unknown[]]

const RESPONSE_ERRORS: readonly string[] = ['', 'EFORMERR', 'ESERVFAIL', 'ENOTFOUND', 'ENOTIMP', 'EREFUSED']

/** The order in which an answer to ANY is searched. */
const ANY_ORDER: readonly RecordType[] = [
  'A',
  'CNAME',
  'AAAA',
  'MX',
  'NS',
  'TXT',
  'SRV',
  'PTR',
  'NAPTR',
  'SOA',
  'TLSA',
  'CAA',
]

export function answerOf(response: Response, asked: RecordType): Answer {
  if (response.responseCode !== 0) return [RESPONSE_ERRORS[response.responseCode] ?? 'ESERVFAIL']
  if (response.records.length === 0) return ['ENODATA']
  try {
    return asked === 'ANY' ? anyAnswer(response) : typedAnswer(response, asked)
  } catch (error) {
    if (error instanceof RangeError) return ['EBADRESP']
    throw error
  }
}

function typedAnswer(response: Response, type: RecordType): Answer {
  const records = recordsOf(response, type)
  if (records.length === 0) return ['ENODATA']
  const values = records.map((record) => valueOf(response.reader, record, type))
  switch (type) {
    case 'A':
    case 'AAAA':
      return [null, values, records.map(({ ttl }) => ttl)]
    case 'CNAME':
      // c-ares follows the chain to its end.
      return [null, values.slice(-1)]
    case 'SOA':
      return [null, values[0]]
    case 'MX':
    case 'SRV':
    case 'CAA':
      return [null, namesRecordTypes ? values.map((value) => ({ ...(value as object), type })) : values]
    default:
      return [null, values]
  }
}

function anyAnswer(response: Response): Answer {
  const found: object[] = []
  // A canonical name hides the addresses that came with it.
  const renamed = recordsOf(response, 'CNAME').length > 0
  for (const type of ANY_ORDER) {
    if (type === 'A' && renamed) continue
    let records = recordsOf(response, type)
    if (type === 'CNAME' || type === 'SOA') records = records.slice(-1)
    for (const record of records) found.push(described(valueOf(response.reader, record, type), record, type))
  }
  return [null, found]
}

function described(value: unknown, { ttl }: Record, type: RecordType): object {
  switch (type) {
    case 'A':
    case 'AAAA':
      return { address: value, ttl, type }
    case 'TXT':
      return { entries: value, type }
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return { value, type }
    default:
      return { ...(value as object), type }
  }
}

function recordsOf(response: Response, type: RecordType): Record[] {
  return response.records.filter((record) => record.type === RECORD_TYPES[type])
}

function valueOf(reader: Reader, { start, end }: Record, type: RecordType): unknown {
  reader.at = start
  switch (type) {
    case 'A':
      return reader.take(4).join('.')
    case 'AAAA':
      return addressOf(reader.take(16))
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return reader.name()
    case 'MX': {
      const priority = reader.uint16()
      return { exchange: reader.name(), priority }
    }
    case 'TXT': {
      const entries: string[] = []
      while (reader.at < end) entries.push(reader.text())
      return entries
    }
    case 'SRV': {
      const [priority, weight, port] = [reader.uint16(), reader.uint16(), reader.uint16()]
      return { name: reader.name(), port, priority, weight }
    }
    case 'NAPTR': {
      const [order, preference] = [reader.uint16(), reader.uint16()]
      const [flags, service, regexp] = [reader.text(), reader.text(), reader.text()]
      return { flags, service, regexp, replacement: reader.name(), order, preference }
    }
    case 'SOA': {
      const [nsname, hostmaster] = [reader.name(), reader.name()]
      const [serial, refresh, retry, expire, minttl] = Array.from({ length: 5 }, () => reader.uint32())
      return { nsname, hostmaster, serial, refresh, retry, expire, minttl }
    }
    case 'TLSA': {
      const [certUsage, selector, match] = [reader.uint8(), reader.uint8(), reader.uint8()]
      return { certUsage, selector, match, data: new Uint8Array(reader.take(end - reader.at)).buffer }
    }
    case 'CAA': {
      const critical = reader.uint8()
      const tag = reader.text()
      return { critical, [tag]: reader.take(end - reader.at).toString('latin1') }
    }
    case 'ANY':
      return null
  }
}

/** An IPv6 address as `inet_ntop` prints it. */
function addressOf(bytes: Uint8Array): string {
  const groups: string[] = []
  for (let i = 0; i < 16; i += 2) groups.push(((bytes[i] << 8) | bytes[i + 1]).toString(16))
  return parseAddress(groups.join(':'))!.address
}
