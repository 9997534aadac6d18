import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { SocketOwners } from './socket-owner.ts'

const IS_LINUX = process.platform === 'linux'
if (!IS_LINUX) console.warn('SKIPPED: /proc says who opened a connection, and only Linux has it')

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** Connections of this process to itself, as the one that accepts sees them. */
async function connections(count: number): Promise<Socket[]> {
  const accepted: Socket[] = []
  const server = createServer((socket) => accepted.push(socket)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  ends.push(() => server.close())
  for (let each = 0; each < count; each++) {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    ends.push(() => socket.destroy())
  }
  while (accepted.length < count) await new Promise((resolve) => setTimeout(resolve, 5))
  return accepted
}

function ask(owners: SocketOwners, socket: Socket): Promise<string | null> {
  const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = socket
  return owners.of({ address: remoteAddress, port: remotePort }, { address: localAddress, port: localPort })
}

describe.skipIf(!IS_LINUX)('who opened a connection', () => {
  it('is the process that holds the socket, also for connections that share a look', async () => {
    let looks = 0
    let nowMs = 0
    const leaders = (): Map<number, string> => {
      looks++
      nowMs += 10 // how long a look takes
      return new Map([[process.pid, 'n1']])
    }
    const owners = new SocketOwners(leaders, () => nowMs)
    const asked = (await connections(20)).map((socket) => ask(owners, socket))
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 20 }, () => 'n1'))
    expect(looks).toBe(2) // the first at once, the rest together
  })

  it('is not known where no process of the run holds the socket', async () => {
    const [socket] = await connections(1)
    expect(await ask(new SocketOwners(() => new Map([[process.ppid, 'n1']])), socket)).toBeNull()
    expect(await ask(new SocketOwners(() => new Map()), socket)).toBeNull()
  })
})
