import { describe, expect, it } from 'vitest'
import type { ProcessFunction } from './program.ts'
import { runOne, runPrograms } from './programs.test-support.ts'

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

describe('a warning that Node gives once', () => {
  it('is given once in every process', async () => {
    const program: ProcessFunction = ({ require }) => {
      require('wasi')
      require('wasi')
    }
    const { stderr } = await runPrograms({ a: program, b: program })
    for (const text of [stderr.a, stderr.b])
      expect(text.match(/ExperimentalWarning: WASI is an experimental feature/g)).toHaveLength(1)
  })
})
