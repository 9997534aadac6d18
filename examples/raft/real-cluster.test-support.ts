/** A cluster of plain Node processes on loopback ports and real folders. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const RAFT_SERVER = fileURLToPath(new URL('server.js', import.meta.url))
export const CLUSTER = 'test'

export class RealCluster {
  readonly ids: readonly string[]
  readonly folder = mkdtempSync(join(tmpdir(), 'wavetank-raft-'))
  private readonly ports: readonly number[]
  private readonly running = new Map<string, ChildProcess>()
  private readonly errors = new Map<string, string>()

  private readonly program: string

  private constructor(ids: readonly string[], ports: readonly number[], program: string) {
    this.ids = ids
    this.ports = ports
    this.program = program
  }

  static async start(count: number, program = RAFT_SERVER): Promise<RealCluster> {
    const ids = Array.from({ length: count }, (_, index) => `s${index + 1}`)
    const cluster = new RealCluster(ids, await freePorts(2 * count), program)
    await Promise.all(ids.map((id) => cluster.start(id)))
    return cluster
  }

  get servers(): string[] {
    return this.ids.map((id) => this.api(id))
  }

  api(id: string): string {
    return `127.0.0.1:${this.ports[2 * this.ids.indexOf(id)]}`
  }

  peer(id: string): string {
    return `127.0.0.1:${this.ports[2 * this.ids.indexOf(id) + 1]}`
  }

  /** Resolves when the server listens, or has ended; with its exit code then. */
  start(id: string, more: NodeJS.ProcessEnv = {}): Promise<number | null> {
    const env = {
      ...process.env,
      RAFT_ID: id,
      RAFT_CLUSTER: CLUSTER,
      RAFT_DATA: join(this.folder, id),
      RAFT_PEER_ADDRESS: this.peer(id),
      RAFT_API_ADDRESS: this.api(id),
      RAFT_MEMBERS: this.ids.map((each) => `${each}=${this.peer(each)}/${this.api(each)}`).join(','),
      RAFT_ELECTION_MS: '400',
      RAFT_HEARTBEAT_MS: '100',
      RAFT_SNAPSHOT_ENTRIES: '10',
      ...more,
    }
    const child = spawn(process.execPath, [this.program], { env, stdio: ['ignore', 'pipe', 'pipe'] })
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

  /** Ends a server with a signal; resolves with its exit code. */
  end(id: string, signal: NodeJS.Signals): Promise<number | null> {
    const child = this.running.get(id)!
    return new Promise((resolve) => {
      child.once('exit', (code) => resolve(code))
      child.kill(signal)
    })
  }

  async close(): Promise<void> {
    const alive = [...this.running].filter(
      ([, child]) => child.exitCode === null && child.signalCode === null,
    )
    await Promise.all(alive.map(([id]) => this.end(id, 'SIGKILL')))
    rmSync(this.folder, { recursive: true })
  }
}

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
