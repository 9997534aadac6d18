/** Tests with real processes: nodes that behave, and nodes that do not. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UsageError } from '../kernel/errors.ts'
import { seededDecisions } from './decisions.ts'
import { runningMachine } from './machine.ts'
import { DEFAULTS, type TestSettings } from './running/settings.ts'
import { runTest } from './running/test.ts'

/** A node that knows echo and broadcast; `quirk` is run with the number of each message. */
const NODE = (quirk: string) => `
import { createInterface } from 'node:readline'
let id, neighbours = [], count = 0
const seen = new Set()
const send = (dest, body) => process.stdout.write(JSON.stringify({ src: id, dest, body }) + '\\n')
const learn = (message, from) => {
  if (seen.has(message)) return
  seen.add(message)
  for (const neighbour of neighbours) if (neighbour !== from) send(neighbour, { type: 'gossip', message })
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { src, body } = JSON.parse(line)
  const reply = (fields) => send(src, { ...fields, type: body.type + '_ok', in_reply_to: body.msg_id })
  count++
  ${quirk}
  if (body.type === 'init') { id = body.node_id; reply({}) }
  if (body.type === 'echo') reply({ echo: body.echo })
  if (body.type === 'topology') { neighbours = body.topology[id]; reply({}) }
  if (body.type === 'broadcast') { learn(body.message, src); reply({}) }
  if (body.type === 'gossip') learn(body.message, src)
  if (body.type === 'read') reply({ messages: [...seen] })
})
`

let folder: string
let nodes = 0
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'maelstrom-nodes-'))))
afterAll(() => rmSync(folder, { recursive: true }))

async function test(quirk: string, settings: Partial<TestSettings> = {}) {
  const file = join(folder, `node-${nodes++}.mjs`)
  writeFileSync(file, NODE(quirk))
  const machine = runningMachine({ groups: true })
  const pids: number[] = []
  const watched = {
    ...machine,
    spawn: (...spawned: Parameters<typeof machine.spawn>) => {
      const child = machine.spawn(...spawned)
      pids.push(child.pid!)
      return child
    },
  }
  const whole: TestSettings = {
    ...DEFAULTS,
    workload: 'echo',
    nodes: ['n1'],
    concurrency: 1,
    rate: 40,
    timeLimitSeconds: 0.5,
    program: { command: process.execPath, args: [file] },
    ...settings,
  }
  const run = await runTest(whole, watched, seededDecisions(7))
  expect(pids.filter(isAlive)).toEqual([])
  return run.results
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

// Most of the time they wait.
describe.concurrent('real processes', () => {
  it('echo', async () => {
    const results = await test('')
    expect(results).toMatchObject({ 'valid?': true, nodes: { counts: {} } })
    expect(results.stats['ok-count']).toBeGreaterThan(3)
  })

  it('broadcast, with final reads after the recovery', { timeout: 60_000 }, async () => {
    const nodes = ['n1', 'n2', 'n3', 'n4', 'n5']
    const results = await test('', { workload: 'broadcast', nodes, concurrency: 5, latencyMs: 5 })
    expect(results['valid?']).toBe(true)
    expect(results.workload['stable-count']).toBe(results.workload['attempt-count'])
    expect(results.net.servers['msgs-per-op']).toBeGreaterThan(1)
  })

  it.each([
    ['prints garbage', `if (count === 2) console.log('hello')`, 'malformed-message', 'hello'],
    [
      'answers twice',
      `if (body.type === 'echo') reply({ echo: body.echo })`,
      'second-reply',
      'a second time',
    ],
    ['writes to nowhere', `if (count === 2) send('n9', { type: 'x' })`, 'unknown-destination', 'n9'],
    ['writes a long line', `if (count === 2) console.log('x'.repeat(20e6))`, 'line-too-long', 'xxx'],
    ['exits', `if (count === 3) { console.error('last words'); process.exit(3) }`, 'exited', 'last words'],
    [
      'adds a field',
      `if (count === 2) return reply({ echo: body.echo, more: 1 })`,
      'malformed-reply',
      '"more"',
    ],
  ])('a node that %s is reported, and the test ends', { timeout: 60_000 }, async (_, quirk, kind, text) => {
    const results = await test(quirk)
    expect(results['valid?']).toBe(false)
    expect(results.nodes.errors.find((error) => error.kind === kind)?.text).toContain(text)
  })

  it('a node gets what others send it once it has answered init', async () => {
    const quirk = `
      if (body.type === 'init' && body.node_id === 'n2') {
        setTimeout(() => { id = 'n2'; reply({}) }, 300)
        return
      }
      if (body.type === 'init') { id = body.node_id; reply({}); send('n2', { type: 'early' }); return }
      if (body.type === 'early') send('n1', { type: 'heard' })
      if (body.type === 'echo' && id === 'n1') return reply({ echo: body.echo })`
    const results = await test(quirk, { nodes: ['n1', 'n2'], concurrency: 2 })
    expect(results).toMatchObject({ 'valid?': true, nodes: { counts: {} } })
    expect(results.net.servers['recv-count']).toBe(2)
  })

  it('a node may ask services and other nodes before it answers init', async () => {
    const quirk = `
      const other = body.node_id === 'n1' ? 'n2' : 'n1'
      if (body.type === 'init') {
        id = body.node_id
        globalThis.answer = reply
        send('lin-kv', { type: 'read', key: 1, msg_id: 1 })
        send(other, { type: 'hello' })
        return
      }
      if (body.type === 'error') globalThis.stored = true
      if (body.type === 'hello') globalThis.greeted = true
      if (globalThis.stored && globalThis.greeted) globalThis.answer?.({})
      if (globalThis.stored && globalThis.greeted) delete globalThis.answer`
    const results = await test(quirk, { nodes: ['n1', 'n2'], concurrency: 2, timeLimitSeconds: 0.5 })
    expect(results).toMatchObject({ 'valid?': true, nodes: { counts: {} } })
  })

  it('ids of 64 bits, each one another', async () => {
    const reply = (id: string) =>
      `'{"src":"n1","dest":"' + src + '","body":{"type":"generate_ok","in_reply_to":' + body.msg_id + ',"id":' + ${id} + '}}'`
    const ids = (id: string) =>
      test(`if (body.type === 'generate') return console.log(${reply(id)})`, { workload: 'unique-ids' })
    const distinct = await ids('(2n ** 60n + BigInt(count))')
    expect(distinct).toMatchObject({ 'valid?': true, workload: { 'duplicated-count': 0 } })
    const repeated = await ids('(2n ** 60n + BigInt(count >> 1))')
    expect(repeated).toMatchObject({ 'valid?': false })
    expect(repeated.workload.range).toEqual([expect.any(BigInt), expect.any(BigInt)])
  })

  it('a node that ends before it answers init is reported with its last words, not as silent', async () => {
    const { nodes, 'valid?': valid } = await test(`console.error('no such table'); process.exit(1)`)
    expect(valid).toBe(false)
    expect(nodes.errors.map(({ kind }) => kind)).toEqual(['exited'])
    expect(nodes.errors[0].text).toContain('no such table')
  })

  it.each([
    ['does not exist', null, 'no such program'],
    ['is not executable', { mode: 0o644 }, 'chmod +x'],
    ['names no interpreter', { mode: 0o755 }, 'first line'],
  ])('a program that %s is a mistake of the command', async (_, made, text) => {
    const command = join(folder, `program-${made?.mode ?? 'none'}`)
    if (made !== null) writeFileSync(command, '#!/no/such/interpreter\n', made)
    const program = { command, args: [] }
    const settings: TestSettings = { ...DEFAULTS, workload: 'echo', nodes: ['n1'], concurrency: 1, program }
    const run = runTest(settings, runningMachine({ groups: true }), seededDecisions(7))
    await expect(run).rejects.toThrow(text)
    await expect(run).rejects.toBeInstanceOf(UsageError)
  })
})
