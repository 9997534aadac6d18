/** Exhaustive search of what has real sockets, files and random numbers in it. */
import { afterAll, describe, expect, it } from 'vitest'
import { dfs } from '../../src/explore/search/strategies/dfs.ts'
import { RaceProject } from './race-project.ts'

const RACES = `import { readFile, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { race } from 'wavetank/vitest'

race('two clients', async () => {
  const server = createServer((socket) => socket.end('hello')).listen(80)
  const client = () => new Promise((resolve) => connect(80, 'localhost').resume().on('close', resolve))
  await Promise.all([client(), client()])
  server.close()
})

race('random delays', async () => {
  await Promise.all([sleep(Math.random() * 2_000), sleep(Math.random() * 2_000), sleep(1_000)])
})

race('two writers', async (t) => {
  const write = (text: string) => writeFile('/tmp/a', text)
  await Promise.all([t.task('a', () => write('a')), t.task('b', () => write('b'))])
  t.assert((await readFile('/tmp/a', 'utf8')) !== 'a', 'the later one is lost')
})
`

const project = new RaceProject({ 'dfs.race.ts': RACES })
afterAll(() => project.remove())

describe('exhaustive search in the tank', () => {
  it('finds its way back to every fork, whatever the program draws', async () => {
    const { iterations } = await project.hold('dfs.race.ts', 'two clients', { strategy: 'dfs' })
    expect(iterations).toBe(200)
    const { summary } = await project.hold('dfs.race.ts', 'random delays', { strategy: 'dfs' })
    expect(summary).toMatch(/^all \d+ schedules hold$/)
  })

  it('finds a bug that needs no more preemptions than its bound, and its trace replays', async () => {
    const strategy = dfs({ preemptionBound: 1 })
    const trace = await project.record('dfs.race.ts', 'two writers', { strategy, iterations: 5_000 })
    const { code, stdout } = await project.command('replay', trace)
    expect(stdout).toContain('the later one is lost')
    expect(code).toBe(1)
  })
})
