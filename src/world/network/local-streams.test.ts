import { describe, expect, it } from 'vitest'
import { bytes, ignore, Pair, watch, type Seen } from './pair.test-support.ts'
import type { ErrorCode } from './tcp-endpoint.ts'

function unixPair(pair: Pair): { client: Seen; server: Seen } {
  const place = pair.a.net.abstractPlace('bus')
  const listener = pair.a.net.listenUnix(pair.server, { place, path: '/run/bus' })
  if (typeof listener === 'string') throw new Error(listener)
  let server: Seen | undefined
  listener.onconnection = (endpoint) => (server = watch(endpoint))
  let outcome: ErrorCode | null | undefined
  const endpoint = pair.a.net.connectUnix(
    pair.client,
    { place, path: '/run/bus' },
    (error) => (outcome = error),
  )
  if (typeof endpoint === 'string') throw new Error(endpoint)
  const client = watch(endpoint)
  pair.run()
  expect(outcome).toBe(null)
  return { client, server: server! }
}

describe('a unix socket', () => {
  it('carries bytes both ways and ends', () => {
    const pair = new Pair()
    const { client, server } = unixPair(pair)
    client.endpoint.write([bytes('question')], ignore)
    pair.run()
    server.endpoint.write([bytes('answer')], ignore)
    server.endpoint.close()
    pair.run()
    expect([server.text(), client.text(), client.ended]).toEqual(['question', 'answer', true])
    expect(client.endpoint.remote.address).toBe('/run/bus')
  })

  it('is refused where there is no listener, and in use where there is one', () => {
    const pair = new Pair()
    const place = pair.a.net.abstractPlace('x')
    expect(pair.a.net.connectUnix(pair.client, { place, path: 'x' }, ignore)).toBe('ECONNREFUSED')
    const listener = pair.a.net.listenUnix(pair.server, { place, path: 'x' })
    expect(pair.a.net.listenUnix(pair.client, { place, path: 'x' })).toBe('EADDRINUSE')
    if (typeof listener !== 'string') listener.close()
    expect(pair.a.net.connectUnix(pair.client, { place, path: 'x' }, ignore)).toBe('ECONNREFUSED')
  })

  it('has no room when its backlog is full', () => {
    const pair = new Pair()
    const place = pair.a.net.abstractPlace('x')
    pair.a.net.listenUnix(pair.server, { place, path: 'x', backlog: 0 })
    pair.world.kernel.pause(pair.server)
    expect(typeof pair.a.net.connectUnix(pair.client, { place, path: 'x' }, ignore)).toBe('object')
    pair.run()
    expect(pair.a.net.connectUnix(pair.client, { place, path: 'x' }, ignore)).toBe('EAGAIN')
  })

  it('tells a writer at once that the other end is closed', () => {
    const pair = new Pair()
    const { client, server } = unixPair(pair)
    server.endpoint.close()
    expect(client.endpoint.write([bytes('x')], ignore)).toBe('EPIPE')
  })
})

describe('a pipe', () => {
  it('holds back a writer whose reader does not read', () => {
    const pair = new Pair()
    const [out, input] = pair.a.net.pipePair(pair.client, pair.server)
    let done: ErrorCode | null | undefined
    expect(out.write([new Uint8Array(1_000_000)], (error) => (done = error))).toBe(false)
    pair.run()
    expect(done).toBe(undefined)
    const reader = watch(input)
    pair.run()
    expect(done).toBe(null)
    expect(reader.chunks.reduce((sum, chunk) => sum + chunk.length, 0)).toBe(1_000_000)
  })

  it('passes a handle with the bytes it was sent with, never merged with others', () => {
    const pair = new Pair()
    const [out, input] = pair.a.net.pipePair(pair.client, pair.server)
    const handle = { a: 'handle' }
    out.write([bytes('one')], ignore)
    out.write([bytes('two')], ignore, handle)
    out.write([bytes('three')], ignore)
    pair.run()
    const got: [string, unknown][] = []
    input.ondata = (chunk, attachment) => got.push([Buffer.from(chunk).toString(), attachment])
    input.readStart()
    pair.run()
    expect(got).toEqual([
      ['one', null],
      ['twothree', handle],
    ])
  })

  it('ends when the process at the other end is killed', () => {
    const pair = new Pair()
    const [out, input] = pair.a.net.pipePair(pair.client, pair.server)
    const reader = watch(input)
    out.write([bytes('last')], ignore)
    pair.world.kernel.kill(pair.client)
    pair.a.net.release(pair.client)
    pair.run()
    expect([reader.text(), reader.ended]).toEqual(['last', true])
  })
})
