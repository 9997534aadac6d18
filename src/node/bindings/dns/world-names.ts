/**
 * Answers from the world's own names, for resolvers that were not given servers: address records, and the reverse of
 * them. A name that exists without a record of the type asked for gives ENODATA, an unknown name ENOTFOUND.
 */
import { parseAddress } from '../../../world/network/addresses.ts'
import type { NetworkStack } from '../../../world/network/stack.ts'
import type { Answer } from './answers.ts'
import type { RecordType } from './message.ts'

const TIME_TO_LIVE_S = 60

export function worldAnswer(net: NetworkStack, name: string, type: RecordType): Answer {
  switch (type) {
    case 'A':
      return addresses(net, name, 4)
    case 'AAAA':
      return addresses(net, name, 6)
    case 'ANY':
      return everything(net, name)
    case 'PTR':
      return reverse(net, name)
    default:
      return absent(net, name)
  }
}

function addresses(net: NetworkStack, name: string, family: 4 | 6): Answer {
  const found = net.resolve(name, family)
  if (typeof found === 'string') return found === 'ENOTFOUND' ? absent(net, name) : ['ETIMEOUT']
  return [null, found.map(({ address }) => address), found.map(() => TIME_TO_LIVE_S)]
}

function everything(net: NetworkStack, name: string): Answer {
  const records = ([4, 6] as const).flatMap((family) => {
    const found = net.resolve(name, family)
    if (typeof found === 'string') return []
    return found.map(({ address }) => ({ address, ttl: TIME_TO_LIVE_S, type: family === 4 ? 'A' : 'AAAA' }))
  })
  return records.length === 0 ? absent(net, name) : [null, records]
}

function reverse(net: NetworkStack, name: string): Answer {
  const address = addressOfReverseName(name)
  const found = address === null ? null : net.network.resolver.nameOf(address)
  return found === null ? ['ENOTFOUND'] : [null, [found]]
}

function absent(net: NetworkStack, name: string): Answer {
  return [typeof net.resolve(name, 0) === 'string' ? 'ENOTFOUND' : 'ENODATA']
}

/** The name under which the name of an address is asked for. */
export function reverseName({
  address,
  family,
}: {
  readonly address: string
  readonly family: 4 | 6
}): string {
  if (family === 4) return `${address.split('.').toReversed().join('.')}.in-addr.arpa`
  const [head, tail = ''] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  const groups = [...left, ...(address.includes('::') ? zeros : []), ...right]
  const digits = groups.map((group) => group.padStart(4, '0')).join('')
  return `${Array.from(digits).toReversed().join('.')}.ip6.arpa`
}

function addressOfReverseName(name: string): string | null {
  const four = /^((?:\d+\.){4})in-addr\.arpa\.?$/i.exec(name)
  if (four !== null) return four[1].slice(0, -1).split('.').toReversed().join('.')
  const six = /^((?:[0-9a-f]\.){32})ip6\.arpa\.?$/i.exec(name)
  if (six === null) return null
  const digits = six[1].replaceAll('.', '').split('').toReversed().join('')
  return parseAddress(digits.replaceAll(/(.{4})(?!$)/g, '$1:'))?.address ?? null
}
