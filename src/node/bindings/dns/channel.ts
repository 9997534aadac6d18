/**
 * c-ares' way of asking servers, over the simulated network: a datagram from a connected socket of its own, another try
 * when the time is up or the port was closed, each round over all servers waiting twice as long. Follows ares_process.c of
 * c-ares 1.34 as Node configures it (no EDNS, responses unchecked, no cache). Left out: TCP for truncated answers, the
 * jitter of later rounds, and time-outs learned from earlier answers.
 */
import { Buffer } from 'node:buffer'
import { floor, max, min } from '../../../kernel/arithmetic.ts'
import { KernelEvent } from '../../../kernel/event.ts'
import type { UdpSocket } from '../../../world/network/udp.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { answerOf, type Answer } from './answers.ts'
import { decodeResponse, encodeQuery, RECORD_TYPES, type RecordType } from './message.ts'

export interface Server {
  readonly address: string
  readonly port: number
}

export interface ChannelOptions {
  readonly servers: readonly Server[]
  /** Milliseconds of the first round; c-ares' own unless positive. */
  readonly timeoutMs: number
  readonly tries: number
  readonly localAddress4: string
  readonly localAddress6: string
}

const DEFAULT_TIMEOUT_MS = 2000
const DEFAULT_TRIES = 3
const LONGEST_TIMEOUT_MS = 5000

/** One query until its answer; `done` is called as a callback of the process's loop, unless it is cancelled before. */
export class ServerQuery {
  private readonly process: RunningProcess
  private readonly options: ChannelOptions
  private readonly name: string
  private readonly type: RecordType
  private readonly done: (answer: Answer) => void
  private readonly id: number
  private readonly deadline: KernelEvent
  private socket: UdpSocket | null = null
  private attempts = 0
  private over = false

  constructor(
    process: RunningProcess,
    options: ChannelOptions,
    name: string,
    type: RecordType,
    done: (answer: Answer) => void,
  ) {
    this.process = process
    this.options = options
    this.name = name
    this.type = type
    this.done = done
    this.id = process.entropy.uint32() & 0xffff
    this.deadline = new KernelEvent('dns-timeout', process.actor, () =>
      process.loop.receive(() => this.failed('ETIMEOUT')),
    )
    this.send('ETIMEOUT')
  }

  cancel(): void {
    this.over = true
    this.release()
  }

  private send(lastError: string): void {
    const { options, process } = this
    const { servers } = options
    const tries = (options.tries > 0 ? options.tries : DEFAULT_TRIES) * servers.length
    // RFC 7686: such names are not for servers.
    if (/(^|\.)onion\.?$/i.test(this.name)) return this.finish(['ENOTFOUND'])
    // Node does not know the error that c-ares calls ENOSERVER.
    if (servers.length === 0) return this.finish(['UNKNOWN_ARES_ERROR'])
    if (this.attempts >= tries) return this.finish([lastError])
    const query = encodeQuery(this.id, this.name, this.type)
    if (query === null) return this.finish(['EBADNAME'])
    const server = servers[this.attempts % servers.length]
    const round = floor(this.attempts / servers.length)
    this.attempts++
    const { net } = process.placement.host
    const address = server.address.includes(':') ? options.localAddress6 : options.localAddress4
    const socket = net.bindUdp(process.actor, { address, port: 0 })
    if (typeof socket === 'string') return this.failed('ECONNREFUSED')
    this.socket = socket
    socket.onmessage = (bytes) => this.received(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    socket.onerror = () => this.failed('ECONNREFUSED')
    socket.recvStart()
    if (socket.connect(server.address, server.port) !== null || socket.send([query], null) !== null)
      return this.failed('ECONNREFUSED')
    const first = options.timeoutMs > 0 ? options.timeoutMs : DEFAULT_TIMEOUT_MS
    const waitMs = max(first, min(first * 2 ** round, LONGEST_TIMEOUT_MS))
    process.kernel.arm(this.deadline, process.kernel.now + waitMs * 1000)
  }

  private received(bytes: Buffer): void {
    if (this.over) return
    const response = decodeResponse(bytes)
    // A message that does not answer this question is not for us.
    if (response === null || response.id !== this.id) return
    const { question } = response
    if (question.type !== RECORD_TYPES[this.type] || !sameName(question.name, this.name)) return
    this.finish(answerOf(response, this.type))
  }

  private failed(error: string): void {
    if (this.over) return
    this.release()
    this.send(error)
  }

  private finish(answer: Answer): void {
    this.over = true
    this.release()
    // Node reports the answer of c-ares from an immediate of its own, never from inside the call.
    this.process.loop.receive(() => this.done(answer))
  }

  private release(): void {
    this.process.kernel.cancel(this.deadline)
    this.socket?.close()
    this.socket = null
  }
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase().replace(/\.$/, '') === b.toLowerCase().replace(/\.$/, '')
}
