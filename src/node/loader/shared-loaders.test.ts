import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { World } from '../../world/world.ts'
import { projectImage } from '../project-image.ts'
import { takeInternals } from '../library/internals.ts'
import { NodeProgram } from '../process/program.ts'
import type { NodeProgramOptions } from '../process/program-options.ts'
import { NodeThread } from '../isolation/thread.ts'
import { createThread, StandInProcess } from './stand-in-process.test-support.ts'

const ROOT = realpathSync(mkdtempSync(join(tmpdir(), 'wavetank-shared-loaders-')))
afterAll(() => rmSync(ROOT, { recursive: true }))

type Files = Readonly<Record<string, string>>

interface Program extends Partial<NodeProgramOptions> {
  /** What is below `/app`. */
  readonly files: Files
}

function plant(files: Files): string {
  const folder = mkdtempSync(join(ROOT, 'program-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

/** Runs `/app/main.mjs` of every program in one world, each on a host of its own; gives what each printed. */
async function runTogether(programs: readonly Program[]): Promise<string[][]> {
  const world = new World({ seed: 3 })
  const printed = programs.map(({ files, ...options }, i) => {
    const image = [{ at: '/app', from: plant(files), reader: projectImage() }]
    const lines: string[] = []
    const onOutput = ({ bytes }: { bytes: Uint8Array }): void => {
      lines.push(...Buffer.from(bytes).toString().trimEnd().split('\n'))
    }
    const program = new NodeProgram({ entry: '/app/main.mjs', cwd: '/app', onOutput, ...options })
    world.addProcess(`p${i}`, world.addHost(`n${i}`, { disk: { image } }), program).start()
    return lines
  })
  await NodeThread.get().run(world.kernel)
  NodeThread.get().endWorld()
  return printed
}

describe('modules that the loaders of a thread share', () => {
  const thread = createThread()
  afterAll(() => thread.dispose())

  const ids = takeInternals().builtinIds.filter((id) => thread.shared.has(id))

  it.each(ids)(
    'take nothing of a process while they are loaded, and work when the first is %s',
    async (id) => {
      const fresh = createThread()
      fresh.shared.require(id)
      for (const other of ids) expect(Object.keys(fresh.shared.require(other) as object)).not.toEqual([])
      const folder = plant({
        'main.mjs': `import a from './a.cjs'; console.log(a), console.log('end')`,
        'a.cjs': 'exports.a = 1',
      })
      const program = await new StandInProcess(fresh).run(join(folder, 'main.mjs'))
      expect([program.uncaught, program.lines]).toEqual([[], ['{ a: 1 }', 'end']])
      fresh.dispose()
    },
  )

  it('are the same for all processes, where the CommonJS loader is not', () => {
    const [first, second] = [new StandInProcess(thread), new StandInProcess(thread)].map((process) => {
      process.enter()
      process.loader.initialize()
      return process.loader
    })
    const both = (id: string): unknown[] => [first, second].map((loader) => loader.require(id))
    const [one, other] = both('internal/modules/esm/loader')
    expect(one).toBe(other)
    const [own, others] = both('internal/modules/cjs/loader')
    expect(own).not.toBe(others)
  })

  it('forget the modules of the process that ends, whichever is running', async () => {
    const file = pathToFileURL(join(plant({ 'a.mjs': 'export const a = 1' }), 'a.mjs')).href
    const processes = [new StandInProcess(thread), new StandInProcess(thread)]
    const importIn = (process: StandInProcess): Promise<unknown> => {
      process.enter()
      return process.loader.import(file)
    }
    const before: unknown[] = []
    for (const process of processes) {
      process.enter()
      process.loader.initialize()
      before.push(await importIn(process))
    }
    processes[0].loader.forgetModules() // while the other one is running
    expect(await importIn(processes[1])).toBe(before[1])
    expect(await importIn(processes[0])).not.toBe(before[0])
  })
})

describe('two processes', () => {
  const main = `
    import * as lib from 'lib'
    import data from '#data'
    import { createRequire } from 'node:module'
    import { setTimeout } from 'node:timers/promises'
    lib.seen.push('main')
    for (let i = 0; i < 3; i++) {
      await setTimeout(5)
      const again = await import('lib')
      console.log(lib.name, data.who, again === lib, lib.seen.push(i), createRequire(import.meta.url)('lib') === lib.name)
    }
    await import('./missing.mjs').catch(({ code }) => console.log(code))
    console.log(import.meta.resolve('lib'))`
  const files = (who: string, extra: Files = {}): Files => ({
    'main.mjs': main,
    'package.json': JSON.stringify({ imports: { '#data': `./${who}.cjs` } }),
    [`${who}.cjs`]: `exports.who = '${who}'`,
    'node_modules/lib/package.json': JSON.stringify({
      exports: { special: './special.mjs', require: './lib.cjs', default: './lib.mjs' },
    }),
    'node_modules/lib/lib.cjs': `module.exports = '${who}'`,
    'node_modules/lib/lib.mjs': `export const name = '${who}', seen = []`,
    'node_modules/lib/special.mjs': `export const name = 'special', seen = []`,
    ...extra,
  })
  const expected = (who: string): string[] => [
    ...[2, 3, 4].map((count) => `${who} ${who} true ${count} true`),
    'ERR_MODULE_NOT_FOUND',
    'file:///app/node_modules/lib/lib.mjs',
  ]

  it('have caches and packages of their own', async () => {
    const [one, other] = await runTogether([
      { files: files('one') },
      { files: files('other', { 'missing.mjs': 'throw { code: "FOUND" }' }) },
    ])
    expect(one).toEqual(expected('one'))
    expect(other).toEqual(expected('other').with(3, 'FOUND'))
  })

  it('may have different conditions', async () => {
    const program = (execArgv: readonly string[]): Program => ({
      files: files('x', { 'main.mjs': `import { name } from 'lib'; console.log(name)` }),
      execArgv,
    })
    expect(await runTogether([program([]), program(['--conditions=special']), program([])])).toEqual([
      ['x'],
      ['special'],
      ['x'],
    ])
  })

  it('have classes of scripts of their own', async () => {
    const main = `
      import vm from 'node:vm'
      const ContextifyScript = Object.getPrototypeOf(vm.Script)
      console.log(ContextifyScript.name, ContextifyScript.prototype.mark, new vm.Script('1 + 1').runInThisContext())
      ContextifyScript.prototype.mark = 'left behind'`
    const program = { files: { 'main.mjs': main } }
    const line = 'ContextifyScript undefined 2'
    expect(await runTogether([program, program])).toEqual([[line], [line]])
  })
})
