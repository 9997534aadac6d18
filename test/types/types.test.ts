/**
 * The public types, as a user's compiler sees them: a consumer of every subpath of the built package, as CommonJS and as
 * ESM, resolved as Node 16 and as bundlers do, under the oldest and the newest TypeScript that are supported, with the
 * package's own declarations checked too (`skipLibCheck: false`).
 *
 * The oldest is 5.7: since then typed arrays have a type parameter, which @types/node and our declarations use.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildOnce } from '../e2e/build.ts'
import { installPackages } from '../installation.ts'

const HERE = new URL('.', import.meta.url).pathname
const ROOT = new URL('../..', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'wavetank-types-'))
const installed = installPackages(HERE.replace(/\/$/, ''))

beforeAll(buildOnce, 240_000)
afterAll(() => rmSync(folder, { recursive: true }))

const COMPILERS = {
  'the oldest TypeScript': join(HERE, 'node_modules/typescript/bin/tsc'),
  'the newest TypeScript': join(ROOT, 'node_modules/typescript/bin/tsc'),
}

/** The consumer as a project of its own, with the package as npm would install it. */
function project(type: string, module: string, moduleResolution: string, text: string): string {
  const where = join(folder, `${type}-${moduleResolution}`)
  mkdirSync(join(where, 'node_modules/@types'), { recursive: true })
  try {
    symlinkSync(ROOT, join(where, 'node_modules/wavetank'))
    symlinkSync(join(HERE, 'node_modules/@types/node'), join(where, 'node_modules/@types/node'))
  } catch {
    // Another compiler had this project before.
  }
  writeFileSync(join(where, 'package.json'), JSON.stringify({ type }))
  writeFileSync(join(where, 'consumer.ts'), text)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    target: 'es2022',
    module,
    moduleResolution,
    types: ['node'],
  }
  writeFileSync(join(where, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
  return where
}

function compile(compiler: string, where: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', where], { encoding: 'utf8' })
  return stdout + stderr
}

const CONSUMER = readFileSync(join(HERE, 'consumer.ts'), 'utf8')

describe.skipIf(!installed).each(Object.entries(COMPILERS))('%s accepts a consumer', (_, compiler) => {
  it.each([
    ['module', 'node16', 'node16'],
    ['commonjs', 'node16', 'node16'],
    ['module', 'esnext', 'bundler'],
    ['commonjs', 'esnext', 'bundler'],
  ])(
    'of "type": "%s", module %s, moduleResolution %s',
    (type, module, resolution) => {
      expect(compile(compiler, project(type, module, resolution, CONSUMER))).toBe('')
    },
    300_000,
  )

  it('and refuses names that are gone', () => {
    const old = `import { simulate, simulation } from 'wavetank'
      void simulate('./a', { timeMs: 3 })
      simulation('a', { processes: {}, workload: { run: ({ operation }) => operation('a', { timeoutMs: 3 }, () => 1) } })`
    const complaints = compile(compiler, project('commonjs', 'node16', 'node16', old))
    expect(complaints).toMatch(/'timeMs' does not exist in type 'SimulateOptions'/)
    expect(complaints).toMatch(/'timeoutMs' does not exist in type 'OperationOptions'/)
  }, 300_000)
})
