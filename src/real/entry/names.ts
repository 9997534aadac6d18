/**
 * Host names of a simulation in a real process. The names of `hosts` (`raft1`, `kv`) exist in no DNS; this makes Node's
 * own look-up answer them with the addresses under which this process knows its peers. Everything that resolves a name
 * through `dns.lookup` follows: `net`, `http`, `fetch`, `dgram`, and packages built on them.
 */
import dns, { type LookupAddress } from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'

export type NameTable = Readonly<Record<string, string>>

type Callback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void

/** Answers these names from now on; returns how to stop it. */
export function answerNames(names: NameTable): () => void {
  const { lookup } = dns
  const { lookup: lookupLater } = dns.promises
  const answered = ((name: string, ...rest: unknown[]): void => {
    const address = names[name]
    const callback = rest.at(-1) as Callback
    if (address === undefined || typeof callback !== 'function') {
      ;(lookup as (...args: unknown[]) => void)(name, ...rest)
      return
    }
    const all = isAll(rest[0])
    process.nextTick(() => {
      if (all) callback(null, [{ address, family: 4 }])
      else callback(null, address, 4)
    })
  }) as typeof dns.lookup
  const answeredLater = (async (name: string, options?: unknown) => {
    const address = names[name]
    if (address === undefined) return (lookupLater as (...args: unknown[]) => unknown)(name, options)
    return isAll(options) ? [{ address, family: 4 }] : { address, family: 4 }
  }) as typeof dns.promises.lookup
  replace(answered, answeredLater)
  return () => replace(lookup, lookupLater)
}

function replace(lookup: typeof dns.lookup, lookupLater: typeof dns.promises.lookup): void {
  dns.lookup = lookup
  dns.promises.lookup = lookupLater
  syncBuiltinESMExports()
}

function isAll(options: unknown): boolean {
  return typeof options === 'object' && options !== null && (options as { all?: boolean }).all === true
}
