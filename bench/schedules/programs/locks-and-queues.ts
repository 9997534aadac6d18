/** Programs whose bug is in locks, conditions and containers: deadlocks, lost wake-ups, a check outside its lock. */
import { Condition, Mutex, SharedCell, type RaceBody, type RaceContext } from '../../../src/explore/index.ts'
import { all, times } from '../program.ts'

/** Two locks, taken in both orders. Fixed: in one. */
export const deadlock =
  (fixed: boolean): RaceBody =>
  async (t) => {
    const [a, b] = [new Mutex(t, 'a'), new Mutex(t, 'b')]
    const both = (first: Mutex, second: Mutex) => () =>
      first.runExclusive(() => second.runExclusive(() => t.point()))
    await all(t, [both(a, b), fixed ? both(a, b) : both(b, a)])
  }

/** Everybody takes the left fork, then the right. Fixed: the last one the other way round. */
export function dining(n: number) {
  return (fixed: boolean): RaceBody =>
    async (t) => {
      const forks = times(n, (i) => new Mutex(t, `fork${i}`))
      const dine = (i: number) => () => {
        const pair = [forks[i], forks[(i + 1) % n]]
        if (fixed && i === n - 1) pair.reverse()
        return pair[0].runExclusive(() => pair[1].runExclusive(() => {}))
      }
      await all(t, times(n, dine))
    }
}

/** A driver is stopped while a request passes its check (Qadeer and Wu's example). Fixed: it counts first. */
export const bluetooth =
  (fixed: boolean): RaceBody =>
  async (t) => {
    const pendingIo = new SharedCell(t, 'pendingIo', 1)
    const stopping = new SharedCell(t, 'stopping', false)
    let stopped = false
    const enter = () => pendingIo.update((n) => n + 1)
    const release = async (): Promise<void> => {
      if ((await pendingIo.update((n) => n - 1)) === 0) stopped = true
    }
    await all(t, [
      async () => {
        if (fixed) await enter()
        if (await stopping.get()) return fixed ? release() : undefined
        if (!fixed) await enter()
        t.assert(!stopped, 'a request entered a stopped driver')
        await release()
      },
      async () => {
        await stopping.set(true)
        await release()
      },
    ])
  }

/** A pop that checks before it locks. Fixed: it locks first. */
export const stack =
  (fixed: boolean): RaceBody =>
  async (t) => {
    const items: number[] = []
    const size = new SharedCell(t, 'size', 0)
    const mutex = new Mutex(t, 'mutex')
    const push = (item: number) => () =>
      mutex.runExclusive(async () => {
        items.push(item)
        await size.set(items.length)
      })
    const take = async (): Promise<void> => {
      t.assert(items.length > 0, 'popped from an empty stack')
      items.pop()
      await size.set(items.length)
    }
    const pop = async (): Promise<void> => {
      if ((await size.get()) > 0) await mutex.runExclusive(take)
    }
    const popLocked = () =>
      mutex.runExclusive(async () => {
        if ((await size.get()) > 0) await take()
      })
    await all(t, [push(1), ...times(2, () => (fixed ? popLocked : pop))])
  }

/** Whoever is scheduled first takes a lock that is released, as with threads: `Mutex` hands it on in order. */
class ThreadMutex extends Mutex {
  private readonly point: RaceContext
  private isHeld = false
  private readonly blocked: (() => void)[] = []

  constructor(t: RaceContext, name: string) {
    super(t, name)
    this.point = t
  }

  override async acquire(): Promise<void> {
    await this.point.access(this.name, 'write', `acquire ${this.name}`)
    while (this.isHeld)
      await this.point.wait(`${this.name} to be released`, (wake) => this.blocked.push(wake))
    this.isHeld = true
  }

  override async release(): Promise<void> {
    await this.point.access(this.name, 'write', `release ${this.name}`)
    this.isHeld = false
    for (const wake of this.blocked.splice(0)) wake()
  }
}

/** Producers and consumers share one condition and wake only one: it can be of the wrong kind. Fixed: they wake all. */
export function boundedBuffer(producers: number, consumers: number) {
  return (fixed: boolean): RaceBody =>
    async (t) => {
      const mutex = new ThreadMutex(t, 'mutex')
      const changed = new Condition(t, 'changed')
      const isFull = new SharedCell(t, 'is full', false)
      const turn = (fills: boolean) => () =>
        mutex.runExclusive(async () => {
          while ((await isFull.get()) === fills) await changed.wait(mutex)
          await isFull.set(fills)
          await (fixed ? changed.notifyAll() : changed.notifyOne())
        })
      await all(t, [...times(producers, () => turn(true)), ...times(consumers, () => turn(false))])
    }
}

/** The owner's pop and a thief's steal check head and tail without a lock (after Frigo's THE protocol, broken). */
export const workStealing =
  (fixed: boolean): RaceBody =>
  async (t) => {
    const head = new SharedCell(t, 'head', 0)
    const tail = new SharedCell(t, 'tail', 2)
    const mutex = new Mutex(t, 'mutex')
    const taken: number[] = []
    const guarded = (work: () => Promise<void>) => (fixed ? mutex.runExclusive(work) : work())
    const pop = async (): Promise<void> => {
      const at = (await tail.get()) - 1
      await tail.set(at)
      if ((await head.get()) <= at) taken.push(at)
    }
    const steal = async (): Promise<void> => {
      const at = await head.get()
      if (at >= (await tail.get())) return
      await head.set(at + 1)
      taken.push(at)
    }
    await all(t, [
      async () => {
        await guarded(pop)
        await guarded(pop)
      },
      () => guarded(steal),
    ])
    t.assert(new Set(taken).size === taken.length, 'an item was taken twice')
  }

/** Appending one buffer to another reads the length first and the characters later (JDK 1.4's StringBuffer). */
export const stringBuffer =
  (fixed: boolean): RaceBody =>
  async (t) => {
    let text = 'abc'
    const source = new Mutex(t, 'source')
    const characters = (n: number): string => {
      t.assert(n <= text.length, 'characters beyond the end')
      return text.slice(0, n)
    }
    const append = async (): Promise<void> => {
      const length = await source.runExclusive(() => text.length)
      await source.runExclusive(() => characters(length))
    }
    const appendAtOnce = () => source.runExclusive(() => characters(text.length))
    await all(t, [fixed ? appendAtOnce : append, () => source.runExclusive(() => void (text = ''))])
  }
