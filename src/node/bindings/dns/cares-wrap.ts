/** `cares_wrap`: names from the world's resolver. `getaddrinfo` is the thread pool's, the queries are c-ares'. */
import { isIPv6 } from 'node:net'
import { current } from '../../process/current.ts'
import { requestClass, type Request } from '../../process/handle.ts'
import { takeInternals, type Binding } from '../../library/internals.ts'
import { closed, uvCode } from '../binding.ts'
import { ChannelWrap, QueryReqWrap } from './cares-channel.ts'

const real = takeInternals().internalBinding('cares_wrap')

/** How long a look-up takes at least. */
const LOOKUP_US = 200

interface AddressRequest extends Request {
  oncomplete?: (error: number | null, addresses: string[] | null) => void
}

export function caresWrap(): Binding {
  return closed('cares_wrap', {
    getaddrinfo(
      request: AddressRequest,
      name: string,
      family: number,
      _hints: number,
      order: number | boolean,
    ) {
      const process = current()
      const event = process.complete('dns', LOOKUP_US, () => {
        const found = process.placement.host.net.resolve(name, family as 0 | 4 | 6)
        if (typeof found === 'string') process.finish(request, uvCode(lookupError(found)), null)
        else process.finish(request, null, ordered(found, order))
      })
      if (process.kernel.worded) event.detail = `look up ${name}`
      return 0
    },
    getnameinfo(request: Request, address: string, port: number) {
      const process = current()
      process.complete('dns', LOOKUP_US, () => {
        const name = process.placement.host.net.network.resolver.nameOf(address)
        if (name === null) process.finish(request, uvCode('EAI_NONAME'))
        else process.finish(request, null, name, SERVICES.get(port) ?? String(port))
      })
      return 0
    },
    canonicalizeIP: real.canonicalizeIP,
    convertIpv6StringToBuffer: real.convertIpv6StringToBuffer,
    strerror: real.strerror,
    GetAddrInfoReqWrap: requestClass('GetAddrInfoReqWrap', 'GETADDRINFOREQWRAP'),
    GetNameInfoReqWrap: requestClass('GetNameInfoReqWrap', 'GETNAMEINFOREQWRAP'),
    QueryReqWrap,
    ChannelWrap,
  })
}

const SERVICES = new Map([
  [22, 'ssh'],
  [25, 'smtp'],
  [53, 'domain'],
  [80, 'http'],
  [443, 'https'],
])

function lookupError(code: string): string {
  return code === 'ENOTFOUND' ? 'EAI_NONAME' : code
}

/** Verbatim, IPv4 first or IPv6 first; Node 20 passes a boolean for the first two. */
function ordered(found: readonly { readonly address: string }[], order: number | boolean): string[] {
  const addresses = found.map(({ address }) => address)
  const verbatim = order === true || order === real.DNS_ORDER_VERBATIM
  if (verbatim) return addresses
  const six = addresses.filter((address) => isIPv6(address))
  const four = addresses.filter((address) => !isIPv6(address))
  return order === real.DNS_ORDER_IPV6_FIRST ? [...six, ...four] : [...four, ...six]
}
