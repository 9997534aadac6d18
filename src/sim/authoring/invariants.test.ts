import { describe, expect, it } from 'vitest'
import { EventLog } from './event-log.ts'
import { InvariantWatch } from './invariants.ts'
import { SiteFiles } from './watched-files.ts'

const NO_FILES = new SiteFiles(() => [])

function publish(log: EventLog, name: string, data: unknown): void {
  log.publish({ step: log.length + 1, timeUs: log.length * 1000, source: 'p', name, data })
}

describe('an invariant', () => {
  it('is checked after a step that published something, with what is new', () => {
    const log = new EventLog()
    const seen: unknown[][] = []
    const watch = new InvariantWatch(
      log,
      {
        grows: ({ events }) => void seen.push([...events].map((event) => event.data)),
      },
      NO_FILES,
    )
    expect(watch.due).toBe(false)
    publish(log, 'a', 1)
    publish(log, 'a', 2)
    expect(watch.due).toBe(true)
    expect(watch.check(0)).toBeNull()
    expect(watch.due).toBe(false)
    publish(log, 'b', 3)
    watch.check(0)
    expect(seen).toEqual([[1, 2], [3]])
    expect(watch.counts()).toEqual([{ name: 'grows', checks: 2 }])
  })

  it('is violated by a throw, by false and by a sentence', () => {
    const log = new EventLog()
    publish(log, 'balance', -1)
    const cases = {
      throws: () => {
        throw new Error('negative balance')
      },
      'is false': () => false,
      says: () => 'one deposit is missing',
    }
    for (const [name, invariant] of Object.entries(cases)) {
      const violation = new InvariantWatch(log, { [name]: invariant }, NO_FILES).check(0)
      expect(violation?.name).toBe(name)
    }
    expect(new InvariantWatch(log, cases, NO_FILES).check(0)?.reason).toEqual(new Error('negative balance'))
    expect(new InvariantWatch(log, { holds: () => true, returns: () => {} }, NO_FILES).check(0)).toBeNull()
  })

  it('reaches back to everything by name', () => {
    const log = new EventLog()
    for (const data of [1, 2, 3]) publish(log, 'epoch', data)
    publish(log, 'other', 9)
    const watch = new InvariantWatch(
      log,
      {
        'epochs rise': ({ events }) => {
          const all = events.all('epoch').map((event) => event.data as number)
          return (
            events.last('epoch')?.data === 3 &&
            all.join() === '1,2,3' &&
            [...events.fresh('other')].length === 1
          )
        },
      },
      NO_FILES,
    )
    expect(watch.check(0)).toBeNull()
  })
})
