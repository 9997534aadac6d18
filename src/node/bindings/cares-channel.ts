/**
 * c-ares' resolver channel, answered from the world's names: address records, and the reverse of them. A name that
 * exists without a record of the type asked for gives ENODATA, an unknown name ENOTFOUND.
 */
import { AsyncResource } from 'node:async_hooks'
import { current } from '../current.ts'
import { requestClass, type Request } from '../handle.ts'
import type { NodeProcess } from '../process.ts'

export const QueryReqWrap = requestClass('QueryReqWrap', 'QUERYWRAP')

/** How long a query takes at least. */
const QUERY_US = 300
const TIME_TO_LIVE_S = 60

type Server = readonly [address: string, port: number]
type Answer = readonly [error: string | null, ...result: unknown[]]

export class ChannelWrap extends AsyncResource {
  private servers: readonly Server[] = [['127.0.0.53', 53]]
  private readonly process: NodeProcess
  private readonly pending = new Set<Request>()

  constructor() {
    super('DNSCHANNEL')
    this.process = current()
  }

  getAsyncId(): number {
    return this.asyncId()
  }

  queryA(request: Request, name: string): number {
    return this.query(request, () => this.addresses(name, 4))
  }

  queryAaaa(request: Request, name: string): number {
    return this.query(request, () => this.addresses(name, 6))
  }

  queryAny(request: Request, name: string): number {
    return this.query(request, () => {
      const records = [4, 6].flatMap((family) => {
        const found = this.process.site.host.net.resolve(name, family as 4 | 6)
        if (typeof found === 'string') return []
        return found.map(({ address }) => ({
          type: family === 4 ? 'A' : 'AAAA',
          address,
          ttl: TIME_TO_LIVE_S,
        }))
      })
      return records.length === 0 ? this.absent(name) : [null, records]
    })
  }

  queryPtr(request: Request, name: string): number {
    return this.query(request, () => {
      const labels = name
        .toLowerCase()
        .replace(/\.in-addr\.arpa\.?$/, '')
        .split('.')
      return this.reverse(labels.reverse().join('.'))
    })
  }

  getHostByAddr(request: Request, address: string): number {
    return this.query(request, () => this.reverse(address))
  }

  queryCaa = this.noRecord
  queryCname = this.noRecord
  queryMx = this.noRecord
  queryNs = this.noRecord
  queryTxt = this.noRecord
  querySrv = this.noRecord
  queryNaptr = this.noRecord
  querySoa = this.noRecord
  queryTlsa = this.noRecord

  getServers(): readonly Server[] {
    return this.servers
  }

  setServers(servers: readonly (readonly [family: number, address: string, port: number])[]): number {
    if (this.pending.size > 0) return -1
    this.servers = servers.map(([, address, port]) => [address, port])
    return 0
  }

  setLocalAddress(): void {}

  cancel(): void {
    for (const request of this.pending) {
      this.pending.delete(request)
      this.process.loop.receive(() => this.process.finish(request, 'ECANCELLED'))
    }
  }

  private noRecord(request: Request, name: string): number {
    return this.query(request, () => this.absent(name))
  }

  private addresses(name: string, family: 4 | 6): Answer {
    const found = this.process.site.host.net.resolve(name, family)
    if (typeof found === 'string') return found === 'ENOTFOUND' ? this.absent(name) : ['ETIMEOUT']
    return [null, found.map(({ address }) => address), found.map(() => TIME_TO_LIVE_S)]
  }

  private reverse(address: string): Answer {
    const name = this.process.site.host.net.network.resolver.nameOf(address)
    return name === null ? ['ENOTFOUND'] : [null, [name]]
  }

  private absent(name: string): Answer {
    return [typeof this.process.site.host.net.resolve(name, 0) === 'string' ? 'ENOTFOUND' : 'ENODATA']
  }

  private query(request: Request, answer: () => Answer): number {
    current()
    this.pending.add(request)
    this.process.complete('dns', QUERY_US, () => {
      if (this.pending.delete(request)) this.process.finish(request, ...answer())
    })
    return 0
  }
}
