/** As much of a debugger's front end as a test needs: Chrome's protocol over a WebSocket client of a few lines. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

interface Incoming {
  readonly id?: number
  readonly method?: string
  readonly params?: any
  readonly result?: any
}

export class InspectorClient {
  private readonly socket: Socket
  private readonly inbox: Incoming[] = []
  private received = Buffer.alloc(0)
  private nextId = 1
  private wake: () => void = () => {}

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (bytes) => {
      this.received = Buffer.concat([this.received, bytes])
      this.takeFrames()
    })
    socket.on('error', () => {})
    socket.on('close', () => this.wake())
  }

  /** Connects to the address that Node prints. */
  static async connect(url: string): Promise<InspectorClient> {
    const upgrade = request(url.replace('ws:', 'http:'), {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
      },
    }).end()
    const [, socket] = (await once(upgrade, 'upgrade')) as [IncomingMessage, Socket]
    return new InspectorClient(socket)
  }

  async call(method: string, params: object = {}): Promise<any> {
    const id = this.nextId++
    this.send(JSON.stringify({ id, method, params }))
    return (await this.take((message) => message.id === id)).result
  }

  async event(method: string): Promise<any> {
    return (await this.take((message) => message.method === method)).params
  }

  close(): void {
    this.socket.destroy()
  }

  private async take(wanted: (message: Incoming) => boolean): Promise<Incoming> {
    for (;;) {
      const index = this.inbox.findIndex(wanted)
      if (index >= 0) return this.inbox.splice(index, 1)[0]
      if (this.socket.destroyed) throw new Error('the process that is debugged has left')
      await new Promise<void>((resolve) => (this.wake = resolve))
    }
  }

  /** One masked text frame. */
  private send(text: string): void {
    const payload = Buffer.from(text)
    const mask = randomBytes(4)
    const length =
      payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 255]
    this.socket.write(
      Buffer.concat([Buffer.from([0x81, ...length]), mask, payload.map((byte, i) => byte ^ mask[i % 4])]),
    )
  }

  private takeFrames(): void {
    for (;;) {
      if (this.received.length < 2) return
      let length = this.received[1] & 127
      let start = 2
      if (length === 126)
        [length, start] = [this.received.length < 4 ? Infinity : this.received.readUInt16BE(2), 4]
      else if (length === 127)
        [length, start] = [
          this.received.length < 10 ? Infinity : Number(this.received.readBigUInt64BE(2)),
          10,
        ]
      if (this.received.length < start + length) return
      this.inbox.push(JSON.parse(this.received.subarray(start, start + length).toString()) as Incoming)
      this.received = this.received.subarray(start + length)
      this.wake()
    }
  }
}
