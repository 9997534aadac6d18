/** Programs as services have them: caches, leases, retries, agreements and files, with the waits that I/O would have. */
import { Mutex, SharedCell, type RaceBody } from '../../../src/explore/index.ts'
import { all } from '../program.ts'

/** Asynchronous double-checked initialisation: the flag is set before the value is there. Fixed: after. */
export const doubleChecked =
  (fixed: boolean): RaceBody =>
  async (t) => {
    const ready = new SharedCell(t, 'ready', false)
    const value = new SharedCell<string | null>(t, 'value', null)
    const mutex = new Mutex(t, 'mutex')
    const get = async (): Promise<void> => {
      if (!(await ready.get())) {
        await mutex.runExclusive(async () => {
          if (await ready.get()) return
          if (fixed) await value.set('made')
          await ready.set(true)
          if (!fixed) await value.set('made')
        })
      }
      t.assert((await value.get()) === 'made', 'used before it was made')
    }
    await all(t, [get, get])
  }

/** Whoever misses loads. Fixed: one load, shared. */
export const cacheStampede =
  (fixed: boolean): RaceBody =>
  async (t) => {
    const cache = new SharedCell<string | null>(t, 'cache', null)
    let loads = 0
    let loading: Promise<void> | null = null
    const load = async (): Promise<void> => {
      loads++
      await t.point('load')
      await cache.set('value')
    }
    const get = async (): Promise<void> => {
      if ((await cache.get()) !== null) return
      if (fixed) await (loading ??= load())
      else await load()
    }
    await all(t, [get, get, get])
    t.assert(loads < 3, 'everybody loaded')
  }

/**
 * A lease of three ticks; the second node's clock is two ticks fast, and the first works a moment after it has looked at
 * its own. Fixed: the store takes no writes of an older lease.
 */
export const leaseWithSkew =
  (fixed: boolean): RaceBody =>
  async (t) => {
    const clock = new SharedCell(t, 'clock', 0)
    const lease = new SharedCell(t, 'lease', { term: 1, expires: 3 })
    let newest = 0
    const write = (term: number): void => {
      if (fixed && term < newest) return
      t.assert(term >= newest, `lease ${term} wrote after lease ${newest} had`)
      newest = term
    }
    await all(t, [
      async () => {
        for (let i = 0; i < 4; i++) await clock.update((now) => now + 1)
      },
      async () => {
        const { expires, term } = lease.peek()
        if ((await clock.get()) >= expires) return
        await t.point('work')
        write(term)
      },
      async () => {
        const held = await lease.get()
        const skewed = (await clock.get()) + 2
        if (skewed < held.expires) return
        const taken = { term: held.term + 1, expires: skewed + 3 }
        await lease.set(taken)
        write(taken.term)
      },
    ])
  }

/** A request is sent again when its answer is late; the server does it twice. Fixed: the server knows it by its key. */
export const retriedPost =
  (fixed: boolean): RaceBody =>
  async (t) => {
    let charged = 0
    const keys = new Set<string>()
    const answer = new SharedCell(t, 'answer', false)
    const post = async (): Promise<void> => {
      await t.point('arrives')
      if (!fixed || !keys.has('order 1')) charged++
      keys.add('order 1')
      await answer.set(true)
    }
    await all(t, [
      async () => {
        const first = t.task('first post', post)
        await t.point('time-out')
        if (!(await answer.get())) await t.task('second post', post)
        await first
      },
    ])
    t.assert(charged === 1, 'charged twice')
  }

/**
 * Each general decides at its own deadline by what its messengers have brought. Fixed: not by more messengers, which
 * cannot help, but by one place where the first decision stands.
 */
export const twoGenerals =
  (fixed: boolean): RaceBody =>
  async (t) => {
    const plan = new SharedCell(t, 'plan', false)
    const acknowledged = new SharedCell(t, 'acknowledged', false)
    const decision = new SharedCell<'attack' | 'retreat' | null>(t, 'decision', null)
    const decide = async (message: SharedCell<boolean>): Promise<string> => {
      const wish = (await message.get()) ? 'attack' : 'retreat'
      if (!fixed) return wish
      return decision.update((decided) => decided ?? wish) as Promise<string>
    }
    let [first, second] = ['', '']
    await all(t, [
      async () => {
        await plan.set(true)
        first = await decide(acknowledged)
      },
      async () => {
        second = await decide(plan)
        if (second === 'attack') await acknowledged.set(true)
      },
    ])
    t.assert(first === second, `one general chose to ${first}, the other to ${second}`)
  }

/** A file is renamed into place before its contents are safe; the power goes in between. Fixed: fsync comes first. */
export const renameWithoutFsync =
  (fixed: boolean): RaceBody =>
  async (t) => {
    const cache = new SharedCell(t, 'page cache', 'old')
    const disk = new SharedCell(t, 'disk', 'old')
    const name = new SharedCell(t, 'name', 'old')
    const sync = () => disk.set(cache.peek())
    await all(t, [
      async () => {
        await cache.set('new')
        if (fixed) await sync()
        await name.set('new')
        if (!fixed) await sync()
      },
      async () => {
        const [named, kept] = [await name.get(), await disk.get()]
        t.assert(!(named === 'new' && kept === 'old'), 'the new name has the old contents')
      },
    ])
  }
