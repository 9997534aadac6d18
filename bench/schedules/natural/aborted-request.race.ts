/** Requests share a connection and are told apart by small numbers; an abort gives its number to the next request. */
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { RaceContext } from 'wavetank/explore'
import { race } from 'wavetank/vitest'

class Client {
  private readonly pending = new Map<number, (answer: string) => void>()
  private readonly free: number[] = []
  private next = 0
  private readonly socket: Socket
  private readonly mended: boolean

  constructor(socket: Socket, mended: boolean) {
    this.socket = socket
    this.mended = mended
    createInterface(socket).on('line', (line) => {
      const [id, answer] = line.split(' ')
      this.pending.get(Number(id))?.(answer)
      this.forget(Number(id))
    })
  }

  request(text: string, signal: AbortSignal): Promise<string> {
    const id = this.free.pop() ?? this.next++
    this.socket.write(`${id} ${text}\n`)
    return new Promise((resolve, reject) => {
      this.pending.set(id, resolve)
      signal.addEventListener('abort', () => {
        if (this.pending.get(id) !== resolve) return
        if (this.mended) this.pending.set(id, () => {})
        else this.forget(id)
        reject(new Error('aborted'))
      })
    })
  }

  private forget(id: number): void {
    if (this.pending.delete(id)) this.free.push(id)
  }
}

async function run(t: RaceContext, mended: boolean): Promise<void> {
  await writeFile('/tmp/page', '')
  const server = createServer((socket) => {
    createInterface(socket).on('line', async (line) => {
      await readFile('/tmp/page')
      socket.write(`${line}\n`)
    })
  }).listen(0)
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port)
  const client = new Client(socket, mended)
  const ask = async (name: string): Promise<void> => {
    for (const n of [1, 2]) {
      const answer = await client.request(`${name}${n}`, AbortSignal.timeout(600)).catch(() => null)
      t.assert(answer === null || answer === `${name}${n}`, `${name}${n} was answered with ${answer}`)
    }
  }
  await Promise.all([t.task('a', () => ask('a')), t.task('b', () => ask('b'))])
}

race('broken', (t) => run(t, false))
race('mended', (t) => run(t, true))
