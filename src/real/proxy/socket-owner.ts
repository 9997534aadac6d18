/**
 * Which node opened a TCP connection, by the kernel's own tables: the row of the caller's socket in /proc/net/tcp has an
 * inode, and the process that holds it has a descriptor `socket:[inode]`. Only for programs that give one address of a
 * node to everybody; it costs a look per connection, none per byte.
 *
 * A look takes milliseconds, many where a machine has thousands of connections: connections that come in quick succession
 * share one, so that looking never takes more than a part of the time.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { membersOf } from '../cluster/process-state.ts'
import type { Endpoint } from './datagrams.ts'

/** After a look the next one waits for this many times as long as the look took. */
const REST = 3

interface Asked {
  readonly caller: Endpoint
  readonly called: Endpoint
  readonly tell: (name: string | null) => void
}

export class SocketOwners {
  readonly #leaders: () => ReadonlyMap<number, string>
  readonly #asked: Asked[] = []
  #timer: NodeJS.Timeout | null = null
  #freeMs = 0
  readonly #nowMs: () => number

  /** `leaders`: names by the first processes of the nodes. */
  constructor(leaders: () => ReadonlyMap<number, string>, nowMs = () => performance.now()) {
    this.#leaders = leaders
    this.#nowMs = nowMs
  }

  /** The name of the owner; null if none of them has the socket. */
  of(caller: Endpoint, called: Endpoint): Promise<string | null> {
    return new Promise((tell) => {
      this.#asked.push({ caller, called, tell })
      if (this.#timer !== null) return
      const waitMs = this.#freeMs - this.#nowMs()
      if (waitMs <= 0) this.#look()
      else this.#timer = setTimeout(() => this.#look(), waitMs)
    })
  }

  #look(): void {
    const beginMs = this.#nowMs()
    this.#timer = null
    const asked = this.#asked.splice(0)
    const owners = ownersOf(inodesOf(asked), this.#leaders())
    for (const [index, { tell }] of asked.entries()) tell(owners[index])
    const nowMs = this.#nowMs()
    this.#freeMs = nowMs + REST * (nowMs - beginMs)
  }
}

/** First processes nearly always are the owners; only if none of them holds a socket are all their processes looked at. */
function ownersOf(
  inodes: readonly (string | null)[],
  leaders: ReadonlyMap<number, string>,
): (string | null)[] {
  const held = new Map([...leaders].flatMap(([pid, name]) => socketsOf(pid).map((inode) => [inode, name])))
  if (inodes.some((inode) => inode !== null && !held.has(inode)))
    for (const [pid, session] of membersOf(new Set(leaders.keys())))
      for (const inode of socketsOf(pid)) if (!held.has(inode)) held.set(inode, leaders.get(session)!)
  return inodes.map((inode) => (inode === null ? null : (held.get(inode) ?? null)))
}

function inodesOf(asked: readonly Asked[]): (string | null)[] {
  const table = readFileSync('/proc/net/tcp', 'latin1')
  const found = asked.map(({ caller, called }) => inodeIn(table, ` ${hexOf(caller)} ${hexOf(called)} `))
  if (!found.includes(null)) return found
  // Programs with IPv6 sockets (Go, Java) have their IPv4 connections in the other table.
  const six = readFileSync('/proc/net/tcp6', 'latin1')
  const mapped = (end: Endpoint): string => `0000000000000000FFFF0000${hexOf(end)}`
  return asked.map(
    ({ caller, called }, index) => found[index] ?? inodeIn(six, ` ${mapped(caller)} ${mapped(called)} `),
  )
}

function inodeIn(table: string, row: string): string | null {
  const at = table.indexOf(row)
  return at < 0 ? null : (table.slice(at, table.indexOf('\n', at)).trim().split(/\s+/)[8] ?? null)
}

/** `0100007F:1F90`: the kernel prints the address as a little-endian word. */
function hexOf({ address, port }: Endpoint): string {
  const bytes = address.split('.').map(Number).reverse()
  const hex = (value: number, digits: number): string =>
    value.toString(16).toUpperCase().padStart(digits, '0')
  return `${bytes.map((byte) => hex(byte, 2)).join('')}:${hex(port, 4)}`
}

/** Inodes of the sockets that a process holds. */
function socketsOf(pid: number): string[] {
  try {
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).flatMap(
      (fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`${folder}/${fd}`))?.[1] ?? [],
    )
  } catch {
    return [] // the process has ended
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
