/**
 * Names to addresses, as getaddrinfo gives them: `localhost`, the names of hosts (also as `name.local`), further names
 * that a simulation declares, and addresses themselves. A host's name resolves to its IPv4 address, as in a container
 * network; its IPv6 address is given to those who ask for that family. Resolution can be made to fail for a host.
 */
import type { Evidence } from '../evidence.ts'
import { parseAddress } from './addresses.ts'
import type { ErrorCode } from './tcp-endpoint.ts'

export interface Resolved {
  readonly address: string
  readonly family: 4 | 6
}

export class Resolver {
  private readonly evidence: Evidence
  private readonly names = new Map<string, Resolved[]>()
  private readonly failing = new Map<string, ErrorCode>()

  constructor(evidence: Evidence) {
    this.evidence = evidence
    this.define('localhost', ['127.0.0.1', '::1'])
  }

  /** Says which addresses a name has, in the order in which they are given. */
  define(name: string, addresses: readonly string[]): void {
    const resolved: Resolved[] = []
    for (const text of addresses) {
      const parsed = parseAddress(text)
      if (parsed !== null) resolved.push({ address: parsed.address, family: parsed.family })
    }
    this.names.set(normal(name), resolved)
  }

  /** Makes every look-up of a host fail (`EAI_AGAIN`: the server does not answer) until {@link restore}. */
  fail(host: string, error: ErrorCode = 'EAI_AGAIN'): void {
    this.failing.set(host, error)
  }

  restore(host: string): void {
    this.failing.delete(host)
  }

  /** Looks a name up for a host. Family 0 is any. */
  resolve(host: string, name: string, family: 0 | 4 | 6): readonly Resolved[] | ErrorCode {
    const literal = parseAddress(name)
    if (literal !== null) {
      const shown = literal.mapped
        ? { address: name, family: 6 as const }
        : { address: literal.address, family: literal.family }
      return family === 0 || family === shown.family ? [shown] : 'ENOTFOUND'
    }
    const key = normal(name)
    const error = this.failing.get(host)
    if (error !== undefined && key !== 'localhost') {
      this.evidence.report('name-lookup-failed', { host, name: key })
      return error
    }
    const known =
      this.names.get(key) ?? (key.endsWith('.local') ? this.names.get(key.slice(0, -6)) : undefined)
    if (known === undefined) return 'ENOTFOUND'
    if (family !== 0) {
      const matching = known.filter((each) => each.family === family)
      return matching.length === 0 ? 'ENOTFOUND' : matching
    }
    if (key === 'localhost') return known
    const four = known.filter((each) => each.family === 4)
    return four.length === 0 ? known : four
  }

  /** The name of an address, for reverse look-ups; null where it has none. */
  nameOf(address: string): string | null {
    for (const [name, addresses] of this.names) {
      if (addresses.some((each) => each.address === address)) return name
    }
    return null
  }
}

/** Names are case-insensitive, and a final dot says that they are complete. */
function normal(name: string): string {
  const lower = name.toLowerCase()
  return lower.endsWith('.') ? lower.slice(0, -1) : lower
}
