/** Programs whose bug is an order of reads and writes: most are of SCTBench, written fresh for asynchronous JavaScript. */
import { Mutex, SharedCell, type RaceBody } from '../../../src/explore/index.ts'
import { all, pad, times } from '../program.ts'

/** n − 1 tasks set a, then b; one reads both and must not see them half set. Fixed: under a lock. */
export function reorder(n: number) {
  return (fixed: boolean): RaceBody =>
    async (t) => {
      const [a, b] = [new SharedCell(t, 'a', 0), new SharedCell(t, 'b', 0)]
      const mutex = new Mutex(t, 'mutex')
      const guarded = (work: () => Promise<void>) => (fixed ? () => mutex.runExclusive(work) : work)
      const set = async (): Promise<void> => {
        await a.set(1)
        await b.set(-1)
      }
      const check = async (): Promise<void> => {
        const [x, y] = [await a.get(), await b.get()]
        t.assert((x === 0 && y === 0) || (x === 1 && y === -1), `half set: ${x}, ${y}`)
      }
      await all(t, [...times(n - 1, () => guarded(set)), guarded(check)])
    }
}

/** The second stage is guarded by another lock than the first. Fixed: both by one. */
export function twostage(n: number) {
  return (fixed: boolean): RaceBody =>
    async (t) => {
      const [lock1, lock2] = [new Mutex(t, 'lock1'), new Mutex(t, 'lock2')]
      const both = new Mutex(t, 'both')
      const [data1, data2] = [new SharedCell(t, 'data1', 0), new SharedCell(t, 'data2', 0)]
      const guarded = (work: () => Promise<void>) => (fixed ? () => both.runExclusive(work) : work)
      const write = async (): Promise<void> => {
        await lock1.runExclusive(() => data1.set(1))
        await lock2.runExclusive(() => data2.set(2))
      }
      const read = async (): Promise<void> => {
        const first = await lock1.runExclusive(() => data1.get())
        if (first === 0) return
        const second = await lock2.runExclusive(() => data2.get())
        t.assert(second === first + 1, 'the second stage was not done')
      }
      await all(t, [...times(n - 1, () => guarded(write)), guarded(read)])
    }
}

/** A check that should come before two additions. Fixed: it does. */
export const lazy =
  (fixed: boolean): RaceBody =>
  async (t) => {
    const mutex = new Mutex(t, 'mutex')
    const data = new SharedCell(t, 'data', 0)
    const add = (n: number) => () => mutex.runExclusive(() => data.update((value) => value + n))
    const check = () => mutex.runExclusive(async () => t.assert((await data.get()) < 3, 'both came first'))
    if (fixed) await t.task('check', check)
    await all(t, [add(1), add(2), ...(fixed ? [] : [check])])
  }

/** A deposit and a withdrawal read and write the balance. Fixed: in one step each. */
export const account =
  (fixed: boolean): RaceBody =>
  async (t) => {
    const balance = new SharedCell(t, 'balance', 100)
    let booked = 0
    const book = (amount: number) => async () => {
      if (fixed) await balance.update((value) => value + amount)
      else await balance.set((await balance.get()) + amount)
      booked++
    }
    await all(t, [
      book(10),
      book(-10),
      async () => {
        const done = booked
        const now = await balance.get()
        if (done === 2) t.assert(now === 100, 'the books do not balance')
      },
    ])
    t.assert(balance.peek() === 100, 'the books do not balance')
  }

/** Two tasks guard one thing with one lock, a third with another. */
export const wrongLock =
  (fixed: boolean): RaceBody =>
  async (t) => {
    const [right, wrong] = [new Mutex(t, 'right'), new Mutex(t, 'wrong')]
    const data = new SharedCell(t, 'data', 0)
    const bump = (lock: Mutex) => () => lock.runExclusive(async () => data.set((await data.get()) + 1))
    await all(t, [bump(right), bump(right), bump(fixed ? right : wrong)])
    t.assert(data.peek() === 3, 'an update was lost')
  }

/** A value goes round three cells; whoever looks when all have moved must see it everywhere. Fixed: one after another. */
export const tokenRing =
  (fixed: boolean): RaceBody =>
  async (t) => {
    const [x1, x2, x3] = [new SharedCell(t, 'x1', 1), new SharedCell(t, 'x2', 2), new SharedCell(t, 'x3', 1)]
    let moved = 0
    const move = (to: SharedCell<number>, from: SharedCell<number>, add: number) => async () => {
      await to.set(((await from.get()) + add) % 4)
      moved++
    }
    const check = async (): Promise<void> => {
      const done = moved
      const values = [await x1.get(), await x2.get(), await x3.get()]
      const late = fixed ? done : moved
      if (late === 3) t.assert(new Set(values).size === 1, `the token is in pieces: ${values.join(', ')}`)
    }
    const moves = [move(x1, x3, 1), move(x2, x1, 0), move(x3, x2, 0)]
    const round = async (): Promise<void> => {
      for (const each of moves) await each()
    }
    await all(t, fixed ? [round, check] : [...moves, check])
  }

/** n tasks read, add and write. The worst case: all but one update is lost. Fixed: in one step each. */
export function lostUpdate(n: number, worst: boolean) {
  return (fixed: boolean): RaceBody =>
    async (t) => {
      const x = new SharedCell(t, 'x', 0)
      const add = async (): Promise<void> => {
        if (fixed) await x.update((value) => value + 1)
        else await x.set((await x.get()) + 1)
      }
      await all(
        t,
        times(n, () => add),
      )
      t.assert(worst ? x.peek() !== 1 : x.peek() === n, `${n} updates made ${x.peek()}`)
    }
}

/** A check and its use are close together; another task's one change is somewhere in a long run. Fixed: under a lock. */
export function tocttou(padding: number) {
  return (fixed: boolean): RaceBody =>
    async (t) => {
      const valid = new SharedCell(t, 'valid', true)
      const mutex = new Mutex(t, 'mutex')
      const guarded = (work: () => Promise<void>) => (fixed ? mutex.runExclusive(work) : work())
      await all(t, [
        async () => {
          await pad(t, padding)
          await guarded(async () => {
            if (await valid.get()) t.assert(await valid.get(), 'used after it was checked')
          })
          await pad(t, padding)
        },
        async () => {
          await pad(t, padding)
          await guarded(() => valid.set(false))
          await pad(t, padding)
        },
      ])
    }
}

/** One step must fall exactly between two others in the middle of a long run. Fixed: under a lock. */
export function needle(padding: number) {
  return (fixed: boolean): RaceBody =>
    async (t) => {
      const flag = new SharedCell(t, 'flag', 0)
      const mutex = new Mutex(t, 'mutex')
      const guarded = (work: () => Promise<void>) => (fixed ? mutex.runExclusive(work) : work())
      await all(t, [
        () => guarded(() => flag.set(1)),
        async () => {
          await pad(t, padding)
          await guarded(async () => {
            const [before, after] = [await flag.get(), await flag.get()]
            t.assert(before === after, 'changed in between')
          })
          await pad(t, padding)
        },
      ])
    }
}
