// @ts-check
/**
 * TCP between servers. Each server opens one connection to every other and only sends on it; what it receives comes on
 * the connections that the others opened. A frame is a length of 4 bytes and JSON. The first frame says who speaks, for
 * which cluster, in which version, and where to answer: a server may not know the address of a leader that became a
 * member after its own log ends. A server that does not agree says why and hangs up.
 *
 * Raft needs no delivery: while there is no connection, or one is full, messages are dropped. A connection that may be
 * dead (nothing was heard from the other side for a while) is opened anew, because TCP alone would wait for minutes.
 *
 * @import { Message } from './types.ts'
 * @typedef {{ cluster: string, id: string, address: string }} Self
 * @typedef {{ id: string, address: string }} Hello
 */
import { connect, createServer } from 'node:net'

export const PROTOCOL = 1
const MAX_FRAME_BYTES = 16 * 1024 * 1024
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024
/** Between two attempts to connect. */
const PAUSE_MS = 50

export class Peers {
  #self
  #silenceMs
  #receive
  #log
  /** @type {Map<string, Outgoing>} */
  #outgoing = new Map()
  /** @type {Set<import('node:net').Socket>} */
  #incoming = new Set()
  #server

  /**
   * @param {object} given
   * @param {Self} given.self
   * @param {number} given.silenceMs how long a peer may be silent before its connection is opened anew
   * @param {(from: string, message: Message, address: string) => void} given.receive `address`: where to answer
   * @param {(text: string) => void} given.log
   */
  constructor({ self, silenceMs, receive, log }) {
    this.#self = self
    this.#silenceMs = silenceMs
    this.#receive = receive
    this.#log = log
    this.#server = createServer((socket) => this.#accept(socket))
  }

  /** @param {number} port @returns {Promise<void>} */
  listen(port) {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, resolve)
    })
  }

  /** @param {string} id @param {string} address @param {Message} message */
  send(id, address, message) {
    let outgoing = this.#outgoing.get(id)
    if (outgoing?.address !== address) {
      outgoing?.close()
      outgoing = new Outgoing(address, this.#self, this.#silenceMs, this.#log)
      this.#outgoing.set(id, outgoing)
    }
    outgoing.send(message)
  }

  close() {
    this.#server.close()
    for (const outgoing of this.#outgoing.values()) outgoing.close()
    for (const socket of this.#incoming) socket.destroy()
  }

  /** @param {import('node:net').Socket} socket */
  #accept(socket) {
    this.#incoming.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => this.#incoming.delete(socket))
    /** @type {Hello | null} */
    let peer = null
    readFrames(socket, (frame) => {
      if (peer !== null) {
        this.#outgoing.get(peer.id)?.heard()
        this.#receive(peer.id, frame, peer.address)
        return
      }
      const problem = this.#objection(frame)
      if (problem === null) peer = frame
      else {
        this.#log(`refused a connection from ${socket.remoteAddress}: ${problem}`)
        socket.end(encode({ refused: problem }))
      }
    })
  }

  /** @param {any} hello */
  #objection(hello) {
    if (hello?.protocol !== PROTOCOL) return `protocol ${hello?.protocol}, not ${PROTOCOL}`
    if (hello.cluster !== this.#self.cluster) return `cluster '${hello.cluster}', not '${this.#self.cluster}'`
    if (hello.to !== this.#self.address) return `meant for ${hello.to}, not for ${this.#self.address}`
    return [hello.id, hello.address].every((part) => typeof part === 'string' && part !== '')
      ? null
      : 'no id or address'
  }
}

class Outgoing {
  address
  #self
  #silenceMs
  #log
  /** @type {import('node:net').Socket | null} */
  #socket = null
  #openedMs = -Infinity
  #heardMs = -Infinity
  #closed = false

  /** @param {string} address @param {Self} self @param {number} silenceMs @param {(text: string) => void} log */
  constructor(address, self, silenceMs, log) {
    this.address = address
    this.#self = self
    this.#silenceMs = silenceMs
    this.#log = log
  }

  heard() {
    this.#heardMs = performance.now()
  }

  /** @param {Message} message */
  send(message) {
    const now = performance.now()
    const sinceOpenedMs = now - this.#openedMs
    if (
      this.#socket === null
        ? sinceOpenedMs > PAUSE_MS
        : Math.min(sinceOpenedMs, now - this.#heardMs) > this.#silenceMs
    )
      this.#open(now)
    const socket = this.#socket
    if (socket?.writable === true && socket.writableLength < MAX_BUFFERED_BYTES) socket.write(encode(message))
  }

  close() {
    this.#closed = true
    this.#socket?.destroy()
  }

  /** @param {number} now */
  #open(now) {
    if (this.#closed) return
    this.#socket?.destroy()
    this.#openedMs = now
    const [host, port] = splitAddress(this.address)
    const socket = connect({ host, port, noDelay: true })
    this.#socket = socket
    socket.on('error', () => {})
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = null // the next message opens another one
    })
    readFrames(socket, ({ refused }) => this.#log(`${this.address} refuses this server: ${refused}`))
    const { cluster, id, address } = this.#self
    socket.write(encode({ protocol: PROTOCOL, cluster, id, address, to: this.address }))
  }
}

/** @param {unknown} value */
function encode(value) {
  const json = JSON.stringify(value)
  const length = Buffer.byteLength(json)
  const frame = Buffer.allocUnsafe(4 + length)
  frame.writeUInt32BE(length)
  frame.write(json, 4)
  return frame
}

/** Takes frames out of a stream of bytes. @returns {(bytes: Uint8Array) => any[]} */
export function frameDecoder() {
  /** What came of the next frame. @type {Buffer} */
  let rest = Buffer.alloc(0)
  return (bytes) => {
    // Most often a frame comes as one piece, and nothing needs to be copied.
    if (rest.length > 0) rest = Buffer.concat([rest, bytes])
    else rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const frames = []
    while (rest.length >= 4) {
      const length = rest.readUInt32BE()
      if (length > MAX_FRAME_BYTES) throw new Error(`a frame of ${length} bytes`)
      if (rest.length < 4 + length) break
      frames.push(JSON.parse(rest.toString('utf8', 4, 4 + length)))
      rest = rest.subarray(4 + length)
    }
    return frames
  }
}

/** Calls back for every frame; a stream that is not made of frames is cut. @param {import('node:net').Socket} socket @param {(frame: any) => void} take */
function readFrames(socket, take) {
  const decode = frameDecoder()
  socket.on('data', (/** @type {Buffer} */ bytes) => {
    let frames
    try {
      frames = decode(bytes)
    } catch {
      socket.destroy()
      return
    }
    for (const frame of frames) take(frame)
  })
}

/** @param {string} address @returns {[host: string, port: number]} */
export function splitAddress(address) {
  const colon = address.lastIndexOf(':')
  return [address.slice(0, colon), Number(address.slice(colon + 1))]
}
