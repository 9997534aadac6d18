import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOST_MODULES } from '../../src/host/host-modules.ts'
import { projectRoot } from '../../src/host/project.ts'
import { simulate } from '../../src/index.ts'
import { ThreadExecutor, threadHost } from '../../src/sim/campaign/thread-host.ts'
import { FULL, objectionsTo } from '../storm-verdict.test-support.ts'
import { RaftClient } from './client.js'
import { CLUSTER, RealCluster } from './real-cluster.test-support.ts'

const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

describe('real processes', () => {
  let cluster: RealCluster
  let client: RaftClient

  beforeAll(async () => {
    cluster = await RealCluster.start(3)
    client = new RaftClient({ cluster: CLUSTER, servers: cluster.servers, totalMs: 20_000 })
    await client.put('begun', true)
  }, 60_000)
  afterAll(async () => {
    client.close()
    await cluster.close()
  })

  async function post(path: string, body: string | object): Promise<{ status: number; body: any }> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const all = cluster.servers.map(async (server) => {
      const response = await fetch(`http://${server}${path}`, { method: 'POST', body: text })
      return { status: response.status, body: await response.json() }
    })
    const answers = await Promise.all(all)
    return answers.find(({ status }) => status !== 421) ?? answers[0]
  }

  it('keep every acknowledged write when a majority is killed, again and again', async () => {
    const written: string[] = []
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 5; i++) {
        const key = `${round}.${i}`
        await client.put(key, round * 10 + i)
        written.push(key)
      }
      const victims = [cluster.ids[round % 3], cluster.ids[(round + 1) % 3]]
      await Promise.all(victims.map((id) => cluster.end(id, 'SIGKILL')))
      await Promise.all(victims.map((id) => cluster.start(id)))
    }
    const found = []
    for (const key of written) found.push([key, await client.get(key)])
    expect(found).toEqual(written.map((key) => [key, Number(key[0]) * 10 + Number(key[2])]))
  }, 120_000)

  it('hand over and end with 0 when they are asked to stop', async () => {
    const before = await leaderOf(client, cluster)
    expect(await cluster.end(before, 'SIGTERM')).toBe(0)
    await client.put('after', 1)
    expect(await leaderOf(client, cluster)).not.toBe(before)
    await cluster.start(before)
  }, 60_000)

  it.each([
    ['malformed-json', 400, '/commands', '{'],
    ['malformed-request', 400, '/commands', '[]'],
    [
      'malformed-request',
      400,
      '/commands',
      { cluster: CLUSTER, session: 1, sequence: 0, command: { op: 'put' } },
    ],
    [
      'malformed-request',
      400,
      '/commands',
      { cluster: CLUSTER, session: 1, sequence: 1, command: { op: 'no' } },
    ],
    ['malformed-request', 400, '/members', { cluster: CLUSTER }],
    ['unknown-path', 404, '/nowhere', '{}'],
    ['unknown-key', 404, '/queries', { cluster: CLUSTER, query: { op: 'get', key: 'none' } }],
    ['wrong-cluster', 409, '/queries', { cluster: 'other', query: { op: 'get', key: 'none' } }],
    [
      'session-expired',
      409,
      '/commands',
      { cluster: CLUSTER, session: 99_999, sequence: 1, command: { op: 'delete', key: 'a' } },
    ],
    ['no-change', 409, '/members', { cluster: CLUSTER, remove: 'nobody' }],
    ['unknown-member', 409, '/transfers', { cluster: CLUSTER, to: 'nobody' }],
    ['body-too-large', 413, '/commands', `"${'x'.repeat(1_100_000)}"`],
  ])('answer a bad request with %s', async (error, status, path, body) => {
    await client.get('begun') // there is a leader
    const answer = await post(path, body)
    expect(answer).toMatchObject({ status, body: { error } })
    expect(answer.body.message).toMatch(/\w/)
  })

  it('name the leader when another server is asked', async () => {
    const leader = await leaderOf(client, cluster)
    const follower = cluster.ids.find((id) => id !== leader)!
    const response = await fetch(`http://${cluster.api(follower)}/sessions`, {
      method: 'POST',
      body: JSON.stringify({ cluster: CLUSTER }),
    })
    expect(response.status).toBe(421)
    expect(await response.json()).toMatchObject({ error: 'not-leader', leader: { id: leader } })
  })

  it('hang up on a peer of another cluster, and say why', async () => {
    const [host, port] = cluster.peer('s1').split(':')
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), host)
      const hello = JSON.stringify({
        protocol: 1,
        cluster: 'other',
        id: 'x',
        address: 'x:1',
        to: cluster.peer('s1'),
      })
      const frame = Buffer.concat([Buffer.alloc(4), Buffer.from(hello)])
      frame.writeUInt32BE(hello.length)
      socket.write(frame)
      socket.on('data', (bytes) => resolve(bytes.toString('utf8', 4)))
    })
    expect(JSON.parse(answer)).toEqual({ refused: "cluster 'other', not 'test'" })
  })

  it('refuse to start with a corrupt log, and name the file and the offset', async () => {
    await cluster.end('s3', 'SIGKILL')
    const log = join(cluster.folder, 's3', 'log')
    const bytes = readFileSync(log)
    bytes[30] ^= 1
    writeFileSync(log, bytes)
    expect(await cluster.start('s3')).toBe(3)
    expect(cluster.stderr('s3')).toContain(`${log} is corrupt at byte 0`)
    expect(readFileSync(log)).toEqual(bytes)
    await client.put('still', 'alive') // the other two go on
  })

  it('refuse bad settings with one sentence', async () => {
    expect(await cluster.start('s3', { RAFT_MEMBERS: 's1' })).toBe(2)
    expect(cluster.stderr('s3').trim()).toBe("RAFT_MEMBERS: expected id=host:port/host:port, not 's1'")
  })
})

async function leaderOf(client: RaftClient, cluster: RealCluster): Promise<string> {
  for (;;) {
    const all = await Promise.all(cluster.servers.map((server) => client.status(server)))
    const leader = all.find(({ role }) => role === 'leader')
    if (leader !== undefined) return leader.id
  }
}

describe('simulated storms', () => {
  it('break no rule', async () => {
    const seeds = FULL ? 2000 : 40
    const campaign = await simulate(at('raft.sim.ts'), { level: 'radioactive', seeds, jobs: 0, verify: FULL })
    expect(objectionsTo(campaign)).toEqual([])
  }, 7_200_000)

  it('with a disk that rots have the server refuse it, and the others go on', async () => {
    const { failures, assertions } = await simulate(at('raft-rot.sim.ts'), {
      level: 'radioactive',
      seeds: FULL ? 200 : 8,
      jobs: 0,
    })
    expect(failures).toEqual([])
    const refused = assertions.find(({ message }) => message === 'a server refuses its files')
    expect(refused?.passed).toBeGreaterThan(0)
  }, 3_600_000)

  it('break a rule at once when a server answers before its disk has it', async () => {
    const file = at('raft.mutants.ts')
    const host = threadHost({ root: projectRoot(file), hostModules: HOST_MODULES })
    const simulation = { file, name: 'raft append-before-sync' }
    const { result } = await new ThreadExecutor(host).run({ simulation, level: 'sunny', seed: 1 })
    expect(result.failure?.title).toBe('an entry is on the disk before it is acknowledged')
  }, 600_000)
})
