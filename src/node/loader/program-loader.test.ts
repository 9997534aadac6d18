/**
 * The same fixture programs under plain Node and in the loader print the same. What they exercise is in their own text,
 * under test/parity/fixtures/loader.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { createThread, StandInProcess } from './stand-in-process.ts'

const FIXTURES = fileURLToPath(new URL('../../../test/parity/fixtures/loader/', import.meta.url))

const thread = createThread()
afterAll(() => thread.dispose())

function underNode(fixture: string): string[] {
  const output = execFileSync(process.execPath, ['--no-warnings', FIXTURES + fixture], { encoding: 'utf8' })
  return output.trimEnd().split('\n')
}

async function inLoader(fixture: string): Promise<string[]> {
  const program = await new StandInProcess(thread).run(FIXTURES + fixture)
  expect(program.uncaught).toEqual([])
  return program.lines.join('\n').split('\n')
}

describe('programs print what they print under plain Node', () => {
  it.each(['esm/basic.mjs', 'esm/cycle.mjs', 'esm/tla.mjs', 'esm/redeclare.mjs', 'cjs/main.js'])(
    '%s',
    async (fixture) => {
      const expected = underNode(fixture)
      expect(expected.at(-1)).toBe('end')
      expect(await inLoader(fixture)).toEqual(expected)
    },
  )
})

describe('TypeScript', () => {
  it('runs a program of ES modules, with positions of the written files', async () => {
    expect(await inLoader('ts/main.ts')).toEqual([
      "9 red 5 High plain { value: 4, name: 'object' } true [Function: indexed] [ 'div', { id: 'a' }, 'text' ]",
      'function true',
      'at fail main.ts:31:9) | at fail main.ts:30:18) | at main.ts:38:3',
      'late.ts:5:35)',
      'end',
    ])
  })

  it('runs a program of CommonJS modules', async () => {
    expect(await inLoader('ts-cjs/main.ts')).toEqual([
      'named named true true',
      '    at Object.<anonymous> (main.ts:4:13)',
      'end',
    ])
  })

  it('shows where a file does not parse', async () => {
    const { uncaught } = await new StandInProcess(thread).run(`${FIXTURES}ts/broken.ts`)
    expect(uncaught).toHaveLength(1)
    const [head, text, arrow] = (uncaught[0] as Error).stack!.split('\n')
    expect([head, text, arrow]).toEqual([`${FIXTURES}ts/broken.ts:2`, 'let b: = 2', '       ^'])
  })
})
