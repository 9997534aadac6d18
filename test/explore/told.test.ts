/** How findings are told: names, places and steps that a person can follow. */
import { afterAll, describe, expect, it } from 'vitest'
import { RaceFound, type RaceFinding } from '../../src/explore/finding.ts'
import { findingText } from '../../src/explore/finding-text.ts'
import { RaceProject } from './race-project.ts'

const RACES = `import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { race } from 'wavetank/vitest'

const forever = async () => {
  await new Promise(() => {}) // in the background
}

race('waits beside its background', async () => {
  void forever()
  await stat('/')
  await new Promise(() => {}) // here
})

race('waits for a thenable', async () => {
  void stat('/').then(() => forever())
  await { then() {} } // for nobody
})

race('waits inside', async () => {
  await stat('/')
  await forever()
})

race('a timer that is overtaken', async (t) => {
  const order: string[] = []
  const a = async () => {
    await sleep(1)
    await stat('/')
    order.push('a')
  }
  const b = async () => {
    await sleep(500)
    order.push('b')
  }
  await Promise.all([t.task('a', a), t.task('b', b)])
  t.assert(order.join() === 'b,a', order.join())
})

race('what is overtaken, and ends long before the failure', async (t) => {
  await writeFile('/job', 'work')
  let stopped = false
  let worked = false
  const work = async () => {
    await readFile('/job')
    if (!stopped) worked = true
    await sleep(5_000)
  }
  const stop = async () => {
    await readFile('/job')
    stopped = true
  }
  await Promise.all([t.task('work', work), t.task('stop', stop)])
  t.assert(!worked, 'it worked')
})

race('one event and a chain', async (t) => {
  let gone = false
  const server = createServer((socket) => socket.end('hello')).listen(80)
  const client = connect(80, '127.0.0.1')
  await once(client, 'data')
  client.on('close', () => (gone = true))
  await appendFile('/log', 'hello') // open, write, close
  t.assert(!gone, 'gone')
  client.destroy()
  server.close()
})

race('a stream', async (t) => {
  await writeFile('/a', 'hello')
  const stream = createReadStream('/a') // opened here
  await once(stream.resume(), 'end')
  t.assert(false, 'here')
})

race('two who wait', async (t) => {
  const stuckAfter = async (ms: number) => {
    await sleep(ms)
    await new Promise(() => {})
  }
  await Promise.all([
    t.task('a', () => stuckAfter(250)),
    t.task('b', () => stat('/')),
    t.task('c', () => stuckAfter(400)),
  ])
})
`

const project = new RaceProject({ 'told.race.ts': RACES })
afterAll(() => project.remove())

async function find(title: string): Promise<RaceFinding> {
  const found = await project
    .explore('told.race.ts', title, { iterations: 500 })
    .catch((error: unknown) => error)
  if (!(found instanceof RaceFound)) throw new Error('nothing was found', { cause: found })
  return found.finding
}

/** The number of the line with this comment. */
function lineOf(comment: string): number {
  return RACES.split('\n').findIndex((line) => line.includes(`// ${comment}`)) + 1
}

const sliced = ({ schedule, slice }: RaceFinding) => schedule.filter(({ step }) => slice.includes(step))

describe('a finding', () => {
  it.each([
    ['waits beside its background', 'here'],
    ['waits for a thenable', 'for nobody'],
    ['waits inside', 'in the background'],
  ])('names the await that holds its task up: %s', async (title, comment) => {
    const { failure } = await find(title)
    expect(failure.message).toMatch(
      new RegExp(`main waits for a promise.*told\\.race\\.ts:${lineOf(comment)}:`),
    )
  })

  it('calls an overtaken timer by its task and its time, with the steps of both events', async () => {
    const finding = await find('a timer that is overtaken')
    expect(findingText(finding)).toMatch(
      /what matters: a: stat \/ \(step \d+\)\n +came before: b: timer of 500 ms \(step \d+\)/,
    )
  })

  it('shows both events of the pair among the steps that matter', async () => {
    const finding = await find('what is overtaken, and ends long before the failure')
    const { first, second, secondStep } = finding.criticalPair!
    expect(second).toMatch(/^stop: /)
    expect(finding.slice).toEqual(expect.arrayContaining([first.step, secondStep]))
    expect(sliced(finding).find(({ step }) => step === secondStep)?.task).toBe('stop')
  })

  it('names a pair where one event has to wait for a chain of others', async () => {
    // On Node 26 an exchange of two neighbours is enough here.
    const finding = await find('one event and a chain')
    expect(finding.criticalPair).not.toBeNull()
    expect(findingText(finding)).toContain('the other way round it passes')
  })

  it('knows the place of what Node asks for a tick later', async () => {
    const { schedule } = await find('a stream')
    const opened = schedule.findLast(({ what }) => what === 'open /a')
    expect(opened?.position).toMatch(`told.race.ts:${lineOf('opened here')}:`)
  })

  it('of a deadlock shows the last steps of those who wait, and of nobody else', async () => {
    const rows = sliced(await find('two who wait')).map(({ task, what }) => `${task}: ${what}`)
    expect(rows).toContain('a: timer of 250 ms')
    expect(rows).toContain('c: timer of 400 ms')
    expect(rows).not.toContain('b: stat /')
  })
})
