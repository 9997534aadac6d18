/** Two nodes share a lease in a file; the leader looks at its own clock, and writes a little later. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RaceContext } from 'wavetank/explore'
import { race } from 'wavetank/vitest'

const LEASE = '/tmp/lease'
const LEASE_MS = 300

interface Lease {
  readonly owner: string
  readonly term: number
  readonly expires: number
}

class Store {
  readonly writes: string[] = []
  private term = 0
  private readonly fenced: boolean
  constructor(fenced: boolean) {
    this.fenced = fenced
  }
  async write(name: string, term: number): Promise<void> {
    await readFile(LEASE) // the journey to the store
    if (this.fenced && term < this.term) return
    this.writes.push(`${name} in term ${term}${term < this.term ? `, but ${this.term} had begun` : ''}`)
    this.term = Math.max(this.term, term)
  }
}

async function take(lease: Lease): Promise<void> {
  await writeFile(`${LEASE}.${lease.owner}`, JSON.stringify(lease))
  await rename(`${LEASE}.${lease.owner}`, LEASE)
}

async function node(name: string, store: Store): Promise<void> {
  for (let round = 0; round < 3; round++) {
    let lease = JSON.parse(await readFile(LEASE, 'utf8')) as Lease
    if (lease.owner !== name && lease.expires < Date.now()) {
      lease = { owner: name, term: lease.term + 1, expires: Date.now() + LEASE_MS }
      await take(lease)
      lease = JSON.parse(await readFile(LEASE, 'utf8')) as Lease
    }
    if (lease.owner === name && Date.now() < lease.expires) await store.write(name, lease.term)
    await sleep(250)
  }
}

async function run(t: RaceContext, fenced: boolean): Promise<void> {
  await take({ owner: 'a', term: 1, expires: Date.now() + LEASE_MS })
  const store = new Store(fenced)
  await Promise.all(['a', 'b'].map((name) => t.task(name, () => node(name, store))))
  for (const write of store.writes) t.assert(!write.includes('but'), write)
}

race('broken', (t) => run(t, false))
race('mended', (t) => run(t, true))
