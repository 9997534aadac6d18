import { createSocket } from 'node:dgram'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { HOST_MODULES } from '../../src/host/host-modules.ts'
import { projectRoot } from '../../src/host/project.ts'
import { simulate } from '../../src/index.ts'
import { ThreadExecutor, threadHost } from '../../src/sim/campaign/thread-host.ts'
import { FULL, objectionsTo } from '../storm-verdict.test-support.ts'
import { RealMembers } from './real-members.test-support.ts'

const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const PATIENCE = { timeout: 40_000, interval: 100 }

describe('real processes', () => {
  let members: RealMembers

  beforeAll(async () => {
    members = await RealMembers.start(3)
    await expectViews(['m1', 'm2', 'm3'], { m1: 'alive', m2: 'alive', m3: 'alive' })
  }, 60_000)
  afterAll(() => members.close())

  async function expectViews(observers: readonly string[], view: Record<string, string>): Promise<void> {
    await vi.waitFor(async () => {
      for (const observer of observers) expect(await members.view(observer)).toEqual(view)
    }, PATIENCE)
  }

  async function post(id: string, body: string): Promise<{ status: number; body: any }> {
    const response = await fetch(`${members.url(id)}/messages`, { method: 'POST', body })
    return { status: response.status, body: await response.json() }
  }

  async function heard(id: string): Promise<string[]> {
    const response = await fetch(`${members.url(id)}/messages`)
    return ((await response.json()) as { data: string }[]).map(({ data }) => data).sort()
  }

  it('hold a member that was killed for dead, take it back, and have all messages everywhere', async () => {
    expect(await post('m1', '"before"')).toMatchObject({ status: 200, body: { id: expect.any(String) } })
    await members.end('m3', 'SIGKILL')
    await expectViews(['m1', 'm2'], { m1: 'alive', m2: 'alive', m3: 'dead' })
    await post('m2', '"while it was gone"')
    await members.start('m3')
    await expectViews(['m1', 'm2', 'm3'], { m1: 'alive', m2: 'alive', m3: 'alive' })
    await vi.waitFor(async () => {
      for (const id of members.ids) expect(await heard(id)).toEqual(['before', 'while it was gone'])
    }, PATIENCE)
  }, 120_000)

  it('say goodbye and end with 0 when they are asked to stop', async () => {
    expect(await members.end('m3', 'SIGTERM')).toBe(0)
    await expectViews(['m1', 'm2'], { m1: 'alive', m2: 'alive', m3: 'left' })
    await members.start('m3')
    await expectViews(['m1', 'm2', 'm3'], { m1: 'alive', m2: 'alive', m3: 'alive' })
  }, 120_000)

  it.each([
    ['{', 400, 'the body is not JSON'],
    ['', 400, 'the body is not JSON'],
    [JSON.stringify('x'.repeat(2_000)), 413, 'a message has at most 1024 bytes'],
  ])('answer the bad message %.10s with %i', async (body, status, error) => {
    const answer = await post('m1', body)
    expect(answer.status).toBe(status)
    expect(answer.body.error).toContain(error)
  })

  it('answer an unknown route with 404 and the routes there are', async () => {
    const response = await fetch(`${members.url('m1')}/nowhere`)
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      error: 'there is no GET /nowhere; see GET /members, GET and POST /messages',
    })
  })

  it.each([
    ['not JSON', 'a packet of 8 bytes is not JSON; dropped'],
    ['null', 'a packet has no type; dropped'],
    ['{"type":"nonsense"}', "a packet has the unknown type 'nonsense'; dropped"],
    ['{"type":"ack","sequence":1}', 'a packet has no sender; dropped'],
    ['{"type":"gossip","from":"x","address":"x:1","rumours":7}', 'a packet has malformed rumours; dropped'],
    [
      '{"type":"push-pull","from":"x","address":"x:1"}',
      'a packet of type push-pull has a malformed direction; dropped',
    ],
  ])('drop the packet %s, say so, and go on', async (packet, message) => {
    const socket = createSocket('udp4')
    await new Promise((resolve) => socket.send(packet, members.port('m1'), '127.0.0.1', resolve))
    socket.close()
    await vi.waitFor(() => expect(members.stderr('m1')).toContain(message), PATIENCE)
    expect((await members.view('m1')).m1).toBe('alive')
  })

  it('end with 1 and a sentence when a port is in use', async () => {
    const port = String(members.port('m1'))
    await members.end('m3', 'SIGKILL')
    await members.start('m3', ['--port', port])
    expect(await members.exitOf('m3')).toBe(1)
    expect(members.stderr('m3')).toContain('EADDRINUSE')
  })

  it.each([
    [['--interval', 'often'], "--interval: expected a number of milliseconds, not 'often'"],
    [['--port', '70000'], "--port: expected a port, not '70000'"],
    [['--lifeguard', 'maybe'], "--lifeguard: expected on or off, not 'maybe'"],
  ])('refuse %j with one sentence', async (more, message) => {
    await members.start('m3', more)
    expect(await members.exitOf('m3')).toBe(2)
    expect(members.stderr('m3').trim()).toBe(message)
  })
})

describe('simulated storms', () => {
  it.each(['gossip.sim.ts', 'gossip-replaced.sim.ts'])(
    'break no rule of %s',
    async (file) => {
      const seeds = FULL ? 2_000 : file === 'gossip.sim.ts' ? 40 : 10
      const campaign = await simulate(at(file), { level: 'radioactive', seeds, jobs: 0, verify: FULL })
      expect(objectionsTo(campaign)).toEqual([])
    },
    7_200_000,
  )

  it('break a rule at once when any acknowledgement will do', async () => {
    const file = at('gossip.mutants.ts')
    const host = threadHost({ root: projectRoot(file), hostModules: HOST_MODULES })
    const simulation = { file, name: 'gossip any-ack-will-do' }
    const { result } = await new ThreadExecutor(host).run({ simulation, level: 'stormy', seed: 2 })
    expect(result.failure?.title).toBe('a probe succeeds by its own acknowledgement')
  }, 600_000)
})
