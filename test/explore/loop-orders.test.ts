/**
 * Orders of callbacks in one event loop, in plain Node and in the tank. Whatever plain Node shows, some schedule must show;
 * and no schedule may show what libuv's phases rule out. Plain Node runs each program many times beside callbacks that keep
 * the thread busy for a moment, so that it stalls as under a collection. A run of the whole test in which plain Node shows
 * only ordinary orders proves less, but never fails.
 *
 * One thing is left out: in the tank no time passes inside a callback. If plain Node stalls between two calls of
 * `setTimeout` in one callback, the first with the longer time, their order can change; no schedule shows that.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exploreFile } from '../../src/explore/search/race-file.ts'
import { RaceFolder } from '../../src/explore/search/race-folder.test-support.ts'

const FIXTURE = join(import.meta.dirname, 'fixtures/loop-orders.mjs')
const REAL_RUNS = 60
const SCHEDULES = 600

/** For each program: what holds in every order that libuv allows. */
const RULES: Readonly<Record<string, (order: readonly string[]) => boolean>> = {
  'two timers, each with an immediate': (order) =>
    isBefore(order, 'a', 'b') &&
    isBefore(order, 'a', 'immediate of a') &&
    isBefore(order, 'b', 'immediate of b') &&
    isBefore(order, 'immediate of a', 'immediate of b'),
  'timers of equal length, armed a read apart, and a read': (order) => isBefore(order, 'a', 'b'),
  // The check phase comes between a poll and the timers.
  'timers and an immediate, armed by a read': (order) => order.join() === 'immediate,a,b',
  'a timer, and a connection that ends and closes': (order) => isBefore(order, 'end', 'close'),
}

function isBefore(order: readonly string[], first: string, second: string): boolean {
  return order.indexOf(first) < order.indexOf(second)
}

const folder = new RaceFolder({
  'loop-orders.mjs': readFileSync(FIXTURE, 'utf8'),
  'orders.race.mjs': `
import { race } from 'wavetank/vitest'
import { PROGRAMS } from './loop-orders.mjs'
for (const [title, program] of Object.entries(PROGRAMS))
  race(title, async () => console.log(await program()))
`,
})
afterAll(() => folder.remove())

/** The orders that plain Node shows. */
async function realOrders(title: string): Promise<Set<string>> {
  const script = `
    const { PROGRAMS } = await import(process.argv[1])
    for (let run = 0; run < ${REAL_RUNS}; run++) {
      const busy = setInterval(() => {
        const until = performance.now() + (run % 4)
        while (performance.now() < until);
      }, 1)
      console.log(await PROGRAMS[process.argv[2]]())
      clearInterval(busy)
    }`
  const args = ['--input-type=module', '--eval', script, FIXTURE, title]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return new Set(stdout.trim().split('\n'))
}

/** The orders that some schedules show. */
async function exploredOrders(title: string): Promise<Set<string>> {
  let printed = ''
  const tank = { ...folder.tank(''), onOutput: (text: string) => void (printed += text) }
  const options = { iterations: SCHEDULES, budgetWallMs: Infinity }
  const exploration = await exploreFile(join(folder.folder, 'orders.race.mjs'), title, options, tank)
  expect(exploration.kind).toBe('held')
  return new Set(printed.trim().split('\n'))
}

describe.each(Object.entries(RULES))('%s', (title, isAllowed) => {
  it('explored orders include those of plain Node, and none that libuv rules out', async () => {
    const [real, explored] = [await realOrders(title), await exploredOrders(title)]
    expect([...explored].filter((order) => !isAllowed(order.split(',')))).toEqual([])
    expect([...real].filter((order) => !explored.has(order))).toEqual([])
  }, 120_000)
})

describe('the rules', () => {
  it('notice an order that libuv rules out', () => {
    const backwards = ['immediate of b', 'close', 'b', 'end', 'immediate of a', 'a', 'immediate']
    for (const isAllowed of Object.values(RULES)) expect(isAllowed(backwards)).toBe(false)
  })
})
