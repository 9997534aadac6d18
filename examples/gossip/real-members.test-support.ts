/** Members as plain Node processes on loopback ports. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('node.js', import.meta.url))

export class RealMembers {
  readonly ids: readonly string[]
  private readonly ports: readonly number[]
  private readonly running = new Map<string, ChildProcess>()
  private readonly errors = new Map<string, string>()

  private constructor(ids: readonly string[], ports: readonly number[]) {
    this.ids = ids
    this.ports = ports
  }

  static async start(count: number): Promise<RealMembers> {
    const ids = Array.from({ length: count }, (_, index) => `m${index + 1}`)
    const members = new RealMembers(ids, await freePorts(2 * count))
    await Promise.all(ids.map((id) => members.start(id)))
    return members
  }

  port(id: string): number {
    return this.ports[2 * this.ids.indexOf(id)]
  }

  url(id: string): string {
    return `http://127.0.0.1:${this.ports[2 * this.ids.indexOf(id) + 1]}`
  }

  /** Resolves when the member has printed something, or has ended; with its exit code then. */
  start(id: string, more: readonly string[] = []): Promise<number | null> {
    const join = this.ids.map((each) => `127.0.0.1:${this.port(each)}`).join(',')
    const http = new URL(this.url(id)).port
    const child = spawn(
      process.execPath,
      [
        PROGRAM,
        '--id',
        id,
        '--port',
        String(this.port(id)),
        '--http',
        http,
        '--join',
        join,
        '--interval',
        '100',
        ...more,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    this.running.set(id, child)
    this.errors.set(id, '')
    child.stderr.on('data', (text) => this.errors.set(id, this.errors.get(id)! + String(text)))
    return new Promise((resolve) => {
      child.stdout.once('data', () => resolve(null))
      child.once('exit', (code) => resolve(code))
    })
  }

  stderr(id: string): string {
    return this.errors.get(id) ?? ''
  }

  /** Ends a member with a signal; resolves with its exit code. */
  end(id: string, signal: NodeJS.Signals): Promise<number | null> {
    const child = this.running.get(id)!
    return new Promise((resolve) => {
      child.once('exit', (code) => resolve(code))
      child.kill(signal)
    })
  }

  exitOf(id: string): Promise<number | null> {
    const child = this.running.get(id)!
    if (child.exitCode !== null) return Promise.resolve(child.exitCode)
    return new Promise((resolve) => child.once('exit', (code) => resolve(code)))
  }

  async view(id: string): Promise<Record<string, string>> {
    const response = await fetch(`${this.url(id)}/members`)
    const { members } = (await response.json()) as { members: { id: string; status: string }[] }
    return Object.fromEntries(members.map((each) => [each.id, each.status]))
  }

  async close(): Promise<void> {
    const alive = [...this.running].filter(
      ([, child]) => child.exitCode === null && child.signalCode === null,
    )
    await Promise.all(alive.map(([id]) => this.end(id, 'SIGKILL')))
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
