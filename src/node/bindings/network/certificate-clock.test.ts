/** Certificates of the tests hold from 2030 to 2040, which the real clock is not in. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { NodeThread } from '../../isolation/thread.ts'
import { NodeProgram } from '../../process/program.ts'
import { World } from '../../../world/world.ts'

const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8')
const CERTIFICATES = { key: fixture('key.pem'), cert: fixture('chain.pem'), ca: fixture('ca.pem') }

/** What a client makes of a server's certificate when the clock of its host shows a date. */
async function handshake(date: string, options: { ca?: string; jumpYears?: number } = {}): Promise<string> {
  const { key, cert } = CERTIFICATES
  const { ca = CERTIFICATES.ca, jumpYears = 0 } = options
  let said = ''
  const world = new World({ seed: 1 })
  const host = world.addHost('main', { epochMs: Date.parse(date) })
  const program = new NodeProgram({
    entry: ({ process, require }) => {
      const tls = require('node:tls')
      const server = tls.createServer({ key, cert }, (socket: any) =>
        socket.on('error', () => {}).end('hello'),
      )
      server.on('tlsClientError', () => {})
      server.listen(443, () => {
        const client = tls.connect({ port: 443, ca, servername: 'localhost' })
        const say = (text: string): void => {
          process.stdout.write(text)
          server.close()
          client.destroy()
        }
        client.on('error', ({ code }: { code: string }) => say(code))
        client.on('secureConnect', () => say(`authorized ${client.authorized}`))
      })
    },
    onOutput: ({ bytes }) => void (said += Buffer.from(bytes).toString()),
  })
  const process = world.addProcess('main', host, program)
  if (jumpYears > 0) host.clock.jump(jumpYears * 365 * 86_400_000_000)
  process.start()
  process.onExit(() => world.kernel.stop())
  await NodeThread.get().run(world.kernel, 100_000)
  return said
}

describe('a certificate is judged by the clock of the host', () => {
  it('holds between its dates, whatever the real clock shows', async () => {
    expect(await handshake('2035-01-01T00:00:00Z')).toBe('authorized true')
  })

  it('does not hold before and after', async () => {
    expect(await handshake('2029-12-31T23:59:00Z')).toBe('CERT_NOT_YET_VALID')
    expect(await handshake('2040-01-01T00:00:00Z')).toBe('CERT_HAS_EXPIRED')
  })

  it('ends when a clock fault moves the clock past its end', async () => {
    expect(await handshake('2035-01-01T00:00:00Z', { jumpYears: 6 })).toBe('CERT_HAS_EXPIRED')
  })

  it('is not trusted for its dates: the context has to know its issuer', async () => {
    expect(await handshake('2035-01-01T00:00:00Z', { ca: fixture('other-ca.pem') })).toBe(
      'SELF_SIGNED_CERT_IN_CHAIN',
    )
  })
})
