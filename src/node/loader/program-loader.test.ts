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
