/** A cache with time to live: a load that began before an invalidation stores what it read after it. */
import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RaceContext } from 'wavetank/explore'
import { race } from 'wavetank/vitest'

const FILE = '/tmp/config'

class Cache {
  private value: string | null = null
  private generation = 0
  private expiry: NodeJS.Timeout | undefined
  private readonly checked: boolean

  constructor(checked: boolean) {
    this.checked = checked
  }

  async get(): Promise<string> {
    if (this.value !== null) return this.value
    const { generation } = this
    const value = await readFile(FILE, 'utf8')
    if (this.checked && generation !== this.generation) return value
    this.value = value
    clearTimeout(this.expiry)
    this.expiry = setTimeout(() => this.invalidate(), 5_000)
    return value
  }

  invalidate(): void {
    this.generation++
    this.value = null
  }
}

async function run(t: RaceContext, checked: boolean): Promise<void> {
  await writeFile(FILE, 'old')
  const cache = new Cache(checked)
  const read = async (): Promise<void> => {
    await sleep(5)
    await cache.get()
    await sleep(5)
    await cache.get()
  }
  await Promise.all([
    t.task('reader 1', read),
    t.task('reader 2', read),
    t.task('writer', async () => {
      await sleep(20)
      await writeFile(FILE, 'new')
      cache.invalidate()
    }),
  ])
  t.assert((await cache.get()) === 'new', 'a stale value outlives its invalidation')
}

race('broken', (t) => run(t, false))
race('mended', (t) => run(t, true))
