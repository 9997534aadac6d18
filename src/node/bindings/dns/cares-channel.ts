/**
 * c-ares' resolver channel. A resolver that was given servers asks them over the network (dns/channel.ts); one that was
 * not is answered from the world's names (dns/world-names.ts), as if the host's own server knew them. Follows
 * `ChannelWrap` of src/cares_wrap.cc.
 */
import { AsyncResource } from 'node:async_hooks'
import { isLoopback, parseAddress } from '../../../world/network/addresses.ts'
import { current } from '../../process/current.ts'
import type { Answer } from './answers.ts'
import { ServerQuery, type Server } from './channel.ts'
import type { RecordType } from './message.ts'
import { reverseName, worldAnswer } from './world-names.ts'
import { requestClass, type Request } from '../../process/handle.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { uvCode } from '../binding.ts'

export const QueryReqWrap = requestClass('QueryReqWrap', 'QUERYWRAP')

/** How long the host's own server takes at least. */
const QUERY_US = 300
/** Node's own error: servers cannot be changed while something is asked. */
const PENDING_QUERIES = -1000

const METHODS: Readonly<Record<string, RecordType>> = {
  queryAny: 'ANY',
  queryA: 'A',
  queryAaaa: 'AAAA',
  queryCaa: 'CAA',
  queryCname: 'CNAME',
  queryMx: 'MX',
  queryNs: 'NS',
  queryTxt: 'TXT',
  querySrv: 'SRV',
  queryPtr: 'PTR',
  queryNaptr: 'NAPTR',
  querySoa: 'SOA',
  queryTlsa: 'TLSA',
}

export class ChannelWrap extends AsyncResource {
  private servers: readonly Server[] = [{ address: '127.0.0.53', port: 53 }]
  /** Whether the program has chosen its servers. */
  private chosen = false
  private localAddress4 = '0.0.0.0'
  private localAddress6 = '::'
  private readonly process: RunningProcess
  private readonly timeoutMs: number
  private readonly tries: number
  /** What is asked, with the query to servers that stands for it. */
  private readonly pending = new Map<Request, ServerQuery | null>()

  constructor(timeoutMs: number, tries: number) {
    super('DNSCHANNEL')
    this.process = current()
    this.timeoutMs = timeoutMs
    this.tries = tries
  }

  getAsyncId(): number {
    return this.asyncId()
  }

  getHostByAddr(request: Request, text: string): number {
    const address = parseAddress(text)
    if (address === null) return uvCode('EINVAL')
    // Names in /etc/hosts are not asked for.
    return this.query(request, reverseName(address), 'PTR', isLoopback(address.address))
  }

  getServers(): readonly (readonly [address: string, port: number])[] {
    return this.servers.map(({ address, port }) => [address, port] as const)
  }

  setServers(servers: readonly (readonly [family: number, address: string, port: number])[]): number {
    if (this.pending.size > 0) return PENDING_QUERIES
    this.servers = servers.map(([, address, port]) => ({ address, port }))
    this.chosen = true
    return 0
  }

  /** One address of each family at most. */
  setLocalAddress(first: string, second?: string): void {
    const one = parseAddress(first)
    const two = second === undefined ? null : parseAddress(second)
    if (one === null || (second !== undefined && two === null)) throw invalidArgument('Invalid IP address.')
    if (one.family === two?.family) throw invalidArgument(`Cannot specify two IPv${one.family} addresses.`)
    const found = [one, two]
    this.localAddress4 = found.find((each) => each?.family === 4)?.address ?? '0.0.0.0'
    this.localAddress6 = found.find((each) => each?.family === 6)?.address ?? '::'
  }

  cancel(): void {
    for (const [request, query] of this.pending) {
      this.pending.delete(request)
      query?.cancel()
      this.process.loop.receive(() => this.tell(request, ['ECANCELLED']))
    }
  }

  query(request: Request, name: string, type: RecordType, local = !this.chosen): number {
    const process = current()
    const done = (answer: Answer): void => {
      if (this.pending.delete(request)) this.tell(request, answer)
    }
    process.loop.requestStarted()
    this.pending.set(request, null)
    if (local) {
      process.kernel.schedule(process.actor, 'dns', QUERY_US + process.thread.poolLatency(process), () =>
        process.loop.receive(() => done(worldAnswer(process.placement.host.net, name, type))),
      )
    } else this.pending.set(request, new ServerQuery(process, this.options(), name, type, done))
    return 0
  }

  private tell(request: Request, answer: Answer): void {
    this.process.loop.requestEnded()
    this.process.finish(request, ...answer)
  }

  private options(): ConstructorParameters<typeof ServerQuery>[1] {
    const { servers, timeoutMs, tries, localAddress4, localAddress6 } = this
    return { servers, timeoutMs, tries, localAddress4, localAddress6 }
  }
}

for (const [method, type] of Object.entries(METHODS)) {
  Object.defineProperty(ChannelWrap.prototype, method, {
    value(this: ChannelWrap, request: Request, name: string): number {
      return this.query(request, name, type)
    },
    writable: true,
    configurable: true,
  })
}

function invalidArgument(message: string): TypeError {
  return Object.assign(new TypeError(message), { code: 'ERR_INVALID_ARG_VALUE' })
}
