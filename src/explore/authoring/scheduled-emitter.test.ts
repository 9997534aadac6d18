import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { RaceContext } from './context.ts'
import { find, hold } from '../search/exploration.test-support.ts'
import type { EmitterOptions } from './scheduled-emitter.ts'

/** What was seen in each of all schedules, once each. */
async function seenIn(
  body: (t: RaceContext, see: (what: string) => void) => Promise<void>,
): Promise<Set<string>> {
  const seen = new Set<string>()
  const { exhausted } = await hold(
    async (t) => {
      const events: string[] = []
      await body(t, (what) => events.push(what))
      seen.add(events.join(' '))
    },
    { strategy: 'dfs', iterations: 20_000 },
  )
  expect(exhausted).toBe(true)
  return seen
}

const arrivals = (options: EmitterOptions) =>
  seenIn(async (t, see) => {
    const socket = t.emitter(new EventEmitter(), { name: 'socket', ...options })
    const done = new Promise<void>((resolve) => {
      let count = 0
      socket.on('data', (text: string) => {
        see(text)
        if (++count === 2) resolve()
      })
    })
    see(String(socket.emit('data', 'a')))
    see(String(socket.emit('data', 'b')))
    await done
  })

describe('an emitter in a race', () => {
  it('calls its listeners later, in the order of what was emitted', async () => {
    expect(await arrivals({})).toEqual(new Set(['true true a b']))
  })

  it('has any order where none is kept', async () => {
    expect(await arrivals({ ordered: false })).toEqual(new Set(['true true a b', 'true true b a']))
  })

  it('lets other things happen before', async () => {
    const seen = await seenIn(async (t, see) => {
      const socket = t.emitter(new EventEmitter(), { name: 'socket' })
      const closed = new Promise<void>((resolve) => socket.once('close', () => (see('close'), resolve())))
      socket.emit('close')
      await Promise.all([closed, t.task('writer', async () => (await t.point('write'), see('write')))])
    })
    expect(seen).toEqual(new Set(['close write', 'write close']))
  })

  it('returns at once whether there are listeners, and announces its own listeners at once', async () => {
    const seen = await seenIn(async (t, see) => {
      const emitter = t.emitter(new EventEmitter())
      emitter.on('newListener', (event: string) => see(`+${event}`))
      emitter.on('removeListener', (event: string) => see(`-${event}`))
      const listener = (): void => see('never')
      emitter.on('x', listener).off('x', listener)
      see(String(emitter.emit('x')))
    })
    // The listener for removals is announced first.
    expect(seen).toEqual(new Set(['+removeListener +x -x false']))
  })

  it('breaks the race where a listener throws', async () => {
    const { failure } = await find(async (t) => {
      const emitter = t.emitter(new EventEmitter(), { name: 'socket' })
      emitter.emit('error', new Error('reset by peer'))
      await t.point('later')
      await t.point('later still')
    })
    expect(failure).toMatchObject({ category: 'uncaught', message: 'reset by peer' })
  })
})
