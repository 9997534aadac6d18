/** `wavetank explain` against a stand-in of Anthropic's API: what it sends, what it refuses, what it makes of answers. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { DEPOSITS, RaceProject } from './race-project.ts'

interface Heard {
  readonly path: string
  readonly key: string
  readonly body: { model: string; messages: { content: string }[] }
}

const message = (text: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'stand-in',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
})

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-should-retry': 'false' })
  response.end(JSON.stringify(body))
}

describe('explain', () => {
  let project: RaceProject
  let trace: string
  let server: Server
  let url: string
  const heard: Heard[] = []
  let answer: (response: ServerResponse) => void

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Heard['body']
    const { 'x-api-key': key, authorization } = request.headers // which of the two is the SDK's business
    heard.push({ path: request.url!, key: String(key ?? authorization), body })
    answer(response)
  }

  beforeAll(async () => {
    project = new RaceProject({ 'bank.race.ts': DEPOSITS, '.env': 'SECRET=1', 'other.ts': 'export {}' })
    trace = await project.record('bank.race.ts', 'deposits')
    server = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
    project.remove()
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    heard.length = 0
  })

  function explain(env: Readonly<Record<string, string | undefined>>, ...args: readonly string[]) {
    for (const [name, value] of Object.entries({ CI: undefined, WAVETANK_LLM: undefined, ...env }))
      vi.stubEnv(name, value)
    return project.command('explain', trace, '--base-url', url, ...args)
  }
  const KEY = { ANTHROPIC_API_KEY: 'key of the test' }

  it('sends the slice and the files it names, and prints the answer', async () => {
    answer = (response) => json(response, 200, message('Both read before either writes.'))
    const { code, stdout } = await explain(KEY, '--model', 'some-model')
    expect(stdout).toBe('Both read before either writes.\n')
    expect(code).toBe(0)
    expect(heard.length).toBe(1)
    const [{ path, key, body }] = heard
    expect({ path, model: body.model }).toEqual({ path: '/v1/messages', model: 'some-model' })
    expect(key).toContain(KEY.ANTHROPIC_API_KEY)
    const [{ content }] = body.messages
    expect(content).toContain('   12    await writeFile(PATH, String(before + 1))')
    expect(content).toContain('deposit #2  write balance')
    expect(content).not.toMatch(/SECRET|other\.ts/)
    expect(content).not.toContain(project.folder)
  })

  it('prints with --dry-run what it would send, and sends nothing, even in CI and without a key', async () => {
    const { code, stdout } = await explain({ CI: 'true', ANTHROPIC_API_KEY: undefined }, '--dry-run')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^model: claude-/)
    expect(stdout).toContain('<file path="bank.race.ts">')
    expect(heard).toEqual([])
  })

  it.each([
    ['in CI', { ...KEY, CI: 'true' }, /CI is set/],
    ['when it is off', { ...KEY, WAVETANK_LLM: 'off' }, /WAVETANK_LLM=off forbids it/],
    ['without a key', { ANTHROPIC_API_KEY: undefined }, /set ANTHROPIC_API_KEY/],
  ])('refuses %s', async (_, env, reason) => {
    const { code, stderr } = await explain(env)
    expect(code).toBe(254)
    expect(stderr).toMatch(reason)
    expect(heard).toEqual([])
  })

  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    [
      'a refused key',
      (r) => json(r, 401, { type: 'error', error: { type: 'authentication_error' } }),
      /refused the key/,
    ],
    ['too many requests', (r) => json(r, 429, { type: 'error', error: { type: 'rate_limit_error' } }), /429/],
    ['a broken server', (r) => json(r, 500, { type: 'error', error: { type: 'api_error' } }), /answered 500/],
    [
      'no JSON',
      (r) => r.writeHead(200, { 'content-type': 'application/json' }).end('<html>'),
      /cannot be read/,
    ],
    ['no message', (r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<html>'), /not a message/],
    ['an empty message', (r) => json(r, 200, { ...message(''), content: [] }), /not a message/],
    ['no answer', () => {}, /no answer within 0\.3 s/],
    ['a closed connection', (r) => r.destroy(), /cannot be reached/],
  ])('says so for %s', async (_, respond, problem) => {
    answer = respond
    const { code, stderr, stdout } = await explain(KEY, '--timeout', '300ms')
    expect(stderr).toMatch(problem)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  it('takes model and address from the configuration', async () => {
    project.write(
      'wavetank.config.mjs',
      `export default { explain: { model: 'configured', baseUrl: '${url}' } }`,
    )
    answer = (response) => json(response, 200, message('yes'))
    vi.stubEnv('CI', undefined)
    vi.stubEnv('ANTHROPIC_API_KEY', 'key')
    expect((await project.command('explain', trace)).stdout).toBe('yes\n')
    expect(heard[0].body.model).toBe('configured')
  })
})
