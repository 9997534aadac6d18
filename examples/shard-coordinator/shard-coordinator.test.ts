import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOST_MODULES } from '../../src/host/host-modules.ts'
import { projectRoot } from '../../src/host/project.ts'
import { simulate } from '../../src/index.ts'
import { ThreadExecutor, threadHost } from '../../src/sim/campaign/thread-host.ts'
import { CLUSTER, freePorts, RealCluster } from '../raft/real-cluster.test-support.ts'
import { FULL, objectionsTo } from '../storm-verdict.test-support.ts'
import { CoordinatorClient } from './client.js'
import { keyOf, truthOf } from './dataset.js'
import type { Finding } from './types.ts'

const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const ROOT = '0000000000000000'
const WHOLE = [{ start: '', end: '' }]

describe('real processes', () => {
  let cluster: RealCluster
  let client: CoordinatorClient

  const clientOf = (run: string): CoordinatorClient =>
    new CoordinatorClient({ cluster: CLUSTER, servers: cluster.servers, tenant: 't', run, totalMs: 30_000 })

  async function begin(run: string): Promise<CoordinatorClient> {
    const begun = clientOf(run)
    await begun.ask('create-run', { operation: 'create', leaseMs: 60_000, cooldownMs: 0 })
    await begun.ask('register-shards', { operation: 'register', shards: WHOLE })
    return begun
  }

  beforeAll(async () => {
    cluster = await RealCluster.start(3, at('server.js'))
    client = await begin('first')
  }, 60_000)
  afterAll(async () => {
    client.close()
    await cluster.close()
  })

  it('keep every acknowledged write when a majority is killed, again and again', async () => {
    const { shard, fence } = await client.ask('claim', { worker: 'w' })
    const lease = { shard, fence, worker: 'w' }
    const written: string[] = []
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 4; i++) {
        const key = keyOf(round * 10 + i)
        await client.ask('record', { ...lease, keys: [key] })
        await client.ask('checkpoint', { ...lease, operation: key, cursor: { key, token: '' } })
        written.push(key)
      }
      const victims = [cluster.ids[round % 3], cluster.ids[(round + 1) % 3]]
      await Promise.all(victims.map((id) => cluster.end(id, 'SIGKILL')))
      await Promise.all(victims.map((id) => cluster.start(id)))
    }
    const { findings } = (await client.ask('findings')) as { findings: Finding[] }
    expect(findings.map(({ key }) => key)).toEqual(written)
    const { shards } = await client.ask('shards', { filter: 'all' })
    expect(shards).toMatchObject([{ id: shard, fence, cursor: { key: written.at(-1) }, leased: true }])
    const last = { ...lease, operation: written.at(-1), cursor: { key: written.at(-1), token: '' } }
    expect(await client.ask('checkpoint', last)).toMatchObject({ key: written.at(-1), replayed: true })
  }, 120_000)

  it('scan to the end while workers and servers are killed', async () => {
    const run = await begin('scan')
    const data = { seed: 5, count: 60 }
    const folder = mkdtempSync(join(tmpdir(), 'wavetank-worker-'))
    const start = (name: string): ReturnType<typeof spawn> => {
      const place = [CLUSTER, cluster.servers.join(','), 't', 'scan', name, join(folder, name)]
      return spawn(process.execPath, [at('worker.js'), ...place, String(data.seed), String(data.count)])
    }
    let workers = ['w1', 'w2'].map(start)
    const ended = (each: ReturnType<typeof spawn>): Promise<unknown> =>
      new Promise((resolve) => each.once('exit', resolve))
    for (let round = 0; ; round++) {
      const { active } = await run.ask('progress')
      if (active === 0) break
      await new Promise((resolve) => setTimeout(resolve, 300))
      if (round > 1) continue
      const killed = workers.map(ended)
      for (const worker of workers) worker.kill('SIGKILL')
      await Promise.all(killed)
      await cluster.end(cluster.ids[round], 'SIGKILL')
      await cluster.start(cluster.ids[round])
      workers = ['w1', 'w2'].map(start) // their leases of 60 s are in their files
    }
    const exits = workers.map(ended)
    await run.ask('complete-run', { operation: 'complete' })
    await Promise.all(exits)
    const { findings } = (await run.ask('findings')) as { findings: Finding[] }
    expect(findings.map(({ key }) => key).sort()).toEqual(truthOf(data))
    run.close()
    rmSync(folder, { recursive: true })
  }, 120_000)

  const lease = { shard: ROOT, worker: 'w', fence: 2 }
  it.each([
    ['malformed-json', 400, '/claim', '{'],
    ['malformed-request', 400, '/claim', '[]'],
    ['malformed-request', 400, '/claim', {}],
    ['malformed-request', 400, '/park', { ...lease, operation: 'p', reason: 'tired' }],
    ['malformed-request', 400, '/shards', { filter: 'some' }],
    ['unknown-path', 404, '/steal', {}],
    ['run-not-found', 404, '/claim', { run: 'none', worker: 'w' }],
    ['shard-not-found', 404, '/renew', { ...lease, shard: 'none' }],
    ['tenant-mismatch', 403, '/claim', { tenant: 'other', worker: 'w' }],
    ['wrong-cluster', 409, '/claim', { cluster: 'other', worker: 'w' }],
    ['stale-fence', 409, '/renew', { ...lease, fence: 1 }],
    ['not-owner', 409, '/renew', { ...lease, worker: 'v' }],
    ['lease-held', 409, '/acquire', { shard: ROOT, worker: 'v' }],
    ['not-parked', 409, '/unpark', { shard: ROOT, operation: 'u' }],
    ['cursor-missing-key', 422, '/checkpoint', { ...lease, operation: 'c', cursor: { key: '', token: '' } }],
    ['split-invalid', 422, '/split-replace', { ...lease, operation: 's', children: WHOLE }],
    ['body-too-large', 413, '/claim', `"${'x'.repeat(1_100_000)}"`],
  ])('answer a bad request with %s', async (error, status, path, body) => {
    const { shard } = await begin('bad').then(async (run) => {
      const { shards } = await run.ask('shards', { filter: 'available' })
      const got = shards.length > 0 ? await run.ask('acquire', { shard: ROOT, worker: 'w' }) : { shard: ROOT }
      run.close()
      return got
    })
    expect(shard).toBe(ROOT)
    const common = { cluster: CLUSTER, tenant: 't', run: 'bad' }
    const isObject = typeof body === 'object' && !Array.isArray(body)
    const text = isObject ? JSON.stringify({ ...common, ...body }) : (body as string)
    const answers = await Promise.all(
      cluster.servers.map(async (server) => {
        const response = await fetch(`http://${server}${path}`, { method: 'POST', body: text })
        return { status: response.status, body: (await response.json()) as any }
      }),
    )
    const answer = answers.find((each) => each.status !== 421) ?? answers[0]
    expect(answer).toMatchObject({ status, body: { error } })
    expect(answer.body.message).toMatch(/\w/)
  })

  it('refuse to start with a corrupt log or snapshot, and name the file and the offset', async () => {
    for (const name of ['log', 'snapshot']) {
      await cluster.end('s3', 'SIGKILL')
      const file = join(cluster.folder, 's3', name)
      const whole = readFileSync(file)
      const broken = Buffer.from(whole)
      broken[30] ^= 1
      writeFileSync(file, broken)
      expect(await cluster.start('s3')).toBe(3)
      expect(cluster.stderr('s3')).toMatch(new RegExp(`${file} is corrupt at byte \\d+`))
      expect(readFileSync(file)).toEqual(broken)
      writeFileSync(file, whole)
      expect(await cluster.start('s3')).toBe(null)
    }
  }, 60_000)

  it('start by one command, scan, and say that nothing was missed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wavetank-start-'))
    const [port] = await freePorts(1)
    const env = { ...process.env, COORDINATOR_PORT: String(port), RECORDS: '100', RAFT_ELECTION_MS: '400' }
    const child = spawn(process.execPath, [at('start.js'), '3', '2', folder], { env })
    let text = ''
    child.stdout.on('data', (part) => (text += String(part)))
    child.stderr.on('data', (part) => (text += String(part)))
    const code = await new Promise((resolve) => child.once('exit', resolve))
    rmSync(folder, { recursive: true })
    expect(text).toContain('missed 0, found without being there 0')
    expect(code).toBe(0)
  }, 120_000)
})

describe('simulated storms', () => {
  it.each(['shard-coordinator.sim.ts', 'shard-scan.sim.ts'])(
    'break no rule of %s',
    async (file) => {
      const seeds = FULL ? 2000 : file.includes('scan') ? 10 : 40
      const campaign = await simulate(at(file), { level: 'radioactive', seeds, jobs: 0, verify: FULL })
      expect(objectionsTo(campaign)).toEqual([])
    },
    7_200_000,
  )

  it.skipIf(!FULL)(
    'bring every situation about at least 5 times in 200 seeds',
    async () => {
      const { situations } = await simulate(at('shard-coordinator.sim.ts'), { level: 'stormy', seeds: 200 })
      expect(situations.filter(({ times }) => times < 5)).toEqual([])
      expect(situations.length).toBeGreaterThan(10)
    },
    3_600_000,
  )

  it('break a rule at once when the owner of a lease is not checked', async () => {
    const file = at('shard-coordinator.mutants.ts')
    const host = threadHost({ root: projectRoot(file), hostModules: HOST_MODULES })
    const simulation = { file, name: 'shard-coordinator owner-not-checked' }
    const executor = new ThreadExecutor(host)
    const titles = []
    for (let seed = 1; seed <= 5; seed++) {
      const { result } = await executor.run({ simulation, level: 'sunny', seed })
      titles.push(result.failure?.title)
    }
    expect(titles).toContain('only the holder of a lease works on its shard')
  }, 600_000)
})
