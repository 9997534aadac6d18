/**
 * A node: handlers by message type, replies, and requests to other nodes and services with time-outs and retries. What a
 * handler returns is the reply; what it throws is an error reply; if it returns nothing, there is no reply.
 */
import type { Body, Message } from '../protocol/envelope.ts'
import { keyValueStore, type KeyValueStore } from './key-value-store.ts'
import { MaelstromError } from './maelstrom-error.ts'

const TIMEOUT = 0
const NOT_SUPPORTED = 10
const CRASH = 13
const TIMEOUT_MS = 1000

type Fields = { readonly type: string; readonly [key: string]: unknown }

export type Handler = (message: Message) => Fields | void | Promise<Fields | void>

export interface RequestOptions {
  /** Milliseconds to wait for a reply; 1,000 by default. */
  readonly timeoutMs?: number
  /** How often to ask again after a time-out; never by default. Only for requests that may be carried out twice. */
  readonly retries?: number
}

export interface MaelstromNode {
  /** Empty before `init`. */
  readonly id: string
  /** All nodes of the cluster, this one too. */
  readonly ids: readonly string[]
  on(type: string, handler: Handler): void
  /** Called once, after `init` and before its answer. */
  onInit(call: () => void): void
  /** Sends a message and expects no reply. */
  send(dest: string, body: Fields): void
  /** Answers a request, for a handler that returned nothing and answers later. A message without `msg_id` gets no answer. */
  reply(request: Message, body: Fields): void
  /** Sends a request; resolves with its reply, throws a {@link MaelstromError}. */
  rpc(dest: string, body: Fields, options?: RequestOptions): Promise<Body>
  kv(service: 'lin-kv' | 'seq-kv' | 'lww-kv'): KeyValueStore
  /** The next timestamp of lin-tso: 0, 1, 2, … */
  timestamp(): Promise<number>
  /** Writes a line to stderr. */
  log(text: string): void
}

/** A node that listens on the stdin of the running process. */
export function createNode(): MaelstromNode {
  const node = new Node(globalThis.process, { setTimeout, clearTimeout })
  node.listen()
  return node
}

interface Timers {
  readonly setTimeout: typeof globalThis.setTimeout
  readonly clearTimeout: typeof globalThis.clearTimeout
}

class Node implements MaelstromNode {
  id = ''
  ids: readonly string[] = []
  readonly #process: NodeJS.Process
  readonly #timers: Timers
  readonly #handlers = new Map<string, Handler>()
  readonly #initialisers: (() => void)[] = []
  readonly #waiting = new Map<number, (reply: Body) => void>()
  #nextMessage = 1

  constructor(process: NodeJS.Process, timers: Timers) {
    this.#process = process
    this.#timers = timers
  }

  listen(): void {
    let rest = ''
    this.#process.stdin.setEncoding('utf8')
    this.#process.stdin.on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      for (const line of lines) if (line !== '') void this.#receive(JSON.parse(line) as Message)
    })
  }

  on(type: string, handler: Handler): void {
    this.#handlers.set(type, handler)
  }

  onInit(call: () => void): void {
    this.#initialisers.push(call)
  }

  send(dest: string, body: Fields): void {
    this.#process.stdout.write(`${JSON.stringify({ src: this.id, dest, body })}\n`)
  }

  reply({ src, body: { msg_id: id } }: Message, body: Fields): void {
    if (typeof id === 'number') this.send(src, { ...body, in_reply_to: id })
  }

  async rpc(
    dest: string,
    body: Fields,
    { timeoutMs = TIMEOUT_MS, retries = 0 }: RequestOptions = {},
  ): Promise<Body> {
    for (let attempt = 0; ; attempt++) {
      const reply = await this.#ask(dest, body, timeoutMs)
      if (reply !== null && reply.type !== 'error') return reply
      if (reply !== null)
        throw new MaelstromError(Number(reply.code), typeof reply.text === 'string' ? reply.text : '')
      if (attempt >= retries) throw new MaelstromError(TIMEOUT, `${dest} did not answer ${body.type}`)
    }
  }

  kv(service: 'lin-kv' | 'seq-kv' | 'lww-kv'): KeyValueStore {
    return keyValueStore((body) => this.rpc(service, body))
  }

  async timestamp(): Promise<number> {
    return (await this.rpc('lin-tso', { type: 'ts' })).ts as number
  }

  log(text: string): void {
    this.#process.stderr.write(`${text}\n`)
  }

  /** Null after a time-out. */
  #ask(dest: string, body: Fields, timeoutMs: number): Promise<Body | null> {
    const id = this.#nextMessage++
    return new Promise((resolve) => {
      const timer = this.#timers.setTimeout(() => {
        this.#waiting.delete(id)
        resolve(null)
      }, timeoutMs)
      this.#waiting.set(id, (reply) => {
        this.#timers.clearTimeout(timer)
        resolve(reply)
      })
      this.send(dest, { ...body, msg_id: id })
    })
  }

  async #receive(message: Message): Promise<void> {
    const { body } = message
    if (typeof body.in_reply_to === 'number') {
      this.#waiting.get(body.in_reply_to)?.(body)
      this.#waiting.delete(body.in_reply_to)
      return
    }
    const reply = await this.#answer(message)
    if (reply !== undefined) this.reply(message, reply)
  }

  async #answer(message: Message): Promise<Fields | void> {
    const { body } = message
    try {
      if (body.type === 'init') {
        this.id = body.node_id as string
        this.ids = body.node_ids as string[]
        for (const call of this.#initialisers) call()
      }
      const handler = this.#handlers.get(body.type)
      if (handler !== undefined) return await handler(message)
      if (body.type === 'init') return { type: 'init_ok' }
      return { type: 'error', code: NOT_SUPPORTED, text: `this node does not understand ${body.type}` }
    } catch (error) {
      if (error instanceof MaelstromError) return { type: 'error', code: error.code, text: error.message }
      this.log((error as Error).stack ?? String(error))
      return { type: 'error', code: CRASH, text: String(error) }
    }
  }
}
