/**
 * The same fixture programs under plain Node and in the loader print the same. What they exercise is in their own text,
 * under test/parity/fixtures/loader.
 */
import { execFileSync } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import * as module from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, describe, expect, it } from 'vitest'
import type { AssertionSite } from './compiling/assertion-sites.ts'
import { createThread, StandInProcess } from './stand-in-process.test-support.ts'

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
  it.each([
    'esm/basic.mjs',
    'esm/cycle.mjs',
    'esm/tla.mjs',
    'esm/redeclare.mjs',
    'esm/later.mjs',
    'esm/vm.mjs',
    'esm/errors.mjs',
    'cjs/main.js',
  ])('%s', async (fixture) => {
    const expected = underNode(fixture)
    expect(expected.at(-1)).toBe('end')
    expect(await inLoader(fixture)).toEqual(expected)
  })
})

describe('TypeScript', () => {
  it('follows tsconfig.json: CommonJS, aliases, decorators, its base and comments', async () => {
    expect(await inLoader('ts-project/src/main.ts')).toEqual([
      'parameter 0',
      'hello tank 8080 src function on base',
      "[ 'used' ]",
      'end',
    ])
  })

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

describe('what only some versions have', () => {
  it.skipIf(!('registerHooks' in module))('module.registerHooks() (Node 22.15 and later)', async () => {
    expect(await inLoader('tank/hooks.mjs')).toEqual(underNode('tank/hooks.mjs'))
  })
})

describe('symbolic links', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wavetank-links-'))
  mkdirSync(join(folder, 'node_modules'))
  mkdirSync(join(folder, 'real'))
  writeFileSync(join(folder, 'real/index.js'), 'module.exports = __filename')
  symlinkSync(join(folder, 'real'), join(folder, 'node_modules/linked'))
  writeFileSync(join(folder, 'main.cjs'), "console.log(require('linked')); console.log('end')")
  afterAll(() => rmSync(folder, { recursive: true }))

  it.each([
    [{}, 'real/index.js'],
    [{ '--preserve-symlinks': true }, 'node_modules/linked/index.js'],
  ])('are followed unless preserved: %j', async (cliOptions, expected) => {
    const program = await new StandInProcess(thread, { cliOptions }).run(join(folder, 'main.cjs'))
    expect(program.lines[0]).toBe(join(realpathSync(folder), expected))
  })
})

describe('two processes of one thread', () => {
  const boot = (name: string) =>
    new StandInProcess(thread, {
      globals: { fetch: () => `fetch of ${name}`, Date: { now: () => `time of ${name}` } },
      name,
    }).run(`${FIXTURES}tank/processes.mjs`)

  it('share compiled code and nothing else', async () => {
    for (const name of ['n1', 'n2', 'n1']) {
      const { lines, uncaught } = await boot(name)
      expect(uncaught).toEqual([])
      expect(lines).toEqual([
        `1 ${name} time of ${name} fetch of ${name}`,
        'replaced replaced replaced',
        'true true',
        'end',
      ])
    }
  })
})

describe('a process that is gone', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void

  it.each(['esm/cycle.mjs', 'esm/tla.mjs', 'cjs/main.js'])(
    'is freed with its modules: %s',
    async (fixture) => {
      const boot = async () => new WeakRef(await new StandInProcess(thread).run(FIXTURES + fixture))
      const gone = [await boot(), await boot()]
      await boot() // the last one may still be on a stack
      for (let round = 0; round < 20 && gone.some((process) => process.deref() !== undefined); round++) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        collect()
      }
      expect(gone.map((process) => process.deref())).toEqual([undefined, undefined])
    },
  )
})

describe('modules from elsewhere', () => {
  it('takes externals and host modules for what Node would resolve', async () => {
    const options = {
      root: `${FIXTURES}tank`,
      externals: { inspector: './inspector-stub.ts', pure: 'host' },
      hostModules: { hosted: { answer: 42, default: 'the default' } },
    }
    const program = new StandInProcess(thread, { ...options, externals: { ...options.externals } })
    await program.run(`${FIXTURES}tank/externals.mjs`)
    expect(program.uncaught).toEqual([])
    expect(program.lines).toEqual(['stub true stub', '42 the default 42', '1.0.0 true true', 'end'])
  })

  it.each([
    ['uses-repl.cjs', 'node:repl', "externals: { 'repl': './stub.ts' }"],
    ['uses-wasi.mjs', 'node:wasi', "externals: { 'wasi': './stub.ts' }"],
    ['uses-addon.cjs', 'native.node', "addons: ['native']"],
  ])('refuses what it cannot simulate: %s', async (file, module, wayOut) => {
    const { uncaught } = await new StandInProcess(thread).run(`${FIXTURES}tank/${file}`)
    expect(uncaught).toHaveLength(1)
    const { message } = uncaught[0] as Error
    expect(message).toContain(module)
    expect(message).toContain(file === 'uses-addon.cjs' ? 'native/index.js' : `${FIXTURES}tank/${file}`)
    expect(message).toContain(wayOut)
  })
})

describe('the command line', () => {
  it('preloads with --require and --import', async () => {
    const cliOptions = {
      '--require': [`${FIXTURES}tank/preload.cjs`],
      '--import': [`${FIXTURES}tank/preload.mjs`],
    }
    const program = await new StandInProcess(thread, { cliOptions }).run(`${FIXTURES}tank/preloaded.cjs`)
    expect(program.uncaught).toEqual([])
    expect(program.lines).toEqual(["1 [ 'import', 1 ]", 'end'])
  })
})

describe('top-level await that never settles', () => {
  it('is known when the process runs dry, so that it can exit with 13', async () => {
    const waiting = await new StandInProcess(thread).run(`${FIXTURES}tank/unsettled.mjs`)
    waiting.enter()
    EventEmitter.prototype.emit.call(waiting.object, 'exit', 0) // where Node 20 sets the code
    const settled = await new StandInProcess(thread).run(`${FIXTURES}esm/cycle.mjs`)
    settled.enter()
    EventEmitter.prototype.emit.call(settled.object, 'exit', 0)
    const isUnsettled = ({ loader, object }: StandInProcess) =>
      loader.hasUnsettledEntryPoint() || object.exitCode === 13
    expect([isUnsettled(waiting), isUnsettled(settled)]).toEqual([true, false])
  })
})

describe('hooks into compilation', () => {
  it('reports assertions with their written position each time a file is loaded', async () => {
    const hostModules = { wavetank: { always() {}, sometimes() {}, reachable() {} } }
    for (let boot = 0; boot < 2; boot++) {
      const seen: AssertionSite[] = []
      const program = new StandInProcess(thread, {
        hostModules,
        onAssertions: (sites) => seen.push(...sites),
      })
      await program.run(`${FIXTURES}tank/asserts.ts`)
      expect(program.uncaught).toEqual([])
      expect(seen.map(({ kind, line, message }) => `${line} ${kind} ${message}`)).toEqual([
        '8 always x is large',
        '9 reachable reached',
        '11 sometimes ran',
      ])
      expect(seen[0].file).toBe(`${FIXTURES}tank/asserts.ts`)
    }
  })

  it('rewrites files with a transform, and only for the processes that have it', async () => {
    const transform = {
      id: 'shout',
      apply: (source: string) => ({ code: source.replaceAll("'cycle start'", "'CYCLE START'") }),
    }
    const entry = `${FIXTURES}esm/cycle.mjs`
    const loud = await new StandInProcess(thread, { transform }).run(entry)
    const plain = await new StandInProcess(thread).run(entry)
    expect(loud.lines).toContain('CYCLE START')
    expect(plain.lines).toContain('cycle start')
  })
})
