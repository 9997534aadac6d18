/**
 * The classic programs of the concurrency-testing literature, written fresh for asynchronous JavaScript: each shared
 * access and each lock operation is one scheduling point. Every one has a bug; the bench counts the schedules to find it.
 */
import { Condition, Mutex, SharedCell, type RaceBody, type RaceContext } from '../../src/explore/index.ts'

export interface Program {
  readonly name: string
  readonly body: RaceBody
  /** Mean schedules to the bug in a reference model of the same program, by strategy, where there are such numbers. */
  readonly reference?: Readonly<Record<string, number>>
}

type Work = () => unknown

function all(t: RaceContext, works: readonly Work[]): Promise<unknown> {
  return Promise.all(works.map((work, i) => t.task(`t${i}`, work)))
}

function times<T>(n: number, make: (i: number) => T): T[] {
  return Array.from({ length: n }, (_, i) => make(i))
}

/** Steps that touch nothing anybody else touches. */
async function pad(t: RaceContext, n: number): Promise<void> {
  for (let i = 0; i < n; i++) await t.access('nothing', 'read', 'pad')
}

/** n − 1 tasks set a, then b; one reads both and must not see them half set. */
function reorder(n: number): RaceBody {
  return async (t) => {
    const [a, b] = [new SharedCell(t, 'a', 0), new SharedCell(t, 'b', 0)]
    const set = async () => {
      await a.set(1)
      await b.set(-1)
    }
    const check = async () => {
      const [x, y] = [await a.get(), await b.get()]
      t.assert((x === 0 && y === 0) || (x === 1 && y === -1), `half set: ${x}, ${y}`)
    }
    await all(t, [...times(n - 1, () => set), check])
  }
}

/** The second stage is guarded by another lock than the first. */
function twostage(n: number): RaceBody {
  return async (t) => {
    const [lock1, lock2] = [new Mutex(t, 'lock1'), new Mutex(t, 'lock2')]
    const [data1, data2] = [new SharedCell(t, 'data1', 0), new SharedCell(t, 'data2', 0)]
    const write = async () => {
      await lock1.runExclusive(() => data1.set(1))
      await lock2.runExclusive(() => data2.set(2))
    }
    const read = async () => {
      const first = await lock1.runExclusive(() => data1.get())
      if (first === 0) return
      const second = await lock2.runExclusive(() => data2.get())
      t.assert(second === first + 1, 'the second stage was not done')
    }
    await all(t, [...times(n - 1, () => write), read])
  }
}

const lazy: RaceBody = async (t) => {
  const mutex = new Mutex(t, 'mutex')
  const data = new SharedCell(t, 'data', 0)
  const add = (n: number) => () => mutex.runExclusive(() => data.update((value) => value + n))
  const check = () => mutex.runExclusive(async () => t.assert((await data.get()) < 3, 'both came first'))
  await all(t, [add(1), add(2), check])
}

const account: RaceBody = async (t) => {
  const balance = new SharedCell(t, 'balance', 100)
  let deposits = false
  let withdrawals = false
  await all(t, [
    async () => {
      await balance.set((await balance.get()) + 10)
      deposits = true
    },
    async () => {
      await balance.set((await balance.get()) - 10)
      withdrawals = true
    },
    async () => {
      const now = await balance.get()
      if (deposits && withdrawals) t.assert(now === 100, 'the books do not balance')
    },
  ])
  t.assert(balance.peek() === 100, 'the books do not balance')
}

/** Two tasks guard one thing with one lock, a third with another. */
const wrongLock: RaceBody = async (t) => {
  const [right, wrong] = [new Mutex(t, 'right'), new Mutex(t, 'wrong')]
  const data = new SharedCell(t, 'data', 0)
  const bump = (lock: Mutex) => () => lock.runExclusive(async () => data.set((await data.get()) + 1))
  await all(t, [bump(right), bump(right), bump(wrong)])
  t.assert(data.peek() === 3, 'an update was lost')
}

const deadlock: RaceBody = async (t) => {
  const [a, b] = [new Mutex(t, 'a'), new Mutex(t, 'b')]
  const both = (first: Mutex, second: Mutex) => () =>
    first.runExclusive(() => second.runExclusive(() => t.point()))
  await all(t, [both(a, b), both(b, a)])
}

function dining(n: number): RaceBody {
  return async (t) => {
    const forks = times(n, (i) => new Mutex(t, `fork${i}`))
    await all(
      t,
      times(n, (i) => () => forks[i].runExclusive(() => forks[(i + 1) % n].runExclusive(() => {}))),
    )
  }
}

/** A driver is stopped while a request passes its check (Qadeer and Wu's example). */
const bluetooth: RaceBody = async (t) => {
  const pendingIo = new SharedCell(t, 'pendingIo', 1)
  const stopping = new SharedCell(t, 'stopping', false)
  let stopped = false
  const release = async () => {
    if ((await pendingIo.update((n) => n - 1)) === 0) stopped = true
  }
  await all(t, [
    async () => {
      if (await stopping.get()) return
      await pendingIo.update((n) => n + 1)
      t.assert(!stopped, 'a request entered a stopped driver')
      await release()
    },
    async () => {
      await stopping.set(true)
      await release()
    },
  ])
}

/** A value goes round three cells; whoever looks when all have moved must see it everywhere. */
const tokenRing: RaceBody = async (t) => {
  const [x1, x2, x3] = [new SharedCell(t, 'x1', 1), new SharedCell(t, 'x2', 2), new SharedCell(t, 'x3', 1)]
  let moved = 0
  const move = (to: SharedCell<number>, from: SharedCell<number>, add: number) => async () => {
    await to.set(((await from.get()) + add) % 4)
    moved++
  }
  const check = async () => {
    const values = [await x1.get(), await x2.get(), await x3.get()]
    if (moved === 3) t.assert(new Set(values).size === 1, `the token is in pieces: ${values.join(', ')}`)
  }
  await all(t, [move(x1, x3, 1), move(x2, x1, 0), move(x3, x2, 0), check])
}

/** A pop that checks before it locks. */
const stack: RaceBody = async (t) => {
  const items: number[] = []
  const size = new SharedCell(t, 'size', 0)
  const mutex = new Mutex(t, 'mutex')
  const push = (item: number) => () =>
    mutex.runExclusive(async () => {
      items.push(item)
      await size.set(items.length)
    })
  const pop = async () => {
    if ((await size.get()) === 0) return
    await mutex.runExclusive(async () => {
      t.assert(items.length > 0, 'popped from an empty stack')
      items.pop()
      await size.set(items.length)
    })
  }
  await all(t, [push(1), pop, pop])
}

/** Producers and consumers share one condition and wake only one: the wake-up can go to the wrong kind. */
function boundedBuffer(producers: number, consumers: number): RaceBody {
  return async (t) => {
    const mutex = new Mutex(t, 'mutex')
    const changed = new Condition(t, 'changed')
    const buffer = { full: false }
    const produce = () =>
      mutex.runExclusive(async () => {
        while (buffer.full) await changed.wait(mutex)
        buffer.full = true
        await changed.notifyOne()
      })
    const consume = () =>
      mutex.runExclusive(async () => {
        while (!buffer.full) await changed.wait(mutex)
        buffer.full = false
        await changed.notifyOne()
      })
    await all(t, [...times(producers, () => produce), ...times(consumers, () => consume)])
  }
}

/** The owner's pop and a thief's steal check head and tail without a lock (after Frigo's THE protocol, broken). */
const workStealing: RaceBody = async (t) => {
  const head = new SharedCell(t, 'head', 0)
  const tail = new SharedCell(t, 'tail', 2)
  const taken: number[] = []
  const pop = async () => {
    const at = (await tail.get()) - 1
    await tail.set(at)
    if ((await head.get()) <= at) taken.push(at)
  }
  const steal = async () => {
    const at = await head.get()
    if (at >= (await tail.get())) return
    await head.set(at + 1)
    taken.push(at)
  }
  await all(t, [
    async () => {
      await pop()
      await pop()
    },
    steal,
  ])
  t.assert(new Set(taken).size === taken.length, 'an item was taken twice')
}

/** Appending one buffer to another reads the length first and the characters later (JDK 1.4's StringBuffer). */
const stringBuffer: RaceBody = async (t) => {
  let text = 'abc'
  const source = new Mutex(t, 'source')
  const length = () => source.runExclusive(() => text.length)
  const characters = (n: number) =>
    source.runExclusive(() => {
      t.assert(n <= text.length, 'characters beyond the end')
      return text.slice(0, n)
    })
  await all(t, [async () => characters(await length()), () => source.runExclusive(() => void (text = ''))])
}

function lostUpdate(n: number, worst: boolean): RaceBody {
  return async (t) => {
    const x = new SharedCell(t, 'x', 0)
    await all(
      t,
      times(n, () => async () => x.set((await x.get()) + 1)),
    )
    t.assert(worst ? x.peek() !== 1 : x.peek() === n, `${n} updates made ${x.peek()}`)
  }
}

/** A check and its use are close together; another task's one change is somewhere in a long run. */
function tocttou(padding: number): RaceBody {
  return async (t) => {
    const valid = new SharedCell(t, 'valid', true)
    await all(t, [
      async () => {
        await pad(t, padding)
        if (!(await valid.get())) return
        t.assert(await valid.get(), 'used after it was checked')
        await pad(t, padding)
      },
      async () => {
        await pad(t, padding)
        await valid.set(false)
        await pad(t, padding)
      },
    ])
  }
}

/** One step must fall exactly between two others in the middle of a long run. */
function needle(padding: number): RaceBody {
  return async (t) => {
    const flag = new SharedCell(t, 'flag', 0)
    await all(t, [
      () => flag.set(1),
      async () => {
        await pad(t, padding)
        const [before, after] = [await flag.get(), await flag.get()]
        t.assert(before === after, 'changed in between')
        await pad(t, padding)
      },
    ])
  }
}

/** Asynchronous double-checked initialisation: the flag is set before the value is there. */
const doubleChecked: RaceBody = async (t) => {
  const ready = new SharedCell(t, 'ready', false)
  const value = new SharedCell<string | null>(t, 'value', null)
  const mutex = new Mutex(t, 'mutex')
  const get = async () => {
    if (!(await ready.get())) {
      await mutex.runExclusive(async () => {
        if (await ready.get()) return
        await ready.set(true)
        await value.set('made')
      })
    }
    t.assert((await value.get()) === 'made', 'used before it was made')
  }
  await all(t, [get, get])
}

const cacheStampede: RaceBody = async (t) => {
  const cache = new SharedCell<string | null>(t, 'cache', null)
  let loads = 0
  const get = async () => {
    if ((await cache.get()) !== null) return
    loads++
    await t.point('load')
    await cache.set('value')
  }
  await all(t, [get, get, get])
  t.assert(loads < 3, 'everybody loaded')
}

/** A lease holder that is late writes after its lease has gone to another. */
const lease: RaceBody = async (t) => {
  const owner = new SharedCell<string | null>(t, 'owner', null)
  const data: string[] = []
  const hold = (name: string) => async () => {
    if (!(await owner.compareAndSet(null, name))) return
    await t.point('work')
    data.push(name)
    t.assert(owner.peek() === name, `${name} wrote without the lease`)
    await owner.compareAndSet(name, null)
  }
  await all(t, [hold('a'), async () => owner.set(null), hold('b')])
}

/** A request is sent again when its answer is late; the server does it twice. */
const retriedPost: RaceBody = async (t) => {
  let charged = 0
  const answer = new SharedCell(t, 'answer', false)
  const post = async () => {
    await t.point('arrives')
    charged++
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

const twoGenerals: RaceBody = async (t) => {
  const plan = new SharedCell(t, 'plan', false)
  const acknowledged = new SharedCell(t, 'acknowledged', false)
  let [first, second] = [false, false]
  await all(t, [
    async () => {
      await plan.set(true)
      first = await acknowledged.get()
    },
    async () => {
      if (!(await plan.get())) return
      await acknowledged.set(true)
      second = true
    },
  ])
  t.assert(first === second, 'one general attacks alone')
}

/** A file is renamed into place before its contents are safe; the power goes in between. */
const renameWithoutFsync: RaceBody = async (t) => {
  const cache = new SharedCell(t, 'page cache', 'old')
  const disk = new SharedCell(t, 'disk', 'old')
  const name = new SharedCell(t, 'name', 'old')
  await all(t, [
    async () => {
      await cache.set('new')
      await name.set('new')
      await disk.set(cache.peek())
    },
    async () => {
      const [named, kept] = [await name.get(), await disk.get()]
      t.assert(!(named === 'new' && kept === 'old'), 'the new name has the old contents')
    },
  ])
}

export const PROGRAMS: readonly Program[] = [
  { name: 'reorder_3', body: reorder(3), reference: { random: 4.5, pct: 4.5, pos: 2.9, urw: 3.3 } },
  { name: 'reorder_5', body: reorder(5), reference: { random: 5.9, pct: 12, pos: 4, urw: 3.5 } },
  { name: 'reorder_10', body: reorder(10), reference: { random: 7.5, pct: 43, pos: 6.8, urw: 6.9 } },
  { name: 'reorder_20', body: reorder(20), reference: { random: 15, pct: 202, pos: 12, urw: 12 } },
  { name: 'reorder_50', body: reorder(50), reference: { random: 29, pos: 28, urw: 29 } },
  { name: 'reorder_100', body: reorder(100) },
  { name: 'twostage', body: twostage(2), reference: { random: 26, pct: 7.2, pos: 9.5, urw: 14 } },
  { name: 'twostage_20', body: twostage(20), reference: { random: 150, pct: 443, pos: 73, urw: 124 } },
  { name: 'twostage_100', body: twostage(100) },
  { name: 'lazy', body: lazy, reference: { random: 3, pct: 2.3, pos: 2.8, urw: 3 } },
  { name: 'account', body: account, reference: { random: 2.3, pct: 3.1, pos: 3.6, urw: 3.2 } },
  { name: 'wrong lock', body: wrongLock },
  { name: 'deadlock', body: deadlock, reference: { random: 1.8, pct: 4.6, pos: 2.8, urw: 1.7 } },
  { name: 'dining_3', body: dining(3), reference: { random: 2.6, pct: 14, pos: 4.7, urw: 2.5 } },
  { name: 'dining_5', body: dining(5), reference: { random: 6.1, pct: 241, pos: 15, urw: 5.1 } },
  { name: 'dining_10', body: dining(10), reference: { random: 41, pos: 215, urw: 19 } },
  { name: 'bluetooth driver', body: bluetooth },
  { name: 'token ring', body: tokenRing },
  { name: 'stack', body: stack },
  {
    name: 'bounded buffer 3p3c',
    body: boundedBuffer(3, 3),
    reference: { random: 5.2, pct: 16, pos: 4.8, urw: 3.9 },
  },
  { name: 'work-stealing queue', body: workStealing },
  { name: 'string buffer', body: stringBuffer },
  { name: 'lost update', body: lostUpdate(2, false), reference: { random: 1.7, pct: 2, pos: 3.1, urw: 1.6 } },
  {
    name: 'lose all but one of 5',
    body: lostUpdate(5, true),
    reference: { random: 4.2, pct: 14, pos: 11, urw: 2.6 },
  },
  {
    name: 'lose all but one of 10',
    body: lostUpdate(10, true),
    reference: { random: 9.1, pct: 53, pos: 32, urw: 3.9 },
  },
  { name: 'TOCTTOU pad 5', body: tocttou(5), reference: { random: 9.4, pct: 29, pos: 19, urw: 6.3 } },
  { name: 'TOCTTOU pad 50', body: tocttou(50), reference: { random: 24, pct: 327, pos: 125, urw: 19 } },
  { name: 'needle pad 10', body: needle(10), reference: { pct: 38, pos: 25, urw: 24 } },
  { name: 'needle pad 100', body: needle(100), reference: { pct: 389, pos: 206, urw: 203 } },
  { name: 'double-checked init', body: doubleChecked },
  { name: 'cache stampede', body: cacheStampede },
  { name: 'lease', body: lease },
  { name: 'retried POST', body: retriedPost },
  { name: 'two generals', body: twoGenerals },
  { name: 'rename without fsync', body: renameWithoutFsync },
]
