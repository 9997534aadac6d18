/**
 * What toys are made of: see `toys.ts`. A toy's processes are functions. When a toy sees its assumption broken it
 * publishes an event `broken`.
 */
import type * as Dgram from 'node:dgram'
import type * as Dns from 'node:dns'
import type * as FsPromises from 'node:fs/promises'
import {
  event,
  type FamilyName,
  type FaultBudget,
  type Invariant,
  type ProcessDefinition,
  type ProcessIdentity,
  type Rate,
  type SimulationDefinition,
} from '../../src/index.ts'
import type { ProcessContext } from '../../src/node/index.ts'

export interface Toy {
  readonly family: FamilyName
  readonly assumption: string
  /** Families that are on as well, and that the toy survives by themselves. */
  readonly along?: readonly FamilyName[]
  readonly budget?: FaultBudget
  /** Families that break it as well, because they do the same among other things. */
  readonly kin?: readonly FamilyName[]
  /** What the simulation has besides. */
  readonly more?: Partial<Omit<SimulationDefinition, 'processes'>>
  readonly variants?: ProcessDefinition['variants']
  readonly count: number
  readonly run: (process: ProcessIdentity, node: ProcessContext) => unknown
  readonly invariant?: () => Invariant
}

/** How each family strikes in these tests: often, and long enough for its toy. */
export const RATES: Readonly<Partial<Record<FamilyName, Rate>>> = {
  partition: { everyMs: 1600, chance: 1, durationMs: [1200, 1500] },
  'one-way-cut': { everyMs: 1600, chance: 1, durationMs: [1200, 1500] },
}
export const USUAL_RATE: Rate = { everyMs: 500, chance: 0.9, durationMs: [300, 600] }

export function broken(what: string): void {
  event('broken', what)
}

export function every(node: ProcessContext, ms: number, callback: () => void): void {
  node.globalThis.setInterval(callback, ms)
}

export function nowMs(node: ProcessContext): number {
  return node.globalThis.performance.now()
}

/** A UDP socket; returns how to send to a host, whose name is looked up once. */
export function datagrams(
  node: ProcessContext,
  received: (text: string, bytes: number) => void,
  port = 5000,
  to = port,
): (host: string, text: string) => void {
  const socket = (node.require('node:dgram') as typeof Dgram).createSocket('udp4')
  const { lookup } = node.require('node:dns') as typeof Dns
  let address: string | null = null
  socket.on('error', () => {})
  socket.on('message', (bytes) => received(String(bytes), bytes.length))
  socket.bind(port)
  return (host, text) => {
    if (address === null) lookup(host, 4, (error, found) => void (address = error === null ? found : null))
    else socket.send(text, to, address, () => {})
  }
}

export function files(node: ProcessContext): typeof FsPromises {
  return node.require('node:fs/promises') as typeof FsPromises
}

/** Numbered messages from the first process to the second; `received` runs at the second. No two boots share numbers. */
export function stream(
  everyMs: number,
  send: (host: string, emit: (host: string, text: string) => void, seq: number) => void,
  received: (node: ProcessContext) => (text: string, bytes: number) => void,
): Toy['run'] {
  return ({ index, peers }, node) => {
    const emit = datagrams(node, index === 1 ? received(node) : () => {})
    let seq = Math.floor(node.globalThis.Math.random() * 1_000_000) * 1000
    if (index === 0) every(node, everyMs, () => send(peers[0], emit, ++seq))
  }
}

/** Says so when a process was not running for a while. */
export function pauses(node: ProcessContext, paused: (gapMs: number) => void): void {
  let last = nowMs(node)
  every(node, 10, () => {
    const gapMs = nowMs(node) - last
    last += gapMs
    if (gapMs > 100) paused(gapMs)
  })
}

/** How far the wall clock is from the monotonic one, from tick to tick. */
export function clock(judge: (offsetMs: number, changeMs: number) => void): Toy['run'] {
  return (_process, node) => {
    const read = (): number => node.globalThis.Date.now() - nowMs(node)
    const first = read()
    let last = first
    every(node, 10, () => {
      const now = read()
      judge(last - first, now - last)
      last = now
    })
  }
}

/** Does something with a file again and again; errors are judged by their code. */
export function filing(
  act: (fs: typeof FsPromises, node: ProcessContext) => Promise<void>,
  failed: (code: string) => void,
): Toy['run'] {
  return (_process, node) => {
    const loop = async (): Promise<void> => {
      try {
        await act(files(node), node)
      } catch (error) {
        failed((error as NodeJS.ErrnoException).code ?? '')
      }
      node.globalThis.setTimeout(() => void loop(), 30)
    }
    void loop()
  }
}

export const PAGE_BYTES = 4096

export function sleep(node: ProcessContext, ms: number): Promise<void> {
  return new Promise((resolve) => void node.globalThis.setTimeout(resolve, ms))
}
