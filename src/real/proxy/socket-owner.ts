/**
 * Which node opened a TCP connection, by the kernel's own tables: the row of the caller's socket in /proc/net/tcp has an
 * inode, and the process that holds it has a descriptor `socket:[inode]`. Only for programs that give one address of a
 * node to everybody; it costs a look per connection, none per byte.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { membersOf } from '../cluster/process-state.ts'
import type { Endpoint } from './datagrams.ts'

/**
 * The name of the owner. `leaders` are the first processes of the nodes, which nearly always are the ones; only if none
 * of them holds the socket are all their processes looked at.
 */
export function socketOwner(
  caller: Endpoint,
  called: Endpoint,
  leaders: ReadonlyMap<number, string>,
): string | null {
  const inode = inodeOf(caller, called)
  if (inode === null) return null
  const wanted = `socket:[${inode}]`
  for (const [pid, name] of leaders) if (holds(pid, wanted)) return name
  for (const [pid, session] of membersOf(new Set(leaders.keys())))
    if (holds(pid, wanted)) return leaders.get(session)!
  return null
}

function inodeOf(caller: Endpoint, called: Endpoint): string | null {
  const row = ` ${hexOf(caller)} ${hexOf(called)} `
  const table = readFileSync('/proc/net/tcp', 'latin1')
  const at = table.indexOf(row)
  const line = at < 0 ? inSix(caller, called) : table.slice(at, table.indexOf('\n', at))
  return line === null ? null : (line.trim().split(/\s+/)[8] ?? null)
}

/** Programs with IPv6 sockets (Go, Java) have their IPv4 connections in the other table. */
function inSix(caller: Endpoint, called: Endpoint): string | null {
  const table = readFileSync('/proc/net/tcp6', 'latin1')
  const mapped = (end: Endpoint): string => `0000000000000000FFFF0000${hexOf(end)}`
  const at = table.indexOf(` ${mapped(caller)} ${mapped(called)} `)
  return at < 0 ? null : table.slice(at, table.indexOf('\n', at))
}

/** `0100007F:1F90`: the kernel prints the address as a little-endian word. */
function hexOf({ address, port }: Endpoint): string {
  const bytes = address.split('.').map(Number).reverse()
  const hex = (value: number, digits: number): string =>
    value.toString(16).toUpperCase().padStart(digits, '0')
  return `${bytes.map((byte) => hex(byte, 2)).join('')}:${hex(port, 4)}`
}

function holds(pid: number, wanted: string): boolean {
  try {
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).some((fd) => linkOf(`${folder}/${fd}`) === wanted)
  } catch {
    return false // the process has ended
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
