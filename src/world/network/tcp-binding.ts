/** A bound TCP socket that neither listens nor is connected: what a port belongs to. */
import type { SocketAddress } from './addresses.ts'
import type { PortHolder, PortTable } from './port-table.ts'

export class TcpBinding implements SocketAddress, PortHolder {
  readonly address: string
  readonly family: 4 | 6
  readonly port: number
  readonly ipv6Only: boolean
  /** SO_REUSEADDR lets two sockets have a port until one of them listens. */
  shares = true
  readonly reusesPort: boolean
  private readonly table: PortTable

  constructor(table: PortTable, { address, family, port, ipv6Only, reusesPort }: Omit<PortHolder, 'shares'>) {
    this.table = table
    this.address = address
    this.family = family
    this.port = port
    this.ipv6Only = ipv6Only
    this.reusesPort = reusesPort === true
    table.add(this)
  }

  close(): void {
    this.table.remove(this)
  }

  vanish(): void {
    this.table.remove(this)
  }
}
