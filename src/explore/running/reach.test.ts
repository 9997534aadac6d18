/** What Node does now and then, some schedule does: orders of callbacks that a program can see. */
import { afterAll, describe, expect, it } from 'vitest'
import { RaceFolder } from '../search/race-folder.test-support.ts'

const PROGRAM = `import fs from 'node:fs'
import { readFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { race } from 'wavetank/vitest'

function answerWithImmediate(log: string[], more = () => {}) {
  fs.stat('/tmp/a', () => {
    log.push('a')
    setImmediate(() => log.push('immediate'))
    more()
  })
}

race('two files and an immediate', async (t) => {
  fs.writeFileSync('/tmp/a', '')
  const log: string[] = []
  answerWithImmediate(log)
  fs.stat('/tmp/a', () => log.push('b'))
  await sleep(100)
  t.assert(log.join() !== WANTED, 'reached')
})

race('an immediate that is due, and a file', async (t) => {
  fs.writeFileSync('/tmp/a', '')
  await sleep(1) // polling comes first after timers
  const log: string[] = []
  fs.stat('/tmp/a', () => log.push('file'))
  setImmediate(() => {
    log.push('first')
    setImmediate(() => log.push('second'))
  })
  await sleep(100)
  t.assert(log.join() !== WANTED, 'reached')
})

race('a file and a timer', async (t) => {
  fs.writeFileSync('/tmp/a', '')
  const log: string[] = []
  setTimeout(() => log.push('timer'), 1)
  fs.stat('/tmp/a', () => log.push('file'))
  await sleep(100)
  t.assert(log.join() !== WANTED, 'reached')
})

race('a file that is asked for in a callback', async (t) => {
  fs.writeFileSync('/tmp/a', '')
  const log: string[] = []
  answerWithImmediate(log, () => fs.stat('/tmp/a', () => log.push('b')))
  await sleep(100)
  t.assert(log.join() !== WANTED, 'reached')
})

/** Two timers of equal length, armed one answer apart. */
async function timersArmedApart(log: string[], answer: () => Promise<unknown>) {
  const timer = (name: string) =>
    new Promise<void>((done) =>
      setTimeout(() => {
        log.push(name)
        done()
      }, 500),
    )
  const one = timer('1')
  await answer()
  const second = answer().then(() => log.push('answer'))
  log.push('armed')
  await Promise.all([one, timer('2'), second])
}

race('two equal timers armed a read apart, and a read', async (t) => {
  fs.writeFileSync('/tmp/a', '')
  const log: string[] = []
  await timersArmedApart(log, () => readFile('/tmp/a'))
  t.assert(log.join() !== WANTED, 'reached')
})

race('two equal timers armed an answer apart, and an answer', async (t) => {
  const server = createServer((socket) => socket.pipe(socket))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  const socket = connect(port, '127.0.0.1')
  await new Promise((done) => socket.once('connect', done))
  const log: string[] = []
  await timersArmedApart(log, () => new Promise((done) => {
    socket.once('data', done)
    socket.write('ping')
  }))
  socket.destroy()
  server.close()
  t.assert(log.join() !== WANTED, 'reached')
})

race('two timers and an immediate', async (t) => {
  const log: string[] = []
  await new Promise<void>((done) => {
    setTimeout(() => {
      log.push('10 ms')
      setImmediate(() => log.push('immediate'))
    }, 10)
    setTimeout(() => {
      log.push('12 ms')
      setImmediate(done)
    }, 12)
  })
  t.assert(log.join() !== WANTED, 'reached')
})
`

const projects: RaceFolder[] = []
afterAll(() => {
  for (const project of projects) project.remove()
})

/** Whether some schedule writes this log. Of the rarest, one of 120 does (on Node 26: see slow.test.ts). */
async function reaches(title: string, wanted: string, iterations = 600): Promise<boolean> {
  const project = new RaceFolder({
    'reach.ts': PROGRAM.replaceAll('WANTED', JSON.stringify(wanted)),
  })
  projects.push(project)
  const { kind } = await project.explore('reach.ts', title, { iterations, shrink: false })
  return kind === 'found'
}

describe('exploration reaches', () => {
  it.each([
    ['two files and an immediate', 'a,b,immediate'],
    ['two files and an immediate', 'a,immediate,b'],
    ['two files and an immediate', 'b,a,immediate'],
    ['an immediate that is due, and a file', 'file,first,second'],
    ['an immediate that is due, and a file', 'first,file,second'],
    ['an immediate that is due, and a file', 'first,second,file'],
    ['a file and a timer', 'file,timer'],
    ['a file and a timer', 'timer,file'],
    ['a file that is asked for in a callback', 'a,immediate,b'],
    ['two equal timers armed a read apart, and a read', 'armed,1,answer,2'],
    ['two equal timers armed an answer apart, and an answer', 'armed,1,answer,2'],
    ['two timers and an immediate', '10 ms,12 ms,immediate'],
    ['two timers and an immediate', '10 ms,immediate,12 ms'],
  ])('%s: %s', async (title, wanted) => {
    expect(await reaches(title, wanted)).toBe(true)
  })

  it('nothing that Node never does: one poll does not bring what was asked for in its own callbacks', async () => {
    expect(await reaches('a file that is asked for in a callback', 'a,b,immediate', 150)).toBe(false)
  })
})
