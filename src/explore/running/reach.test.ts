/** What Node does now and then, some schedule does: orders of callbacks that a program can see. */
import { afterAll, describe, expect, it } from 'vitest'
import { RaceFolder } from '../search/race-folder.test-support.ts'

const PROGRAM = `import fs from 'node:fs'
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
`

const projects: RaceFolder[] = []
afterAll(() => {
  for (const project of projects) project.remove()
})

/** Whether some schedule writes this log. */
async function reaches(title: string, wanted: string): Promise<boolean> {
  const project = new RaceFolder({
    'reach.ts': PROGRAM.replaceAll('WANTED', JSON.stringify(wanted)),
  })
  projects.push(project)
  const { kind } = await project.explore('reach.ts', title, { iterations: 150, shrink: false })
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
  ])('%s: %s', async (title, wanted) => {
    expect(await reaches(title, wanted)).toBe(true)
  })

  it('nothing that Node never does: one poll does not bring what was asked for in its own callbacks', async () => {
    expect(await reaches('a file that is asked for in a callback', 'a,b,immediate')).toBe(false)
  })
})
