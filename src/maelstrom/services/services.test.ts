import { describe, expect, it } from 'vitest'
import { seededDecisions } from '../decisions.ts'
import { services } from './services.ts'

describe('a service', () => {
  const request = (type: string, fields: object = {}) => ({ type, ...fields })

  it('lin-kv reads, writes and compares as the protocol says', () => {
    const kv = services(seededDecisions(1))['lin-kv']
    const ask = (type: string, fields: object) => kv.handle(request(type, fields), 'n1')
    expect(ask('read', { key: 1 })).toMatchObject({ code: 20 })
    expect(ask('cas', { key: 1, from: 0, to: 1 })).toMatchObject({ code: 20 })
    expect(ask('cas', { key: 1, from: 0, to: 1, create_if_not_exists: true })).toEqual({ type: 'cas_ok' })
    expect(ask('cas', { key: 1, from: 0, to: 2 })).toMatchObject({ code: 22, text: 'expected 0, but had 1' })
    expect(ask('write', { key: 1, value: [7] })).toEqual({ type: 'write_ok' })
    expect(ask('cas', { key: 1, from: [7], to: 8 })).toEqual({ type: 'cas_ok' })
    expect(ask('read', { key: 1 })).toEqual({ type: 'read_ok', value: 8 })
    expect(ask('dance', { key: 1 })).toMatchObject({ code: 10 })
  })

  it('seq-kv may answer late, never backwards, and a client sees its own writes', () => {
    const kv = services(seededDecisions(1))['seq-kv']
    kv.handle(request('write', { key: 'x', value: 0 }), 'writer')
    const seen: number[] = []
    for (let value = 1; value <= 50; value++) {
      kv.handle(request('write', { key: 'x', value }), 'writer')
      expect(kv.handle(request('read', { key: 'x' }), 'writer')).toMatchObject({ value })
      const answer = kv.handle(request('read', { key: 'x' }), 'reader')
      if (answer.type === 'read_ok') seen.push(answer.value as number)
    }
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    expect(seen.some((value, i) => value < i + 1)).toBe(true)
  })

  it('lww-kv is stale for a while and converges by gossip', () => {
    const kv = services(seededDecisions(1))['lww-kv']
    const read = (): unknown => kv.handle(request('read', { key: 'x' }), 'n1').value
    kv.handle(request('write', { key: 'x', value: 1 }), 'n1')
    const first = Array.from({ length: 5 }, read)
    for (let i = 0; i < 200; i++) read()
    const last = Array.from({ length: 50 }, read)
    expect(first).toContain(undefined)
    expect(new Set(last)).toEqual(new Set([1]))
  })

  it('lin-tso counts from 0', () => {
    const tso = services(seededDecisions(1))['lin-tso']
    expect([tso.handle(request('ts'), 'n1'), tso.handle(request('ts'), 'n2')]).toEqual([
      { type: 'ts_ok', ts: 0 },
      { type: 'ts_ok', ts: 1 },
    ])
  })
})
