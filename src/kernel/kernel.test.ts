import { describe, expect, it } from 'vitest'
import type { KernelEvent } from './event.ts'
import { Kernel } from './kernel.ts'
import type { Strategy } from './strategy.ts'

function logged(kernel: Kernel = new Kernel({ seed: 1 })) {
  const log: string[] = []
  const say = (text: string) => () => void log.push(`${kernel.now} ${text}`)
  return { kernel, log, say }
}

describe('the kernel, by time', () => {
  it('runs events by time, and by order of scheduling within one time', () => {
    const { kernel, log, say } = logged()
    const actor = kernel.actor('a')
    kernel.schedule(actor, 'e', 20, say('late'))
    kernel.schedule(actor, 'e', 10, say('first'))
    kernel.schedule(actor, 'e', 10, say('second'))
    kernel.schedule(actor, 'e', 0, () => kernel.schedule(actor, 'e', 10, say('third')))
    expect(kernel.run()).toBe('idle')
    expect(log).toEqual(['10 first', '10 second', '10 third', '20 late'])
    expect([kernel.now, kernel.step]).toEqual([20, 5])
  })

  it('cancels and re-arms events', () => {
    const { kernel, log, say } = logged()
    const actor = kernel.actor('a')
    const moved = kernel.schedule(actor, 'e', 10, say('moved'))
    const gone = kernel.schedule(actor, 'e', 10, say('gone'))
    kernel.arm(moved, 30)
    kernel.cancel(gone)
    kernel.cancel(gone)
    kernel.run()
    expect(log).toEqual(['30 moved'])
  })

  it('lets time pass when a process reads a clock, so that busy-waiting ends', () => {
    const { kernel } = logged()
    let reads = 0
    kernel.schedule(kernel.actor('a'), 'e', 5, () => {
      while (kernel.readClock() < 100) reads++
    })
    kernel.run()
    expect([reads, kernel.now]).toEqual([94, 100])
  })

  it('stops, counts steps, and gives the host a turn when asked', () => {
    const { kernel } = logged()
    const actor = kernel.actor('a')
    kernel.schedule(actor, 'e', 1, () => kernel.stop())
    kernel.schedule(actor, 'e', 2, () => kernel.requestHostTurn())
    kernel.schedule(actor, 'e', 3, () => {})
    kernel.schedule(actor, 'e', 4, () => {})
    expect([kernel.run(), kernel.run(), kernel.run(1), kernel.run(), kernel.run()]).toEqual([
      'stopped',
      'host-turn',
      'steps',
      'idle',
      'idle',
    ])
  })

  it('holds what comes for a paused actor, in order, and drops what is for a dead one', () => {
    const { kernel, log, say } = logged()
    const [a, b] = [kernel.actor('a'), kernel.actor('b')]
    kernel.schedule(a, 'e', 10, say('a event'))
    kernel.schedule(b, 'e', 20, () => kernel.deliver(a, say('a delivery')))
    kernel.schedule(a, 'e', 30, say('a second event'))
    kernel.pause(a)
    kernel.schedule(b, 'e', 50, () => kernel.resume(a))
    kernel.run()
    expect(log).toEqual(['50 a event', '50 a delivery', '50 a second event'])
    kernel.schedule(a, 'e', 1, say('never'))
    kernel.kill(a)
    kernel.deliver(a, say('never'))
    expect(kernel.queue.size).toBe(0)
    expect([kernel.run(), log.length]).toEqual(['idle', 3])
  })

  it('a paused actor that is killed never runs what it held', () => {
    const { kernel, log, say } = logged()
    const a = kernel.actor('a')
    kernel.pause(a)
    kernel.deliver(a, say('never'))
    kernel.kill(a)
    kernel.resume(a)
    kernel.run()
    expect(log).toEqual([])
  })

  it('attributes a step to the actor it was delivered to, with program order and cause', () => {
    const { kernel } = logged()
    const host = kernel.actor('host', { ordered: false })
    const process = kernel.actor('process')
    const nothing = (): void => {}
    kernel.schedule(process, 'timer', 1, () =>
      kernel.schedule(host, 'segment', 5, () => kernel.deliver(process, nothing)),
    )
    kernel.schedule(host, 'segment', 2, nothing)
    kernel.run()
    expect([1, 2, 3].map((step) => kernel.trace.row(step))).toEqual([
      { step: 1, time: 1, kind: 'timer', actor: 'process', cause: 0, previous: 0, links: [] },
      { step: 2, time: 2, kind: 'segment', actor: 'host', cause: 0, previous: 0, links: [] },
      { step: 3, time: 6, kind: 'segment', actor: 'process', cause: 1, previous: 1, links: [] },
    ])
  })

  it('has one hash for one run, and another for every difference', () => {
    const digest = (delay: number, kind: string, seed: number): string => {
      const kernel = new Kernel({ seed })
      kernel.schedule(
        kernel.actor('a'),
        kind,
        delay,
        () => void kernel.choices.stream('x', 'y').below(1_000_000),
      )
      kernel.run()
      return kernel.hash.digest()
    }
    const digests = [
      digest(1, 'e', 1),
      digest(1, 'e', 1),
      digest(2, 'e', 1),
      digest(1, 'f', 1),
      digest(1, 'e', 2),
    ]
    expect(digests[0]).toBe(digests[1])
    expect(new Set(digests).size).toBe(4)
  })
})

/** Takes the last ready event, and remembers what it could choose from. */
class LastFirst implements Strategy {
  readonly name = 'last-first'
  readonly offered: string[] = []
  pick(ready: readonly KernelEvent[]): number {
    this.offered.push(ready.map(({ kind }) => kind).join(' '))
    return ready.length - 1
  }
}

function withStrategy(strategy: Strategy, options: Partial<ConstructorParameters<typeof Kernel>[0]> = {}) {
  const kernel = new Kernel({ seed: 1, strategy, record: true, ...options })
  const order: string[] = []
  const actor = kernel.actor('a')
  const add = (kind: string, time: number, latenessUs: number, lane = 0): void => {
    const event = kernel.schedule(actor, kind, time, () => void order.push(kind), latenessUs)
    event.lane = lane
  }
  return { kernel, order, add }
}

describe('the kernel, by strategy', () => {
  it('offers what may happen next: windows that overlap the least latest time', () => {
    const strategy = new LastFirst()
    const { kernel, order, add } = withStrategy(strategy)
    add('reply', 10, 20)
    add('timer', 25, 100)
    add('timeout', 31, 100)
    kernel.run()
    expect(strategy.offered).toEqual(['reply timer'])
    expect(order).toEqual(['timer', 'reply', 'timeout'])
  })

  it('never lets an event overtake the latest time of another', () => {
    const { kernel, order, add } = withStrategy(new LastFirst())
    add('deadline', 10, 0)
    add('after', 11, 1_000)
    kernel.run()
    expect(order).toEqual(['deadline', 'after'])
  })

  it('keeps the order within a lane', () => {
    const { kernel, order, add } = withStrategy(new LastFirst())
    add('byte 1', 0, 100, 7)
    add('byte 2', 0, 100, 7)
    add('other', 0, 100)
    add('byte 3', 0, 100, 7)
    kernel.run()
    expect(order).toEqual(['other', 'byte 1', 'byte 2', 'byte 3'])
  })

  it('keeps the order within a lane though a later event of it belongs to the task that ran last', () => {
    const { kernel, order, add } = withStrategy({ name: 'first', pick: () => 0 })
    add('start', 0, 0)
    kernel.tasks = { taskOf: () => 2 }
    add('byte 1', 1, 100, 7)
    kernel.tasks = { taskOf: () => 0 }
    add('byte 2', 1, 100, 7)
    add('own', 1, 100)
    kernel.run()
    expect(order).toEqual(['start', 'own', 'byte 1', 'byte 2'])
  })

  it('records what was picked as choices, and needs no strategy to replay them', () => {
    const first = withStrategy(new LastFirst())
    for (const kind of ['a', 'b', 'c', 'd']) first.add(kind, 0, 100)
    first.kernel.run()
    const second = withStrategy(
      { name: 'none', pick: () => 0 },
      { base: 'zero', overrides: first.kernel.choices.made },
    )
    for (const kind of ['a', 'b', 'c', 'd']) second.add(kind, 0, 100)
    second.kernel.run()
    expect(first.order).toEqual(['d', 'c', 'b', 'a'])
    expect(second.order).toEqual(first.order)
    expect(second.kernel.hash.digest()).toBe(first.kernel.hash.digest())
  })

  it('asks nothing about paused and dead actors', () => {
    const strategy = new LastFirst()
    const { kernel, order, add } = withStrategy(strategy)
    const [paused, dead] = [kernel.actor('paused'), kernel.actor('dead')]
    kernel.schedule(paused, 'p', 0, () => void order.push('p'), 100)
    kernel.schedule(dead, 'd', 0, () => void order.push('d'), 100)
    kernel.pause(paused)
    kernel.kill(dead)
    add('only', 0, 100)
    kernel.run()
    expect([order, strategy.offered]).toEqual([['only'], []])
    kernel.resume(paused)
    kernel.run()
    expect(order).toEqual(['only', 'p'])
  })

  it('abandons a run when the strategy says so', () => {
    const { kernel, order, add } = withStrategy({ name: 'quitter', pick: () => -1 })
    add('a', 0, 100)
    add('b', 0, 100)
    expect([kernel.run(), order]).toEqual(['abandoned', []])
  })
})
