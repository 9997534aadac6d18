/** A reader that takes pieces for messages is right as long as messages arrive in one piece. */
import { afterAll, describe, expect, it } from 'vitest'
import { explore } from '../../src/host/explore.ts'
import { RaceProject } from './race-project.ts'

const RACES = `import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { race } from 'wavetank/vitest'

/** What a server has heard of two clients. */
async function heard(listen: (say: (message: string) => void) => (piece: string) => void): Promise<string[]> {
  const messages: string[] = []
  const server = createServer((socket) => {
    socket.setEncoding('utf8').on('data', listen((message) => messages.push(message)))
    socket.on('end', () => socket.end())
  })
  await once(server.listen(), 'listening')
  const { port } = server.address() as AddressInfo
  // Not by name: Node forgets that a socket was ended when it turns from one address of a name to the next.
  await Promise.all(['hello', 'world'].map((text) => once(connect(port, '127.0.0.1').resume().end(text + ';'), 'close')))
  return messages.toSorted()
}

race('pieces', async (t) => {
  const messages = await heard((say) => (piece) => say(piece.replace(';', '')))
  t.assert(messages.join() === 'hello,world', 'heard ' + messages.join())
})

race('messages', async (t) => {
  const messages = await heard((say) => {
    let rest = ''
    return (piece) => {
      const whole = (rest + piece).split(';')
      rest = whole.pop()!
      whole.forEach(say)
    }
  })
  t.assert(messages.join() === 'hello,world', 'heard ' + messages.join())
})
`

const project = new RaceProject({ 'pieces.race.ts': RACES })
afterAll(() => project.remove())

describe('what one write sends', () => {
  it.each(['pieces', 'messages'])('arrives in one piece unless that is asked for: %s', async (title) => {
    await expect(project.hold('pieces.race.ts', title, {})).resolves.toMatchObject({ iterations: 200 })
  })

  it('may arrive in two pieces, which breaks who takes them for messages, and no other reader', async () => {
    const options = { splitWrites: true }
    const trace = await project.record('pieces.race.ts', 'pieces', options)
    const replayed = await project.command('replay', trace)
    expect(replayed.stdout + replayed.stderr).toContain('heard ')
    expect(replayed.code).toBe(1)
    const { choices } = JSON.parse(project.read(trace)).config.finding
    expect(choices).toContainEqual(expect.objectContaining({ label: 'segment' }))
    await expect(project.hold('pieces.race.ts', 'messages', options)).resolves.toMatchObject({
      iterations: 200,
    })
  })

  it('is no option for a closure', async () => {
    await expect(explore(() => {}, { splitWrites: true })).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_WAVETANK_SPLIT_WRITES' }),
    )
  })
})
