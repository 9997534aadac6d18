/**
 * Overload: one client acts as a fleet of workers that claim at once, fall asleep with their leases, or split all they
 * hold. Each scenario measures its goodput, completions per 100 requests, and must still get something done.
 */
import { sometimes, sometimesGreaterThan } from 'wavetank'
import { ask, halves, key, numberOf, send, sleep, type Context, type Lease } from './shard-client.ts'
import { COOLDOWN_MS, LEASE_MS } from './shard-processes.ts'

const FLEET = 6
const MOST_COMPLETIONS = 2

interface Member {
  readonly worker: string
  lease: Lease | null
}

/** The fleet of a client; `done` counts the shards that it completed. */
class Fleet {
  readonly members: readonly Member[]
  readonly context: Context
  done = 0
  private readonly asked: number

  constructor(context: Context) {
    this.context = context
    this.asked = context.state.asked
    const { worker } = context.state
    this.members = Array.from({ length: FLEET }, (_, at) => ({ worker: `${worker}-${at}`, lease: null }))
  }

  /** Every member without a lease claims one; returns how many shards they got. */
  async claim(members = this.members): Promise<number> {
    const got = members.map(async (member) => {
      member.lease ??= await ask(this.context, 'claim', { worker: member.worker })
      return member.lease === null ? 0 : 1
    })
    return sum(await Promise.all(got))
  }

  /** Members complete what they hold, a few at most, so that there is work left; returns how many could. */
  async complete(members = this.members): Promise<number> {
    const busy = members.filter(({ lease }) => lease !== null).slice(0, MOST_COMPLETIONS)
    const done = busy.map(async (member) => {
      const { lease, worker } = member
      member.lease = null
      if (lease === null) return 0
      const cursor = { key: key(numberOf(lease.range.end) - 1), token: '' }
      return (await send(this.context, 'complete', { cursor }, { ...lease, worker })) === null ? 0 : 1
    })
    const count = sum(await Promise.all(done))
    this.done += count
    return count
  }

  /** Every member replaces what it holds by two halves; returns how many could. */
  async split(): Promise<number> {
    const done = this.members.map(async (member) => {
      const { lease, worker } = member
      const children = lease === null ? null : halves(lease, false)
      if (lease === null || children === null) return 0
      member.lease = null
      this.context.state.old.push({ ...lease, worker })
      return (await send(this.context, 'split-replace', { children }, { ...lease, worker })) === null ? 0 : 1
    })
    return sum(await Promise.all(done))
  }

  goodput(scenario: string): void {
    const requests = Math.max(1, this.context.state.asked - this.asked)
    const message = `goodput of ${scenario}: completions per 100 requests`
    sometimesGreaterThan((100 * this.done) / requests, 0, message)
  }
}

export const OVERLOAD: Readonly<Record<string, (context: Context) => Promise<void>>> = {
  /** More workers than shards claim at once. */
  async burst(context) {
    const fleet = new Fleet(context)
    const got = await fleet.claim()
    sometimes(got > 0 && got < FLEET, 'a burst of claims meets too few shards')
    await fleet.complete()
    fleet.goodput('a burst of claims')
  },

  /** Half of the fleet sleeps through its leases; the others take over, and the sleepers come back. */
  async drop(context) {
    const fleet = new Fleet(context)
    const sleepers = fleet.members.filter((_, at) => at % 2 === 0)
    const awake = fleet.members.filter((_, at) => at % 2 === 1)
    await fleet.claim()
    await fleet.complete(awake)
    await sleep(4 * LEASE_MS)
    await fleet.claim(awake)
    const late = await fleet.complete(sleepers)
    sometimes(late === 0, 'half of the workers come back after their leases have ended')
    await sleep(COOLDOWN_MS)
    await fleet.claim(sleepers)
    sometimes((await fleet.complete()) > 0, 'a shard is completed after a drop of capacity')
    fleet.goodput('a drop of capacity')
  },

  /** The whole fleet splits what it holds, and works on the parts. */
  async shatter(context) {
    const fleet = new Fleet(context)
    await fleet.claim()
    sometimes((await fleet.split()) > 1, 'a burst of splits')
    await sleep(COOLDOWN_MS)
    await fleet.claim()
    await fleet.complete()
    fleet.goodput('a burst of splits')
  },
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, each) => total + each, 0)
}
