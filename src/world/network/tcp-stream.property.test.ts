/**
 * The law of the byte stream: whatever the links do, a reader has received a prefix of what was written, all of it once
 * the stream ended properly, and otherwise one end has an error. A run of this test draws link configurations, writes,
 * pauses, cuts and heals.
 */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ignore, Pair, watch, type Seen } from './pair.test-support.ts'
import { Entropy } from '../../kernel/prng.ts'
import type { Strategy } from '../../kernel/strategy.ts'
import type { LinkConfig } from './link.ts'

const FULL = process.env['WAVETANK_FULL'] === '1'
const RUNS = FULL ? 3_000 : 150
const TIMEOUT_MS = FULL ? 600_000 : 60_000

const distribution = fc.oneof(
  fc.record({ kind: fc.constant('constant' as const), us: fc.integer({ min: 0, max: 5_000 }) }),
  fc.record({
    kind: fc.constant('uniform' as const),
    minUs: fc.integer({ min: 0, max: 500 }),
    maxUs: fc.integer({ min: 500, max: 50_000 }),
  }),
  fc.record({
    kind: fc.constant('exponential' as const),
    minUs: fc.integer({ min: 0, max: 500 }),
    meanUs: fc.integer({ min: 1, max: 20_000 }),
    maxUs: fc.integer({ min: 500, max: 500_000 }),
  }),
)

const link: fc.Arbitrary<Partial<LinkConfig>> = fc.record({
  latency: distribution,
  bandwidthBytesPerS: fc.constantFrom(0, 0, 100_000, 10_000_000),
  lossPpm: fc.constantFrom(0, 10_000, 300_000),
  reorderPpm: fc.constantFrom(0, 200_000),
  duplicatePpm: fc.constantFrom(0, 200_000),
  splitPpm: fc.constantFrom(0, 500_000, 1_000_000),
})

type Action =
  | { readonly kind: 'write'; readonly from: 'client' | 'server'; readonly size: number }
  | { readonly kind: 'pause'; readonly who: 'client' | 'server' }
  | { readonly kind: 'unpause'; readonly who: 'client' | 'server' }
  | { readonly kind: 'cut'; readonly way: 'both' | 'out' | 'back'; readonly mode: 'drop' | 'defer' }
  | { readonly kind: 'heal' }
  | { readonly kind: 'pass'; readonly us: number }

const side = fc.constantFrom('client' as const, 'server' as const)
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      from: side,
      size: fc.integer({ min: 1, max: 200_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('pause' as const, 'unpause' as const), who: side }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('cut' as const),
      way: fc.constantFrom('both' as const, 'out' as const, 'back' as const),
      mode: fc.constantFrom('drop' as const, 'defer' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('heal' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), us: fc.integer({ min: 0, max: 3_000_000 }) }),
  },
)

class Writer {
  readonly seen: Seen
  private next = 0
  private size = 0

  constructor(seen: Seen) {
    this.seen = seen
  }

  get written(): number {
    return this.size
  }

  write(size: number): void {
    const bytes = new Uint8Array(size)
    for (let i = 0; i < size; i++) bytes[i] = this.next++ % 251
    const half = size >> 1
    const result = this.seen.endpoint.write([bytes.subarray(0, half), bytes.subarray(half)], ignore)
    if (typeof result === 'boolean') this.size += size
  }
}

/** Checks that the reader has a prefix of the pattern, and returns its length. */
function prefixLength({ chunks }: Seen): number {
  let at = 0
  for (const chunk of chunks) {
    for (const byte of chunk) {
      if (byte !== at % 251) throw new Error(`byte ${at} is ${byte}`)
      at++
    }
  }
  return at
}

function cut({ world }: Pair, way: 'both' | 'out' | 'back', mode: 'drop' | 'defer'): void {
  const [from, to] = way === 'back' ? ['b', 'a'] : ['a', 'b']
  world.network.cut(from, to, { oneWay: way !== 'both', mode })
}

function run(
  seed: number,
  config: Partial<LinkConfig>,
  actions: readonly Action[],
  strategy?: Strategy,
): { pair: Pair; client: Writer; server: Writer } {
  const pair = new Pair({ seed, link: config, strategy }).listen()
  const { endpoint } = pair.begin()
  const client = new Writer(watch(endpoint))
  pair.run()
  fc.pre(pair.accepted.length > 0) // a lossy link may lose every SYN
  const server = new Writer(pair.accepted[0])
  const { network, kernel } = pair.world
  for (const each of actions) {
    if (each.kind === 'write') (each.from === 'client' ? client : server).write(each.size)
    else if (each.kind === 'pause') kernel.pause(pair[each.who])
    else if (each.kind === 'unpause') kernel.resume(pair[each.who])
    else if (each.kind === 'heal') network.heal()
    else if (each.kind === 'pass') pair.runFor(each.us)
    else if (each.kind === 'cut') cut(pair, each.way, each.mode)
  }
  kernel.resume(pair.client)
  kernel.resume(pair.server)
  return { pair, client, server }
}

describe('the byte stream', () => {
  it(
    'delivers exactly what was written once the network heals in time',
    () => {
      fc.assert(
        fc.property(fc.nat(), link, fc.array(action, { maxLength: 12 }), (seed, config, actions) => {
          const { pair, client, server } = run(seed, config, actions)
          pair.world.network.heal()
          for (const writer of [client, server]) writer.seen.endpoint.shutdown(ignore)
          pair.run()
          for (const [writer, reader] of [
            [client, server.seen],
            [server, client.seen],
          ] as const) {
            expect([prefixLength(reader), reader.ended, reader.error]).toEqual([writer.written, true, null])
          }
        }),
        { numRuns: RUNS },
      )
    },
    TIMEOUT_MS,
  )

  it(
    'delivers a prefix and an error when the network never heals',
    () => {
      fc.assert(
        fc.property(fc.nat(), link, fc.array(action, { maxLength: 12 }), (seed, config, actions) => {
          const { pair, client, server } = run(seed, config, actions)
          pair.world.network.heal()
          pair.world.network.cut('a', 'b')
          for (const writer of [client, server]) {
            writer.write(10)
            writer.seen.endpoint.shutdown(ignore)
          }
          pair.run()
          for (const [writer, reader] of [
            [client, server.seen],
            [server, client.seen],
          ] as const) {
            expect(prefixLength(reader)).toBeLessThanOrEqual(writer.written)
            expect([writer.seen.error, writer.seen.ended]).toEqual(['ETIMEDOUT', false])
          }
        }),
        { numRuns: RUNS },
      )
    },
    TIMEOUT_MS,
  )

  it(
    'lets no survivor wait forever for a peer that was killed or lost power',
    () => {
      const end = fc.record({
        who: side,
        how: fc.constantFrom('kill' as const, 'off' as const, 'cycle' as const),
        healed: fc.boolean(),
      })
      fc.assert(
        fc.property(
          fc.nat(),
          link,
          fc.array(action, { maxLength: 8 }),
          end,
          (seed, config, actions, { who, how, healed }) => {
            const { pair, client, server } = run(seed, config, actions)
            if (healed) pair.world.network.heal()
            const [survivor, victim] = who === 'client' ? [server, client] : [client, server]
            const host = who === 'client' ? pair.a : pair.b
            if (how === 'kill') {
              pair.world.kernel.kill(pair[who])
              host.net.release(pair[who])
            } else host.powerOff()
            if (how === 'cycle') host.powerOn()
            pair.runFor(1_000_000)
            const received = prefixLength(victim.seen)
            survivor.write(10)
            survivor.seen.endpoint.shutdown(ignore)
            pair.world.network.heal()
            pair.run()
            expect(survivor.seen.ended || survivor.seen.error !== null).toBe(true)
            expect(prefixLength(survivor.seen)).toBeLessThanOrEqual(victim.written)
            expect(prefixLength(victim.seen)).toBe(received) // the dead read no more
          },
        ),
        { numRuns: RUNS },
      )
    },
    TIMEOUT_MS,
  )

  it(
    'is kept by every schedule that a strategy can pick',
    () => {
      fc.assert(
        fc.property(fc.nat(), link, fc.array(action, { maxLength: 6 }), (seed, config, actions) => {
          const entropy = new Entropy(seed, 'strategy')
          const random: Strategy = { name: 'random', pick: (ready) => entropy.uint32() % ready.length }
          const { pair, client, server } = run(seed, { ...config, latenessUs: 1_000_000 }, actions, random)
          pair.world.network.heal()
          for (const writer of [client, server]) writer.seen.endpoint.shutdown(ignore)
          pair.run()
          expect([prefixLength(server.seen), server.seen.ended]).toEqual([client.written, true])
          expect([prefixLength(client.seen), client.seen.ended]).toEqual([server.written, true])
        }),
        { numRuns: RUNS / 3 },
      )
    },
    TIMEOUT_MS,
  )

  it('is noticed by this test when a link corrupts it', () => {
    const { pair, client, server } = run(7, { corruptPpm: 1_000_000 }, [
      { kind: 'write', from: 'client', size: 1_000 },
    ])
    pair.run()
    expect(client.written).toBe(1_000)
    expect(() => prefixLength(server.seen)).toThrow(/byte \d+ is/)
    expect(pair.world.reports.count('packet-corrupted')).toBe(1)
  })

  it('is the same run for the same seed, and another for another', () => {
    const config: Partial<LinkConfig> = {
      latency: { kind: 'uniform', minUs: 1, maxUs: 9_999 },
      splitPpm: 500_000,
      lossPpm: 100_000,
    }
    const actions: Action[] = Array.from({ length: 20 }, (_, i) => ({
      kind: 'write',
      from: i % 2 === 0 ? 'client' : 'server',
      size: 1_000 + i,
    }))
    const digest = (seed: number): string => {
      const { pair } = run(seed, config, actions)
      pair.run()
      return pair.world.kernel.hash.digest()
    }
    expect(digest(1)).toBe(digest(1))
    expect(digest(1)).not.toBe(digest(2))
  })
})
