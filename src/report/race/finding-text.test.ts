/** Findings as text: names, places and steps that a person can follow. */
import { afterAll, describe, expect, it } from 'vitest'
import type { RaceFinding } from '../../explore/finding/finding.ts'
import { RaceFolder } from '../../explore/search/race-folder.test-support.ts'
import { findingText } from './finding-text.ts'

const RACES = `import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { race } from 'wavetank/vitest'

const forever = async () => {
  await new Promise(() => {}) // in the background
}

race('children that load modules', async (t) => {
  const order: string[] = []
  const child = async (name: string) => {
    await once(fork(new URL('./child.mjs', import.meta.url).pathname), 'exit')
    order.push(name)
  }
  await Promise.all([child('a'), child('b')])
  t.assert(order.join() === 'a,b', 'out of order')
})

race('chance', async (t) => {
  await sleep(1)
  t.assert(Math.random() < 0.7, 'unlucky')
})

race('a lost update beside a bystander', async (t) => {
  await writeFile('/tmp/account', '0')
  const deposit = async () => writeFile('/tmp/account', String(1 + Number(await readFile('/tmp/account'))))
  const bystander = async () => {
    for (let i = 0; i < 6; i++) await stat('/tmp')
  }
  await Promise.all([t.task('a', deposit), t.task('b', deposit), t.task('c', bystander)])
  t.assert(Number(await readFile('/tmp/account')) === 2, 'lost')
})

race('waits beside its background', async () => {
  void forever()
  await stat('/')
  await new Promise(() => {}) // here
})

race('waits for a thenable', async () => {
  void stat('/').then(() => forever())
  await { then() {} } // for ever
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

const project = new RaceFolder({
  'told.race.ts': RACES,
  'child.mjs': `import './a.mjs'\nimport { appendFile } from 'node:fs/promises'\nawait appendFile('/tmp/log', 'x')`,
  'a.mjs': `import './b.mjs'`,
  'b.mjs': ``,
})
afterAll(() => project.remove())

const find = (title: string) => project.find('told.race.ts', title, { iterations: 500 })

/** The number of the line with this comment. */
function lineOf(comment: string): number {
  return RACES.split('\n').findIndex((line) => line.includes(`// ${comment}`)) + 1
}

const sliced = ({ schedule, slice }: RaceFinding) => schedule.filter(({ step }) => slice.includes(step))

/** Node 26 loads modules without a turn of the loop, and writes a file in one step. */
const LOADS_IN_STEPS = Number.parseInt(process.versions.node, 10) < 26

describe('a finding', () => {
  it.each([
    ['waits beside its background', 'here'],
    ['waits for a thenable', 'for ever'],
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

  it('shows the loading of a further process in one row', async () => {
    const text = findingText(await find('children that load modules'))
    expect(text.match(LOADS_IN_STEPS ? / boot, load 3 files /g : / boot /g)).toHaveLength(2)
    expect(text).not.toMatch(/[ab]\.mjs$/m)
    expect(text).toMatch(LOADS_IN_STEPS ? /open.* \/tmp\/log/ : / write log /)
  })

  it('names the process whose step matters, not the task of the test that started it', async () => {
    const text = findingText(await find('children that load modules'))
    const [, first, second] = /what matters: (.*?): .*\n +came before: (.*?): /.exec(text)!
    const processes = [...text.matchAll(/^ +\d+ {2}(\S+) +boot/gm)].map(([, name]) => name)
    expect([...processes].sort()).toEqual([first, second].sort())
  })

  it('says that a failure depends on random values', async () => {
    const finding = await find('chance')
    const { runs, failing } = finding.otherEntropy!
    expect(findingText(finding)).toContain(
      `what matters: random values that the program draws; in the same order with others, ${runs - failing} of ${runs} runs pass`,
    )
    expect(await find('a lost update beside a bystander')).not.toHaveProperty('otherEntropy')
  })

  it('prefers two events that touch what the failing task has read to a bystander', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { criticalPair } = await project.find('told.race.ts', 'a lost update beside a bystander', {
        seed,
        iterations: 500,
      })
      expect(`${criticalPair!.first.what}, ${criticalPair!.second}`).toMatch(/account, [ab]: .*account$/)
    }
  })

  it('knows the place of what Node asks for a tick later', async () => {
    const { schedule } = await find('a stream')
    const opened = schedule.findLast(({ what }) => what === 'open /a')
    expect(opened?.position).toMatch(`told.race.ts:${lineOf('opened here')}:`)
  })

  it('of a deadlock shows the last steps of those who wait, and of no other task', async () => {
    const rows = sliced(await find('two who wait')).map(({ task, what }) => `${task}: ${what}`)
    expect(rows).toContain('a: timer of 250 ms')
    expect(rows).toContain('c: timer of 400 ms')
    expect(rows).not.toContain('b: stat /')
  })
})
