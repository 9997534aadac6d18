import { afterEach, describe, expect, it } from 'vitest'
import {
  branchOf,
  callerFile,
  frameOf,
  isOwnCode,
  programFrames,
  programLines,
  programStack,
  stackLines,
} from './stack-frames.ts'

const PACKAGE = new URL('../..', import.meta.url).pathname

describe("wavetank's own code", () => {
  it('is its sources and what is built from them, by path or URL', () => {
    expect(isOwnCode(`${PACKAGE}src/explore/authoring/race.ts`)).toBe(true)
    expect(isOwnCode(`${PACKAGE}dist/explore/race.js`)).toBe(true)
    expect(isOwnCode(`file://${PACKAGE}dist/vitest.js`)).toBe(true)
  })

  it('is neither its tests nor a project that has folders of the same names', () => {
    expect(isOwnCode(`${PACKAGE}src/explore/authoring/race.test.ts`)).toBe(false)
    expect(isOwnCode(`${PACKAGE}src/sim/running/run.test-support.ts`)).toBe(false)
    expect(isOwnCode(`${PACKAGE}examples/bank.ts`)).toBe(false)
    expect(isOwnCode('/project/src/explore/bank.ts')).toBe(false)
  })
})

describe('a frame of a stack', () => {
  it.each([
    ['    at deposit (/project/bank.ts:3:4)', 'deposit', '/project/bank.ts:3:4'],
    ['    at async deposit (file:///project/a%20b.ts:3:4)', 'deposit', '/project/a b.ts:3:4'],
    ['    at async file:///project/bank.ts:3:4', null, '/project/bank.ts:3:4'],
    ['    at /project/bank.ts:3:4', null, '/project/bank.ts:3:4'],
    ['    at test/bank.ts:5:6', null, 'test/bank.ts:5:6'],
    ['    at new Bank (/project/bank.ts:3:4)', 'new Bank', '/project/bank.ts:3:4'],
    ['    at Bank.put [as set] (/project/bank.ts:3:4)', 'Bank.put [as set]', '/project/bank.ts:3:4'],
    ['    at Object.<anonymous> (/project/bank.cjs:3:4)', 'Object.<anonymous>', '/project/bank.cjs:3:4'],
    ['    at page (/project/(shop)/page.ts:3:4)', 'page', '/project/(shop)/page.ts:3:4'],
    ['    at /project/bank (copy)/bank.ts:3:4', null, '/project/bank (copy)/bank.ts:3:4'],
    ['    at deposit (file:///project/bank.ts?v=1:3:4)', 'deposit', '/project/bank.ts:3:4'],
    ['    at deposit (C:\\project\\bank.ts:3:4)', 'deposit', 'C:\\project\\bank.ts:3:4'],
    ['    at Socket.emit (node:events:518:28)', 'Socket.emit', 'node:events:518:28'],
  ])('is read from %j', (line, name, position) => {
    const file = position.replace(/:\d+:\d+$/, '')
    expect(frameOf(line)).toEqual({ name, file, position })
  })

  it.each([
    '    at Array.map (<anonymous>)',
    '    at new Promise (<anonymous>)',
    '    at async Promise.all (index 0)',
    '    at eval (eval at load (/project/bank.ts:3:4), <anonymous>:1:3)',
    '    at evalmachine.<anonymous>:1:2',
    '    at least one',
    'Error: at /not/a/frame.ts:1:1',
  ])('is not in %j: there is no file', (line) => {
    expect(frameOf(line)).toBeNull()
  })
})

describe('a stack', () => {
  const STACK = `Error: at /not/a/frame.ts:1:1
    at least one
    at RaceContext.assert (${PACKAGE}dist/explore/context.js:90:29)
    at node:internal/process/task_queues:95:5
    at Array.map (<anonymous>)
    at async body (file:///project/a%20b.ts:3:4)
    at Object.<anonymous> (/project/main.cjs:7:8)
    at async Promise.all (index 0)`

  it("has frames of the program: neither Node's nor wavetank's own", () => {
    expect(programFrames(STACK).map(({ name, position }) => `${name} ${position}`)).toEqual([
      'body /project/a b.ts:3:4',
      'Object.<anonymous> /project/main.cjs:7:8',
    ])
  })

  it('keeps its message and those frames when it is shown', () => {
    expect(programStack(STACK)).toBe(`Error: at /not/a/frame.ts:1:1
    at least one
    at async body (file:///project/a%20b.ts:3:4)
    at Object.<anonymous> (/project/main.cjs:7:8)`)
    expect(programLines(STACK)).toEqual([
      'at async body (file:///project/a%20b.ts:3:4)',
      'at Object.<anonymous> (/project/main.cjs:7:8)',
    ])
  })

  it('says which branch of a Promise.all waits', () => {
    expect(STACK.split('\n').map(branchOf)).toEqual([null, null, null, null, null, null, null, 0])
  })
})

describe('the stack here', () => {
  const prepare = Error.prepareStackTrace
  afterEach(() => {
    Error.prepareStackTrace = prepare
  })

  it('names the file that called a function', () => {
    const declare = (): string | null => callerFile(declare)
    expect(declare()).toBe(new URL(import.meta.url).pathname)
  })

  it('has as many frames as asked for, and leaves the limit as it was', () => {
    const limit = Error.stackTraceLimit
    expect(stackLines(2)).toHaveLength(2)
    expect(Error.stackTraceLimit).toBe(limit)
  })

  it('is empty where a program makes something else of stacks', () => {
    Error.prepareStackTrace = (_, sites) => sites
    expect(stackLines(5)).toEqual([])
  })
})
