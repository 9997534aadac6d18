/**
 * Programs that change what a resolution depends on, or how it is done: they print the same under plain Node, in the
 * first boot of a thread and in later ones, whose answers are remembered.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { World } from '../../world/world.ts'
import { projectImage } from '../project-image.ts'
import { NodeProgram } from '../process/program.ts'
import { NodeThread } from '../isolation/thread.ts'

const ROOT = realpathSync(mkdtempSync(join(tmpdir(), 'wavetank-remembered-')))
afterAll(() => rmSync(ROOT, { recursive: true }))

/** Files that all programs share. */
const FILES: Readonly<Record<string, string>> = {
  'lib/a.js': `module.exports = 'lib/a.js'`,
  'lib/b.json': `{"name": "lib/b.json", "deep": {"list": [1, 2]}, "__proto__": {"x": 1}}`,
  'node_modules/plain/package.json': `{"main": "./main.js"}`,
  'node_modules/plain/main.js': `module.exports = 'plain'`,
  'node_modules/plain/other.js': `module.exports = 'plain/other'`,
  'node_modules/exporting/package.json': `{"exports": {".": "./in/one.js", "./sub": "./in/one.js", "./late": "./in/one.js"}}`,
  // The package.json that is nearest to these files is not the one that led there.
  'node_modules/exporting/in/package.json': `{}`,
  'node_modules/exporting/in/one.js': `module.exports = 'one'`,
  'node_modules/exporting/in/two.js': `module.exports = 'two'`,
  'packages/linked/package.json': `{"name": "linked"}`,
  'packages/linked/index.js': `module.exports = __filename`,
}

const PROGRAMS: Readonly<Record<string, string>> = {
  'asks for many things': `
    const Module = require('module')
    console.log(require('./lib/a'), require('./lib/b'), require('plain'), require('exporting/sub'), require('linked'))
    console.log(Object.keys(require('./lib/b')), require('./lib/b').x, require.resolve('./lib/../lib/a'))
    for (const [key, value] of Object.entries(Module._pathCache).sort()) console.log(key.split('\\0')[0], value)
    for (const name of ['./missing', 'absent', 'plain/absent', 'exporting/absent']) {
      try { require(name) } catch ({ code, message, requireStack }) { console.log(code, message, requireStack) }
    }
    import('./main.mjs').then(({ default: name }) => console.log(name))`,
  'changes what it was given': `
    const data = require('./lib/b')
    console.log(JSON.stringify(data), data.deep.list.push(3))
    data.name = 'changed'`,
  'puts a file before the one that was found': `
    const fs = require('fs')
    console.log(require('./lib/a'))
    fs.writeFileSync(__dirname + '/lib/a', 'module.exports = "lib/a"')
    console.log(require('./lib/a'), require.resolve('./lib/a.js'))
    require('./later')`,
  'rewrites a package.json that was read': `
    const fs = require('fs')
    console.log(require('exporting'))
    fs.writeFileSync(__dirname + '/node_modules/exporting/package.json', '{"exports": {"./late": "./in/two.js"}}')
    console.log(require('exporting/late'))
    fs.mkdirSync(__dirname + '/lib/node_modules/plain', { recursive: true })
    fs.writeFileSync(__dirname + '/lib/node_modules/plain/index.js', 'module.exports = "nearer"')
    fs.writeFileSync(__dirname + '/lib/asks.js', 'module.exports = [require("plain"), require("exporting/late")]')
    console.log(require('./lib/asks'), require('plain'), require('plain/other'))`,
  'installs what was missing': `
    const fs = require('fs')
    const attempt = () => { try { return require('absent') } catch { return 'absent' } }
    console.log(attempt(), attempt())
    fs.mkdirSync(__dirname + '/node_modules/absent')
    fs.writeFileSync(__dirname + '/node_modules/absent/index.js', 'module.exports = "there"')
    console.log(attempt())`,
  'removes, moves and links': `
    const fs = require('fs')
    fs.renameSync(__dirname + '/packages', __dirname + '/moved')
    try { require('linked') } catch (error) { console.log(error.code) }
    fs.unlinkSync(__dirname + '/lib/a.js')
    try { require('./lib/a') } catch (error) { console.log(error.code) }
    fs.symlinkSync('../moved/linked/index.js', __dirname + '/lib/a.js')
    console.log(require('./lib/a'))`,
  'takes the resolver apart': `
    const Module = require('module')
    console.log(require.resolve('./lib/a'))
    module.paths.unshift(__dirname + '/lib')
    console.log(require('a.js'))
    Module._extensions['.txt'] = () => {}
    console.log(Object.keys(Module._extensions).includes('.txt'), require('plain'))
    const findPath = Module._findPath
    Module._findPath = (request, ...rest) => findPath(request === 'plain/other' ? 'plain' : request, ...rest)
    console.log(require('plain/other'))
    Module._findPath = findPath
    module.paths.shift()
    delete Module._extensions['.txt']
    const key = Object.keys(Module._pathCache).find((name) => name.startsWith('./lib/a'))
    Module._pathCache[key] = __dirname + '/node_modules/plain/main.js'
    console.log(require('./lib/a'))`,
  'reads through a file system of its own': `
    const fs = require('fs')
    const { readFileSync } = fs
    fs.readFileSync = (path, ...rest) =>
      String(path).endsWith('other.js') ? 'module.exports = "patched"' : readFileSync(path, ...rest)
    console.log(require('plain/other'), require('plain'))`,
}

function plant(name: string): string {
  const folder = mkdtempSync(join(ROOT, 'program-'))
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const [path, text] of Object.entries(FILES)) write(path, text)
  symlinkSync('../packages/linked', join(folder, 'node_modules/linked'))
  write('main.js', PROGRAMS[name])
  write('main.mjs', `import a from './lib/a.js'\nimport plain from 'plain'\nexport default [a, plain]`)
  write('later.js', `console.log(require('./lib/a'), require('plain'))`)
  return folder
}

function underNode(folder: string): string {
  const copy = `${folder}-copy`
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true })
  const output = execFileSync(process.execPath, ['main.js'], { cwd: copy, encoding: 'utf8' })
  return output.replaceAll(copy, folder)
}

/** Boots once, or as often as is said on the same disk; gives each boot's output, and the hash of the run. */
async function inTank(
  folder: string,
  boots = 1,
  hostModules: Readonly<Record<string, unknown>> = {},
): Promise<{ outputs: string[]; hash: string }> {
  const world = new World({ seed: 7 })
  const host = world.addHost('n1', {
    disk: { image: [{ at: folder, from: folder, reader: projectImage() }] },
  })
  const outputs: string[] = []
  const program = new NodeProgram({
    entry: `${folder}/main.js`,
    cwd: folder,
    loader: { hostModules },
    onOutput: ({ bytes }) => {
      outputs[outputs.length - 1] += Buffer.from(bytes).toString()
    },
  })
  const process = world.addProcess('p', host, program)
  for (let boot = 0; boot < boots; boot++) {
    outputs.push('')
    process.start()
    await NodeThread.get().run(world.kernel)
  }
  const hash = world.kernel.hash.digest()
  NodeThread.get().endWorld()
  return { outputs, hash }
}

describe('a program prints what it prints under plain Node, remembered or not, when it', () => {
  it.each(Object.keys(PROGRAMS))('%s', async (name) => {
    const folder = plant(name)
    const expected = underNode(folder)
    const cold = await inTank(folder)
    expect(cold.outputs).toEqual([expected])
    expect(await inTank(folder)).toEqual(cold)
    expect(await inTank(folder)).toEqual(cold)
  })
})

describe('a module that is missing', () => {
  it('throws the same error, frame by frame, in the first boot and in later ones', async () => {
    const folder = plant('asks for many things')
    writeFileSync(
      join(folder, 'main.js'),
      `try { require('./missing') } catch ({ stack }) { console.log(stack) }`,
    )
    const cold = await inTank(folder)
    expect(cold.outputs[0]).toMatch(/Cannot find module '.\/missing'[^]*\n    at /)
    expect(await inTank(folder)).toEqual(cold)
  })
})

describe('a disk that a program changed', () => {
  it('is seen as it is by the next boot, and leaves other disks alone', async () => {
    const folder = plant('puts a file before the one that was found')
    const [first, second] = (await inTank(folder, 2)).outputs
    expect(first.startsWith('lib/a.js\n')).toBe(true)
    expect(second.startsWith('lib/a\n')).toBe(true)
    expect((await inTank(folder)).outputs).toEqual([first])
  })
})

describe('a name that is a module of the host to one process and a package to another', () => {
  it('is to each what it is', async () => {
    const folder = plant('asks for many things')
    writeFileSync(
      join(folder, 'main.js'),
      `import('./main.mjs').then(({ default: [, plain] }) => console.log(plain))`,
    )
    for (let boot = 0; boot < 2; boot++) {
      expect((await inTank(folder)).outputs).toEqual(['plain\n'])
      expect((await inTank(folder, 1, { plain: { default: 'hosted' } })).outputs).toEqual(['hosted\n'])
    }
  })
})
