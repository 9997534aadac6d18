/**
 * PostgreSQL's protocol, as much of it as the examples need: the simple query protocol over one connection, with trust
 * authentication. A query rejects with the server's error and its SQLSTATE, or because the connection broke.
 */
import { connect, type Socket } from 'node:net'

export class SqlError extends Error {
  readonly state: string

  constructor(message: string, state: string) {
    super(`${state}: ${message}`)
    this.state = state
  }
}

type Row = readonly (string | null)[]

interface Waiting {
  readonly resolve: (rows: readonly Row[]) => void
  readonly reject: (error: Error) => void
}

export class PostgresClient {
  readonly #socket: Socket
  readonly #waiting: Waiting[] = []
  #bytes = Buffer.alloc(0)
  #rows: Row[] = []
  #error: Error | null = null
  #broken: Error | null = null

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => this.#take(bytes))
    socket.on('error', (error) => this.#end(error))
    socket.on('close', () => this.#end(new Error('the connection is closed')))
  }

  static async open(host: string, port = 5432): Promise<PostgresClient> {
    const client = new PostgresClient(connect(port, host))
    const settings = Buffer.from('\0\x03\0\0user\0postgres\0database\0postgres\0\0', 'latin1')
    const head = Buffer.alloc(4)
    head.writeInt32BE(settings.length + 4)
    await client.#send(Buffer.concat([head, settings]))
    return client
  }

  query(sql: string): Promise<readonly Row[]> {
    const text = Buffer.from(`${sql}\0`)
    const head = Buffer.alloc(5)
    head.write('Q')
    head.writeInt32BE(text.length + 4, 1)
    return this.#send(Buffer.concat([head, text]))
  }

  close(): void {
    this.#socket.destroy()
  }

  #send(bytes: Buffer): Promise<readonly Row[]> {
    if (this.#broken !== null) return Promise.reject(this.#broken)
    this.#socket.write(bytes)
    return new Promise((resolve, reject) => void this.#waiting.push({ resolve, reject }))
  }

  #end(error: Error): void {
    this.#broken ??= this.#error ?? error // what the server said before it hung up
    for (const { reject } of this.#waiting.splice(0)) reject(this.#broken)
  }

  #take(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes])
    while (this.#bytes.length >= 5 && this.#bytes.length > this.#bytes.readInt32BE(1)) {
      const end = this.#bytes.readInt32BE(1) + 1
      this.#message(String.fromCharCode(this.#bytes[0]), this.#bytes.subarray(5, end))
      this.#bytes = this.#bytes.subarray(end)
    }
  }

  #message(type: string, body: Buffer): void {
    if (type === 'D') this.#rows.push(rowOf(body))
    else if (type === 'E') this.#error = errorOf(body)
    else if (type === 'Z') {
      const waiting = this.#waiting.shift()
      if (this.#error === null) waiting?.resolve(this.#rows)
      else waiting?.reject(this.#error)
      this.#rows = []
      this.#error = null
    }
  }
}

function rowOf(body: Buffer): Row {
  const values: (string | null)[] = []
  let at = 2
  for (let column = 0; column < body.readInt16BE(0); column++) {
    const length = body.readInt32BE(at)
    at += 4
    values.push(length < 0 ? null : body.toString('utf8', at, at + length))
    at += Math.max(0, length)
  }
  return values
}

/** Fields are a letter and a text each: `C` is the SQLSTATE, `M` the message. */
function errorOf(body: Buffer): SqlError {
  const fields = body.toString('utf8').split('\0')
  const field = (letter: string): string => fields.find((each) => each.startsWith(letter))?.slice(1) ?? ''
  return new SqlError(field('M'), field('C'))
}
