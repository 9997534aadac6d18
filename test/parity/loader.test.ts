/**
 * The loader's fixture programs in the tank, with its own disk, event loop and globals, print what they print under
 * plain Node. The loader alone is compared in src/node/loader/program-loader.test.ts.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { NodeProgram, NodeThread, projectImage } from '../../src/node/index.ts'
import { World } from '../../src/world/world.ts'

const FIXTURES = fileURLToPath(new URL('fixtures/loader/', import.meta.url))

function underNode(fixture: string): string {
  return execFileSync(process.execPath, ['--no-warnings', FIXTURES + fixture], { encoding: 'utf8' })
}

async function inTank(fixture: string): Promise<{ readonly output: string; readonly code: number | null }> {
  const world = new World({ seed: 1 })
  const host = world.addHost('tank', {
    disk: { image: [{ at: FIXTURES, from: FIXTURES, reader: projectImage() }] },
  })
  let output = ''
  const program = new NodeProgram({
    entry: FIXTURES + fixture,
    cwd: FIXTURES,
    execArgv: ['--no-warnings'],
    onOutput: ({ bytes }) => {
      output += Buffer.from(bytes).toString()
    },
  })
  const subject = world.addProcess('subject', host, program)
  subject.start()
  await NodeThread.get().run(world.kernel)
  return { output, code: subject.exitStatus?.code ?? null }
}

describe('programs in the tank print what they print under plain Node', () => {
  it.each([
    'esm/basic.mjs',
    'esm/cycle.mjs',
    'esm/tla.mjs',
    'esm/redeclare.mjs',
    'esm/later.mjs',
    'esm/errors.mjs',
    'cjs/main.js',
  ])('%s', async (fixture) => {
    expect(await inTank(fixture)).toEqual({ output: underNode(fixture), code: 0 })
  })

  it('exits with 13 when top-level await never settles', async () => {
    expect(await inTank('tank/unsettled.mjs')).toEqual({ output: 'end\n', code: 13 })
  })

  it('runs TypeScript', async () => {
    const { output, code } = await inTank('ts/main.ts')
    expect(output.trimEnd().split('\n').at(-1)).toBe('end')
    expect(code).toBe(0)
  })
})
