/**
 * Loaded before the entry of a simulation when it runs as a real process (`NODE_OPTIONS=--import`). The program is
 * unmodified, so what it takes for granted on a machine of its own is made true here:
 *
 * - the names of `hosts` resolve to the addresses under which this node knows its peers;
 * - a port that it opens on all addresses, or on localhost, is opened on the node's own address, and reported to the
 *   run, whose proxy then opens it for the others;
 * - a connection to localhost reaches the node itself; `os.hostname()` is the node's name;
 * - `event()` and assertions of wavetank in the program are reported to the run;
 * - where a fault of clocks may strike, the program says what its wall clock shows.
 *
 * Reports are lines appended to a file: they survive both ends. An event says how much the program had printed before, so
 * that it finds its place among the lines.
 */
import dgram from 'node:dgram'
import { appendFileSync, fstatSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import os from 'node:os'
import { AssertionTable } from '../../sim/authoring/assertion-table.ts'
import { EventLog } from '../../sim/authoring/event-log.ts'
import { useRun } from '../../sim/running/current-run.ts'
import { withDetails } from './detail-text.ts'
import { answerNames, type NameTable } from './names.ts'

/** What the run tells a node, as JSON in the environment variable {@link PLACE}. */
export interface Place {
  readonly name: string
  readonly address: string
  readonly names: NameTable
  /** The file that reports go to. */
  readonly reports: string
}

/** One line of the file of reports. */
export type NodeReport =
  | { readonly listens: 'tcp' | 'udp'; readonly port: number }
  /** The program called `event()`; `printed`: the sizes of its stdout and stderr then. */
  | { readonly event: string; readonly data: unknown; readonly printed: readonly [number, number] }
  /** What the wall clock shows at a moment of the monotonic one. */
  | { readonly wallMs: number; readonly monotonicNs: string }
  /** An assertion in the program was false. */
  | { readonly failed: string; readonly message: string }

export const PLACE = 'WAVETANK_REAL_PLACE'

/** If it is set, the program reports its wall clock at this interval, in milliseconds. */
export const CLOCK_EVERY = 'WAVETANK_REAL_CLOCK_MS'

/** How far apart two clocks may be read. */
const CLOCKS_APART_NS = 5_000_000n

/** Addresses that mean "this machine". */
const LOCAL: ReadonlySet<unknown> = new Set([
  undefined,
  null,
  '',
  '0.0.0.0',
  '::',
  'localhost',
  '127.0.0.1',
  '::1',
])

function settle(place: Place): void {
  const isOwn = (host: unknown): boolean => LOCAL.has(host) || host === place.name
  answerNames({ ...place.names, [place.name]: place.address, localhost: place.address })
  os.hostname = () => place.name
  const report = (line: NodeReport): void => appendFileSync(place.reports, `${JSON.stringify(line)}\n`)

  useRun({
    assertions: new AssertionTable(() => {}),
    events: new EventLog(),
    publish: (event, data) => report({ event, data, printed: [sizeOf(1), sizeOf(2)] }),
    currentProcess: () => place.name,
    fail: (_, title, message, more) =>
      report({ failed: title, message: withDetails(message, more?.details) }),
  })

  const everyMs = Number(process.env[CLOCK_EVERY] ?? 0)
  if (everyMs > 0) {
    const say = (): void => {
      const beforeNs = process.hrtime.bigint()
      const wallMs = Date.now()
      const monotonicNs = process.hrtime.bigint()
      // A busy machine may let the program wait between the two clocks: then they say nothing about each other.
      if (monotonicNs - beforeNs < CLOCKS_APART_NS) report({ wallMs, monotonicNs: String(monotonicNs) })
    }
    setInterval(say, everyMs).unref()
  }

  const { listen } = net.Server.prototype
  net.Server.prototype.listen = function (this: net.Server, ...args: unknown[]): net.Server {
    const options = listenOptions(args)
    if (options === null) return (listen as (...all: unknown[]) => net.Server).apply(this, args)
    this.once('listening', () => {
      const bound = this.address()
      if (typeof bound === 'object' && bound !== null) report({ listens: 'tcp', port: bound.port })
    })
    const host = isOwn(options.host) ? place.address : options.host
    const callback = args.at(-1)
    const rest = typeof callback === 'function' ? [callback] : []
    return (listen as (...all: unknown[]) => net.Server).call(this, { ...options, host }, ...rest)
  } as typeof listen

  const { connect } = net.Socket.prototype
  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]): net.Socket {
    const [first] = args
    // `net.connect` hands over an array that it has marked as checked: it must stay that array.
    if (Array.isArray(first)) [first[0]] = ownCall([first[0]], isOwn, place.address)
    const called = Array.isArray(first) ? args : ownCall(args, isOwn, place.address)
    return (connect as (...all: unknown[]) => net.Socket).apply(this, called)
  }

  const { bind } = dgram.Socket.prototype
  dgram.Socket.prototype.bind = function (this: dgram.Socket, ...args: unknown[]): dgram.Socket {
    this.once('listening', () => report({ listens: 'udp', port: this.address().port }))
    const [first, second] = args
    const callback = args.at(-1)
    const rest = typeof callback === 'function' ? [callback] : []
    const given =
      typeof first === 'object' && first !== null
        ? (first as dgram.BindOptions)
        : {
            ...(typeof first === 'number' ? { port: first } : {}),
            ...(typeof second === 'string' ? { address: second } : {}),
          }
    const address = isOwn(given.address) ? place.address : given.address
    return (bind as (...all: unknown[]) => dgram.Socket).call(this, { ...given, address }, ...rest)
  }
  syncBuiltinESMExports()
}

/** Of the file that a descriptor leads to; 0 where the program has closed it. */
function sizeOf(descriptor: number): number {
  try {
    return fstatSync(descriptor).size
  } catch {
    return 0
  }
}

interface ListenOptions {
  readonly port?: unknown
  readonly host?: unknown
  readonly backlog?: unknown
}

/** The options of a `listen` on a port; null if it is about a path, a descriptor or a handle. */
function listenOptions(args: readonly unknown[]): ListenOptions | null {
  const [first, second, third] = args
  if (typeof first === 'object' && first !== null) return 'port' in first ? first : null
  const isPort = typeof first === 'number' || (typeof first === 'string' && /^\d+$/.test(first))
  if (!isPort && first !== undefined && typeof first !== 'function') return null
  const host = typeof second === 'string' ? { host: second } : {}
  const backlog = typeof second === 'number' ? second : third
  return { port: isPort ? Number(first) : 0, ...host, ...(typeof backlog === 'number' ? { backlog } : {}) }
}

/** The arguments of a `connect`, where a call to localhost becomes one to the node's own address. */
function ownCall(args: readonly unknown[], isOwn: (host: unknown) => boolean, own: string): unknown[] {
  const [first, ...rest] = args
  if (typeof first === 'object' && first !== null) {
    const options = first as { path?: unknown; host?: unknown; port?: unknown }
    if (typeof options.path === 'string' && options.port === undefined) return [...args]
    if (options.port === undefined || !isOwn(options.host)) return [...args]
    return [{ ...first, host: own }, ...rest]
  }
  const isPort = typeof first === 'number' || (typeof first === 'string' && /^\d+$/.test(first))
  if (!isPort) return [...args]
  const [host, ...others] = rest
  if (typeof host !== 'string') return [first, own, ...rest]
  return [first, isOwn(host) ? own : host, ...others]
}

const given = process.env[PLACE]
if (given !== undefined) settle(JSON.parse(given) as Place)
