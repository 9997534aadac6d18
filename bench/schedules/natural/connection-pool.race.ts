/** A pool of TCP connections: a waiter that gives up while a connection is tested for it takes the connection along. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { RaceContext } from 'wavetank/explore'
import { race } from 'wavetank/vitest'

interface Waiter {
  readonly take: (socket: Socket) => void
  gone: boolean
}

class Pool {
  private readonly idle: Socket[] = []
  private readonly waiting: Waiter[] = []
  private readonly mended: boolean

  constructor(first: Socket, mended: boolean) {
    this.idle.push(first)
    this.mended = mended
  }

  acquire(timeoutMs: number): Promise<Socket> {
    const socket = this.idle.pop()
    if (socket !== undefined) return Promise.resolve(socket)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiter.gone = true
        const at = this.waiting.indexOf(waiter)
        if (at >= 0) this.waiting.splice(at, 1)
        reject(new Error('no connection in time'))
      }, timeoutMs)
      const waiter: Waiter = {
        gone: false,
        take: (taken) => {
          clearTimeout(timer)
          resolve(taken)
        },
      }
      this.waiting.push(waiter)
    })
  }

  async release(socket: Socket): Promise<void> {
    const waiter = this.waiting.shift()
    if (waiter === undefined) {
      this.idle.push(socket)
      return
    }
    await ping(socket)
    if (this.mended && waiter.gone) return this.release(socket)
    waiter.take(socket)
  }
}

async function ping(socket: Socket): Promise<void> {
  socket.write('ping')
  await once(socket, 'data')
}

async function run(t: RaceContext, mended: boolean): Promise<void> {
  const server = createServer((socket) => socket.pipe(socket)).listen(0)
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port)
  await once(socket, 'connect')
  const pool = new Pool(socket, mended)
  const use = async (timeoutMs: number): Promise<void> => {
    const taken = await pool.acquire(timeoutMs).catch(() => null)
    if (taken === null) return
    await ping(taken)
    await pool.release(taken)
  }
  await Promise.all(['a', 'b', 'c'].map((name) => t.task(name, () => use(100))))
  t.assert((await pool.acquire(5_000).catch(() => null)) !== null, 'the connection is lost')
}

race('broken', (t) => run(t, false))
race('mended', (t) => run(t, true))
