/**
 * ZooKeeper's protocol, as much of it as the examples need: a session over one connection, with answers in the order of
 * the questions. Frames begin with their length; numbers are big-endian; texts and bytes begin with theirs.
 */
import { connect, type Socket } from 'node:net'

export const PORT = 2181
const ANSWER_MS = 2000
const SESSION_MS = 4000
const PING_MS = 1000

const CREATE = 1
const GET_DATA = 4
const SET_DATA = 5
const SYNC = 9
const PING = 11
const PING_XID = -2
const BAD_VERSION = -103
const ANY_VERSION = -1
/** Of the numbers that follow the data of a node, the version stands behind four of eight bytes each. */
const VERSION_AT = 32

/** The server has refused: nothing was done. */
export class Refusal extends Error {
  readonly code: number

  constructor(code: number) {
    super(code === BAD_VERSION ? 'another version' : `ZooKeeper says ${code}`)
    this.code = code
  }

  get isBadVersion(): boolean {
    return this.code === BAD_VERSION
  }
}

interface Waiting {
  readonly resolve: (answer: Buffer) => void
  readonly reject: (error: Error) => void
}

export class ZooKeeperClient {
  readonly #socket: Socket
  readonly #waiting: Waiting[] = []
  readonly #pings: NodeJS.Timeout
  #received = Buffer.alloc(0)
  #broken: Error | null = null
  #xid = 0
  /** The first answer has no header: it is that of the session. */
  #isOpen = false

  private constructor(host: string) {
    this.#socket = connect(PORT, host)
    this.#socket.setNoDelay(true)
    this.#socket.on('error', (error) => this.#end(error))
    this.#socket.on('close', () => this.#end(new Error('the connection is closed')))
    this.#socket.on('data', (bytes: Buffer) => this.#take(bytes))
    this.#pings = setInterval(() => {
      if (this.#isOpen) this.#frame(int(PING_XID), int(PING))
    }, PING_MS)
  }

  static async open(host: string): Promise<ZooKeeperClient> {
    const client = new ZooKeeperClient(host)
    const password = bytes(Buffer.alloc(16))
    client.#frame(int(0), long(), int(SESSION_MS), long(), password, Buffer.from([0]))
    await client.#answer()
    return client
  }

  get isBroken(): boolean {
    return this.#broken !== null
  }

  close(): void {
    this.#end(new Error('closed'))
  }

  async create(path: string, value: string): Promise<void> {
    const everything = [int(1), int(31), text('world'), text('anyone')]
    await this.#ask(CREATE, text(path), text(value), ...everything, int(0))
  }

  async get(path: string): Promise<{ readonly value: string; readonly version: number }> {
    const answer = await this.#ask(GET_DATA, text(path), Buffer.from([0]))
    const length = answer.readInt32BE(0)
    return {
      value: answer.toString('utf8', 4, 4 + length),
      version: answer.readInt32BE(4 + length + VERSION_AT),
    }
  }

  /** Refused if the node has another version by now. */
  async set(path: string, value: string, version = ANY_VERSION): Promise<void> {
    await this.#ask(SET_DATA, text(path), text(value), int(version))
  }

  /** The server catches up with the leader before it answers what is asked next. */
  async sync(path: string): Promise<void> {
    await this.#ask(SYNC, text(path))
  }

  #ask(type: number, ...parts: readonly Buffer[]): Promise<Buffer> {
    if (this.#broken !== null) return Promise.reject(this.#broken)
    this.#frame(int(++this.#xid), int(type), ...parts)
    return this.#answer()
  }

  #answer(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const late = new Error(`no answer within ${ANSWER_MS} ms`)
      const timer = setTimeout(() => this.#end(late), ANSWER_MS)
      const done =
        <T>(tell: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer)
          tell(value)
        }
      this.#waiting.push({ resolve: done(resolve), reject: done(reject) })
    })
  }

  #frame(...parts: readonly Buffer[]): void {
    this.#socket.write(bytes(Buffer.concat(parts)))
  }

  #end(error: Error): void {
    this.#broken ??= error
    clearInterval(this.#pings)
    this.#socket.destroy()
    for (const { reject } of this.#waiting.splice(0)) reject(this.#broken)
  }

  #take(more: Buffer): void {
    this.#received = Buffer.concat([this.#received, more])
    while (this.#received.length >= 4 && this.#received.length >= 4 + this.#received.readInt32BE(0)) {
      const end = 4 + this.#received.readInt32BE(0)
      const frame = this.#received.subarray(4, end)
      this.#received = this.#received.subarray(end)
      if (this.#isOpen) this.#reply(frame)
      else {
        this.#isOpen = true
        this.#waiting.shift()?.resolve(frame)
      }
    }
  }

  #reply(frame: Buffer): void {
    if (frame.readInt32BE(0) === PING_XID) return
    const waiting = this.#waiting.shift()
    const code = frame.readInt32BE(12)
    if (code === 0) waiting?.resolve(frame.subarray(16))
    else waiting?.reject(new Refusal(code))
  }
}

function int(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeInt32BE(value)
  return buffer
}

/** Zero, where a session begins. */
function long(): Buffer {
  return Buffer.alloc(8)
}

function bytes(value: Buffer): Buffer {
  return Buffer.concat([int(value.length), value])
}

function text(value: string): Buffer {
  return bytes(Buffer.from(value))
}
