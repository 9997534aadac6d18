/** The rules of a packet network in a kernel: what they count when packets meet them, and when they are in a wrong place. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LinkWeather } from '../../proxy/link.ts'
import { missingFor } from '../../doctor/backends.ts'
import { PacketNetwork } from './packet-network.ts'

const REFUSAL =
  process.platform === 'linux' ? missingFor('namespaces', process.env.PATH ?? '') : 'this is not Linux'
if (REFUSAL !== null) console.warn(`SKIPPED: rules of a packet filter in a kernel: ${REFUSAL}`)

const ADDRESSES: Readonly<Record<string, string>> = { a: '127.0.0.1', b: '127.0.0.2' }

/** Twenty datagrams from a to b, more than a slow link lets through at once. */
const SENDER = `for i in $(seq 20); do printf %4000s > /dev/udp/127.0.0.2/9; done 2>/dev/null; true`

/** A connection from a to b, in one process. */
const PEERS = `
const { createServer, connect } = require('node:net')
const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.2', () => {
  const client = connect({ port: server.address().port, host: '127.0.0.2', localAddress: '127.0.0.1' })
  client.on('connect', () => console.log('connected'))
  client.on('error', (error) => { console.log(error.code); process.exit() })
})
`

describe.skipIf(REFUSAL !== null)('rules in a kernel', () => {
  let holder: ChildProcess
  const inside = (command: readonly string[], input = ''): string => {
    const words = ['-t', String(holder.pid), '-n', '--', ...command]
    const { status, stdout, stderr } = spawnSync('nsenter', words, { input, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
    return stdout
  }

  beforeAll(async () => {
    // The namespace has no name: it goes with this process. It is there when the process has become `sleep`.
    holder = spawn('unshare', ['--net', 'sh', '-c', 'echo there; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await new Promise((resolve) => holder.stdout!.once('data', resolve))
    inside(['ip', 'link', 'set', 'lo', 'up'])
  })
  afterAll(() => holder.kill('SIGKILL'))

  function networkOf(change: (script: string) => string) {
    const network = new PacketNetwork({
      table: 'test',
      address: (name) => ADDRESSES[name],
      sparedPort: () => 0,
      command: (_, command, input) => inside(command, command[0] === 'nft' ? change(input) : input),
    })
    const link = network.link('a', 'b')
    return { network, link, reset: () => link.reset() }
  }

  /** What is counted on the link from a to b under some weather, with rules as they are after `change`. */
  function counted(weather: Partial<LinkWeather>, change: (script: string) => string = (same) => same) {
    const { network, link } = networkOf(change)
    network.change([link], weather)
    inside(['bash', '-c', SENDER])
    network.heal()
    network.end()
    const { held, lost, throttled } = link.counts
    return { held, lost, throttled }
  }

  it('count every packet of a cut link, a share of those of a lossy one, and those above a rate', () => {
    expect(counted({ cut: true })).toEqual({ held: 20, lost: 0, throttled: 0 })
    // 20 packets, each lost by 1 in 2: none in one run of a million.
    expect(counted({ loss: 0.5 }).lost).toBeGreaterThan(0)
    expect(counted({ rateBytesPerS: 5000 }).throttled).toBeGreaterThan(0)
  })

  const nothing = { held: 0, lost: 0, throttled: 0 }
  it.each([
    [
      'in a chain that these packets do not pass',
      (script: string) => script.replace('hook input', 'hook forward'),
    ],
    ['about another node', (script: string) => script.replaceAll('saddr 127.0.0.1', 'saddr 127.0.0.3')],
  ])('count nothing %s, so the fault has not landed', (_, change) => {
    for (const weather of [{ cut: true }, { loss: 0.9 }, { rateBytesPerS: 5000 }])
      expect(counted(weather, change)).toEqual(nothing)
  })

  it('break connections that are there, and say so of no others', async () => {
    const { reset } = networkOf((same) => same)
    expect(reset()).toBe(0)
    const peers = spawn('nsenter', ['-t', String(holder.pid), '-n', '--', process.execPath, '-e', PEERS])
    const said: string[] = []
    const lines = peers.stdout.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>
    const next = async (): Promise<void> => void said.push(String((await lines.next()).value).trim())
    await next()
    expect(reset()).toBeGreaterThan(0)
    await next()
    expect(said).toEqual(['connected', expect.stringMatching(/^ECONN(RESET|ABORTED)$/)])
  })
})
