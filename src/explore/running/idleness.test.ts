/** Runs that never end: tasks that wait forever, as opposed to programs that are only slow or unlucky. */
import { afterAll, describe, expect, it } from 'vitest'
import type { ExploreOptions } from '../search/options.ts'
import { RaceFolder } from '../search/race-folder.test-support.ts'

const RACES = `import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import { race } from 'wavetank/vitest'

race('beside an HTTP server', async () => {
  await once(createServer().listen(80), 'listening') // it has an interval of 30 s
  await new Promise(() => {})
})

race('beside an interval that keeps no process alive', async () => {
  setInterval(() => {}, 1_000).unref()
  await new Promise(() => {})
})

race('an interval that keeps no process alive, and what it waits for', async () => {
  let rounds = 0
  await new Promise<void>((resolve) => setInterval(() => ++rounds === 300 && resolve(), 1_000).unref())
})

race('beside an interval that keeps no process alive, a timer that is far away', async () => {
  setInterval(() => {}, 10).unref()
  await new Promise((resolve) => setTimeout(resolve, 60_000))
})

race('beside a keep-alive timer', async () => {
  setInterval(() => {}, 30_000)
  await new Promise(() => {})
})

race('trying again until it succeeds', async () => {
  const server = createTcpServer((socket) => {
    const impatience = setTimeout(() => socket.destroy(), 500)
    socket.on('data', () => {
      clearTimeout(impatience)
      socket.end('hello')
    })
  })
  await once(server.listen(80), 'listening')
  const ask = () =>
    new Promise<boolean>((resolve) => {
      let answered = false
      const socket = connect(80, '127.0.0.1', () => socket.write('?'))
      socket.on('data', () => (answered = true)).on('error', () => {})
      socket.on('close', () => resolve(answered))
    })
  while (!(await ask()));
  server.close()
})
`

const project = new RaceFolder({ 'standstill.race.ts': RACES })
afterAll(() => project.remove())

const hold = (title: string, options: ExploreOptions) => project.hold('standstill.race.ts', title, options)

describe('a run that goes on and on', () => {
  it.each(['beside an HTTP server', 'beside an interval that keeps no process alive'])(
    'is a deadlock %s: time goes on, and nothing else',
    async (title) => {
      const { failure, schedule } = await project.find('standstill.race.ts', title)
      expect(failure.category).toBe('deadlock')
      expect(failure.message).toContain('main waits for a promise')
      expect(schedule.length).toBeLessThan(20)
    },
  )

  it('is a time limit beside a timer that keeps its process alive', async () => {
    const { failure, schedule } = await project.find('standstill.race.ts', 'beside a keep-alive timer')
    expect(failure.category).toBe('time-limit')
    expect(failure.message).toMatch(/^not done after 3600000 ms: main waits for a promise/)
    expect(schedule.length).toBeLessThan(500)
  })

  it.each([
    'an interval that keeps no process alive, and what it waits for',
    'beside an interval that keeps no process alive, a timer that is far away',
  ])('is none while something can still happen: %s', async (title) => {
    await expect(hold(title, { iterations: 5 })).resolves.toMatchObject({ iterations: 5 })
  })

  // Without an end to their unfairness, the priorities of places let one attempt after the other come too late.
  it.each(['places', 'pctcp', 'delayBound'] as const)('is not made by %s', async (strategy) => {
    const held = await hold('trying again until it succeeds', { strategy, iterations: 60 })
    expect(held.iterations).toBe(60)
  })
})
