import { describe, expect, it } from 'vitest'
import { isOwnCode, programFrames } from './own-code.ts'

const PACKAGE = new URL('../..', import.meta.url).pathname

describe("wavetank's own code", () => {
  it('is its sources and what is built from them, by path or URL', () => {
    expect(isOwnCode(`${PACKAGE}src/explore/race.ts:1:2`)).toBe(true)
    expect(isOwnCode(`${PACKAGE}dist/explore/race.js:1:2`)).toBe(true)
    expect(isOwnCode(`file://${PACKAGE}dist/vitest.js`)).toBe(true)
  })

  it('is neither its tests nor a project that has folders of the same names', () => {
    expect(isOwnCode(`${PACKAGE}src/explore/race.test.ts:1:2`)).toBe(false)
    expect(isOwnCode('/project/src/explore/bank.ts:1:2')).toBe(false)
  })

  it("is left out of a program's frames, and so is Node's", () => {
    const stack = `Error: at /not/a/frame.ts:1:1
    at RaceContext.assert (${PACKAGE}dist/explore/context.js:90:29)
    at node:internal/process/task_queues:95:5
    at async body (file:///project/a%20b.ts:3:4)
    at test/bank.ts:5:6
    at async Promise.all (index 0)`
    expect(programFrames(stack)).toEqual([
      { name: 'body', position: '/project/a b.ts:3:4' },
      { name: null, position: 'test/bank.ts:5:6' },
    ])
  })
})
