/**
 * IP addresses as text in one canonical form (RFC 5952 for IPv6, which is also what inet_ntop prints), so that equal
 * addresses are equal strings. An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) is how a dual-stack socket names an IPv4
 * peer; on the wire it is the IPv4 address. Zone identifiers (`fe80::1%eth0`) are dropped: a host has one interface.
 */

export interface SocketAddress {
  readonly address: string
  readonly family: 4 | 6
  readonly port: number
}

/** An address as the network sees it. */
export interface WireAddress {
  readonly address: string
  readonly family: 4 | 6
  /** It was written as an IPv4-mapped IPv6 address. */
  readonly mapped: boolean
}

const MAPPED_PREFIX = '::ffff:'

/** Addresses are few and asked for with every datagram. */
const KNOWN_LIMIT = 4_096
const known = new Map<string, WireAddress | null>()

/** Reads an address; null where it is none. */
export function parseAddress(text: string): WireAddress | null {
  let parsed = known.get(text)
  if (parsed === undefined) {
    parsed = parse(text)
    if (known.size < KNOWN_LIMIT) known.set(text, parsed)
  }
  return parsed
}

function parse(text: string): WireAddress | null {
  if (isIPv4(text)) return { address: text, family: 4, mapped: false }
  const groups = parseIPv6(text)
  if (groups === null) return null
  if (groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0)) {
    const address = `${groups[6] >> 8}.${groups[6] & 255}.${groups[7] >> 8}.${groups[7] & 255}`
    return { address, family: 4, mapped: true }
  }
  return { address: formatIPv6(groups), family: 6, mapped: false }
}

/** How a socket of the given family names a wire address. */
export function seenBy(family: 4 | 6, address: string): string {
  return family === 6 && !address.includes(':') ? MAPPED_PREFIX + address : address
}

export function isIPv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)
}

export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

export function isAny(address: string): boolean {
  return address === '0.0.0.0' || address === '::'
}

export function isMulticast(address: string): boolean {
  if (address.includes(':')) return address.startsWith('ff')
  const first = Number(address.slice(0, address.indexOf('.')))
  return first >= 224 && first < 240
}

/** The eight groups of an IPv6 address, or null. */
function parseIPv6(text: string): number[] | null {
  const zone = text.indexOf('%')
  let rest = zone < 0 ? text : text.slice(0, zone)
  if (!rest.includes(':')) return null
  const lastColon = rest.lastIndexOf(':')
  const tail = rest.slice(lastColon + 1)
  if (tail.includes('.')) {
    if (!isIPv4(tail)) return null
    const [a, b, c, d] = tail.split('.').map(Number)
    rest = `${rest.slice(0, lastColon + 1)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  }
  const halves = rest.split('::')
  if (halves.length > 2) return null
  const head = parseGroups(halves[0])
  const end = halves.length === 2 ? parseGroups(halves[1]) : []
  if (head === null || end === null) return null
  const missing = 8 - head.length - end.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null
  return [...head, ...Array.from({ length: missing }, () => 0), ...end]
}

function parseGroups(text: string): number[] | null {
  if (text === '') return []
  const groups: number[] = []
  for (const group of text.split(':')) {
    if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return null
    groups.push(Number.parseInt(group, 16))
  }
  return groups
}

function formatIPv6(groups: readonly number[]): string {
  let bestStart = -1
  let bestLength = 1 // a single zero group is not shortened
  for (let start = 0; start < 8; start++) {
    let length = 0
    while (start + length < 8 && groups[start + length] === 0) length++
    if (length > bestLength) {
      bestStart = start
      bestLength = length
    }
  }
  const hex = groups.map((group) => group.toString(16))
  if (bestStart < 0) return hex.join(':')
  return `${hex.slice(0, bestStart).join(':')}::${hex.slice(bestStart + bestLength).join(':')}`
}
