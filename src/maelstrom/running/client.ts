/**
 * A client of the cluster: it sends a request to one node and waits for the reply, one request at a time. A reply to
 * anything else is dropped: it came after the time-out. A second reply to one request is a fault of the node.
 */
import type { Machine } from '../machine.ts'
import type { Network } from '../network/network.ts'
import { errorCode } from '../protocol/error-codes.ts'
import { printMessage, type Body, type Message } from '../protocol/envelope.ts'
import { explainReply, replyFault } from '../protocol/reply-schema.ts'
import type { Rpcs } from '../protocol/rpcs.ts'
import type { Answers } from './answers.ts'
import type { NodeFaults } from './node-fault.ts'

/** An error that a node answered, or a time-out. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  /** True: the operation did not happen and never will. */
  readonly definite: boolean
  /** As it stands in the history. */
  readonly value: unknown
  constructor(value: unknown, definite: boolean) {
    super(printMessage(value))
    this.value = value
    this.definite = definite
  }
}

export interface ClientSettings {
  readonly id: string
  readonly machine: Machine
  readonly network: Network
  readonly faults: NodeFaults
  readonly rpcs: Rpcs
  readonly answers: Answers
}

/** Answered requests that a second reply is recognised for. */
const REMEMBERED = 64

interface Waiting {
  readonly node: string
  readonly request: Body
  readonly cancel: () => void
  resolve(reply: Body): void
  reject(error: Error): void
}

export class Client {
  readonly id: string
  readonly #settings: ClientSettings
  #nextMessage = 1
  #waiting: Waiting | null = null
  readonly #answered = new Map<number | bigint, string>()

  constructor(settings: ClientSettings) {
    this.id = settings.id
    this.#settings = settings
    settings.network.attach(this.id, (message) => this.#receive(message))
  }

  rpc(
    node: string,
    fields: { readonly type: string; readonly [key: string]: unknown },
    timeoutMs: number,
  ): Promise<Body> {
    const { machine, network } = this.#settings
    const request: Body = { ...fields, msg_id: this.#nextMessage++ }
    const sentUs = machine.nowUs()
    return new Promise((resolve, reject) => {
      const cancel = machine.after(timeoutMs, () => {
        this.#waiting = null
        this.#settings.answers.timedOut(node, sentUs)
        reject(new RpcError('net-timeout', false))
      })
      this.#waiting = { node, request, cancel, resolve, reject }
      network.send({ src: this.id, dest: node, body: request })
    })
  }

  /** Waits for nothing any more: a reply that was waited for never comes. */
  close(): void {
    this.#waiting?.cancel()
    this.#waiting = null
  }

  #receive({ src, body }: Message): void {
    const waiting = this.#waiting
    const replyTo = body.in_reply_to ?? undefined
    if (replyTo !== undefined) this.#settings.answers.answered(src)
    if (waiting === null || replyTo !== waiting.request.msg_id) {
      if (replyTo !== undefined && this.#answered.get(replyTo) === src)
        this.#settings.faults.add(
          'second-reply',
          src,
          `answered request ${replyTo} of ${this.id} a second time: ${printMessage(body)}`,
        )
      return
    }
    this.#waiting = null
    waiting.cancel()
    this.#settings.answers.answered(waiting.node) // which may not be the one that answers
    this.#answered.set(replyTo!, src)
    this.#answered.delete(Number(replyTo) - REMEMBERED)
    this.#conclude(waiting, body)
  }

  #conclude({ node, request, resolve, reject }: Waiting, reply: Body): void {
    if (reply.type === 'error') {
      const { name, definite } = errorCode(reply.code as number)
      return reject(new RpcError([name, reply.text ?? null], definite))
    }
    const schema = this.#settings.rpcs[request.type]
    const reason = replyFault(schema, reply)
    if (reason === null) return resolve(reply)
    const text = explainReply(request, schema, reply, reason)
    this.#settings.faults.add('malformed-reply', node, text)
    reject(new RpcError(['malformed-rpc-response', reason], false))
  }
}
