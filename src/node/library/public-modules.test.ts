import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import type { ProcessFunction } from '../process/program-options.ts'
import { runOne, runPrograms } from '../process/programs.test-support.ts'

const nodeRequire = createRequire(import.meta.url)

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

describe('a public module', () => {
  /** The names of a module's members in their order, and who sees and may change them. */
  const outline = (exports: object): unknown =>
    Reflect.ownKeys(exports).map((key) => {
      const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(exports, key)!
      return { key: String(key), constant: writable === false, enumerable, configurable }
    })

  it.each(['fs', 'net', 'http', 'https', 'zlib', 'tls', 'dns', 'util', 'path', 'timers', 'child_process'])(
    '%s has the members that it has in Node, in their order',
    async (id) => {
      let inTank: unknown
      await runOne(({ require }) => {
        inTank = outline(require(id) as object)
      })
      expect(inTank).toEqual(outline(nodeRequire(id) as object))
    },
  )
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
