import { describe, expect, it } from 'vitest'
import { runOne } from './programs.test-support.ts'

describe('public modules that are found in each other', () => {
  it.each([
    ['util', 'types', 'util/types'],
    ['path', 'posix', 'path/posix'],
    ['path', 'win32', 'path/win32'],
    ['path/win32', 'posix', 'path'],
    ['stream', 'promises', 'stream/promises'],
    ['fs', 'promises', 'fs/promises'],
    ['dns', 'promises', 'dns/promises'],
    ['timers', 'promises', 'timers/promises'],
    ['readline', 'promises', 'readline/promises'],
    ['assert', 'strict', 'assert/strict'],
  ])('%s: %s is %s', async (outer, member, inner) => {
    const { stdout } = await runOne(({ require, process }) => {
      process.stdout.write(String(require(outer)[member] === require(inner)))
    })
    expect(stdout).toBe('true')
  })
})
