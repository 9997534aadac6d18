/**
 * The ports of a host and the sockets that hold them, with Linux's rules for sockets that set SO_REUSEADDR, as libuv's
 * TCP sockets do: a port may be bound twice as long as neither socket listens on it. The wildcard address conflicts
 * with every address of its family, and `::` with IPv4 too unless it is for IPv6 only.
 */
import { isAny } from './addresses.ts'

const EPHEMERAL_FIRST = 32_768
const EPHEMERAL_LAST = 60_999

export interface PortHolder {
  readonly address: string
  readonly family: 4 | 6
  readonly port: number
  /** An IPv6 socket that takes no IPv4. */
  readonly ipv6Only: boolean
  /** Whether others may bind the same address and port now. */
  readonly shares: boolean
  /** SO_REUSEPORT: others that say so too may have the port, also while it listens. */
  readonly reusesPort?: boolean
}

export class PortTable {
  private readonly holders = new Map<number, PortHolder[]>()
  private nextEphemeral = EPHEMERAL_FIRST

  /** Whether the holder may have its port besides those that have it now. */
  conflicts(candidate: PortHolder): boolean {
    const others = this.holders.get(candidate.port)
    return (
      others !== undefined &&
      others.some(
        (other) => other !== candidate && overlap(candidate, other) && !goTogether(candidate, other),
      )
    )
  }

  add(holder: PortHolder): void {
    const holders = this.holders.get(holder.port)
    if (holders === undefined) this.holders.set(holder.port, [holder])
    else holders.push(holder)
  }

  remove(holder: PortHolder): void {
    const holders = this.holders.get(holder.port)
    const at = holders?.indexOf(holder) ?? -1
    if (holders === undefined || at < 0) return
    if (holders.length === 1) this.holders.delete(holder.port)
    else holders.splice(at, 1)
  }

  /** A free port, or 0 when there is none. They are given out in order, which a program cannot notice. */
  ephemeral(): number {
    for (let tried = EPHEMERAL_FIRST; tried <= EPHEMERAL_LAST; tried++) {
      const port = this.nextEphemeral
      this.nextEphemeral = port === EPHEMERAL_LAST ? EPHEMERAL_FIRST : port + 1
      if (!this.holders.has(port)) return port
    }
    return 0
  }

  clear(): void {
    this.holders.clear()
  }
}

function goTogether(a: PortHolder, b: PortHolder): boolean {
  return (a.shares && b.shares) || (a.reusesPort === true && b.reusesPort === true)
}

function overlap(a: PortHolder, b: PortHolder): boolean {
  if (a.family === b.family) return a.address === b.address || isAny(a.address) || isAny(b.address)
  const [four, six] = a.family === 4 ? [a, b] : [b, a]
  if (six.ipv6Only) return false
  return six.address === '::' || (isAny(four.address) && six.address.startsWith('::ffff:'))
}
