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
  private readonly table: PortTable

  constructor(table: PortTable, address: string, family: 4 | 6, port: number, ipv6Only: boolean) {
    this.table = table
    this.address = address
    this.family = family
    this.port = port
    this.ipv6Only = ipv6Only
    table.add(this)
  }

  close(): void {
    this.table.remove(this)
  }

  vanish(): void {
    this.table.remove(this)
  }
}
