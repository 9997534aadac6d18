/**
 * The first minute of a stranger: `wavetank init` and a run, in every way in which a project can be written, and what
 * they are shown when something is wrong in their own files. At normal counts one of the
 * ways and one of the mistakes that have the same cause.
 */
import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { buildOnce } from './build.ts'
import { throwAwayProjects } from './project.ts'

vi.setConfig({ testTimeout: 300_000 })

const FULL = process.env.WAVETANK_FULL === '1'
if (!FULL)
  process.stderr.write(
    'first-contact: 1 of 3 kinds of projects, 1 of 2 wrong options; WAVETANK_FULL=1 has all\n',
  )

const project = throwAwayProjects()

function sample<T>(all: readonly T[]): readonly T[] {
  return FULL ? all : all.slice(0, 1)
}

beforeAll(buildOnce, 120_000)

const BODY = `{
  processes: {
    echo: { run: (_, node) => void node.require('net').createServer((socket) => socket.pipe(socket)).listen(7) },
  },
  workload: { clients: 1, operations: 2, run: ({ operation }) => operation('say', () => 1) },
  invariants: { 'it says 1': ({ events }) => (events.last('operation')?.data.error ?? null) === null },
}`

describe('npx wavetank init && npx wavetank run first --level stormy', () => {
  it.each(
    sample([
      ['a CommonJS project, as npm init -y writes it', '{ "type": "commonjs" }'],
      ['a project without a type', '{}'],
      ['an ESM project', '{ "type": "module" }'],
    ]),
  )('holds in %s', async (_, manifest) => {
    const fresh = project({ 'package.json': manifest })
    const written = await fresh.wavetank('init')
    expect(written.stdout).toContain('wrote first.sim.ts')
    const { stdout, stderr, code } = await fresh.wavetank('run', 'first', '--level', 'stormy', '--seeds', '1')
    expect(stderr).toBe('')
    expect(stdout).toContain('✓ first  level stormy  held')
    expect(code).toBe(0)
  })

  it('adds .wavetank to .gitignore once, and keeps what was there', async () => {
    const fresh = project({ '.gitignore': 'node_modules' })
    await fresh.wavetank('init')
    expect((await fresh.wavetank('init')).stdout).toBe(
      'kept wavetank.config.ts\nkept first.sim.ts\nkept .gitignore\nnext: npx wavetank run first --level stormy\n',
    )
    expect(fresh.read('.gitignore')).toBe('node_modules\n.wavetank/\n')
    const bare = project({})
    await bare.wavetank('init')
    expect(bare.read('.gitignore')).toBe('.wavetank/\n')
  })
})

describe('a simulation file is found', () => {
  const load = "import { simulation } from 'wavetank'"
  const require = "const { simulation } = require('wavetank')"
  const asModule = (name: string) => `${load}\nexport default simulation('${name}', ${BODY})`
  const asExports = (name: string) =>
    `${require}\nmodule.exports = { ${name}: simulation('${name}', ${BODY}) }`

  const kinds: readonly [
    type: string,
    manifest: string,
    Readonly<Record<string, (name: string) => string>>,
  ][] = [
    [
      'a CommonJS project',
      '{ "type": "commonjs" }',
      {
        'a.sim.ts': asModule,
        'b.sim.ts': (name) => `${load}\nexport const it = simulation('${name}', ${BODY})`,
        'c.sim.mts': asModule,
        'd.sim.js': (name) => `${require}\nmodule.exports = simulation('${name}', ${BODY})`,
      },
    ],
    [
      'an ESM project',
      '{ "type": "module" }',
      { 'a.sim.ts': asModule, 'b.sim.cts': asModule, 'c.sim.js': asModule },
    ],
    [
      'a project without a type',
      '{}',
      {
        'a.sim.cjs': asExports,
        'b.sim.js': (name) =>
          `Object.defineProperty(exports, '__esModule', { value: true })\nexports.default = require('wavetank').simulation('${name}', ${BODY})`,
        'c.sim.mjs': asModule,
      },
    ],
  ]
  it.each(sample(kinds))('in %s, however it is written', async (_, manifest, files) => {
    const names = Object.keys(files)
    const texts = names.map((name) => {
      const text = files[name](name[0])
      if (!name.endsWith('ts')) return [name, text]
      return [name, text.replaceAll('(_,', '(_: unknown,').replace('(socket)', '(socket: any)')]
    })
    const { stdout, stderr, code } = await project({
      'package.json': manifest,
      ...(Object.fromEntries(texts) as Record<string, string>),
    }).wavetank('run', '--seeds', '1')
    expect(stderr).toBe('')
    expect(stdout.match(/^✓ [a-d](?= )/gm)).toEqual(names.map(([letter]) => `✓ ${letter}`))
    expect(code).toBe(0)
  })

  it('by its path, also where the configuration does not look', async () => {
    const text = `import { simulation } from 'wavetank'\nexport default simulation('a', ${BODY})`
    const there = project({
      'wavetank.config.js': "export default { folders: ['sims'] }",
      'sims/b.sim.mjs': text.replace("'a'", "'b'"),
      'elsewhere/a.sim.mjs': text,
    })
    const run = await there.wavetank('run', './elsewhere/a.sim.mjs', '--seeds', '1')
    expect([run.stderr, run.code]).toEqual(['', 0])
    expect(run.stdout).toContain('✓ a')
    expect(run.stdout).not.toContain('✓ b')
    const missing = await there.wavetank('run', './nowhere.sim.mjs')
    expect([missing.stderr, missing.code]).toEqual([
      "wavetank: no simulation matches './nowhere.sim.mjs'; there are b\n",
      254,
    ])
  })

  it('by simulate(), relative to the calling file and else to the working directory', async () => {
    const there = project({
      'deep/a.sim.mjs': `import { simulation } from 'wavetank'\nexport default simulation('a', ${BODY})`,
      'deep/caller.mjs': `
        import { simulate } from 'wavetank'
        for (const path of ['./a.sim.mjs', 'deep/a.sim.mjs', new URL('a.sim.mjs', import.meta.url)])
          console.log((await simulate(path, { seed: 3, jobs: 0 })).verdict)
        console.log(await simulate('./nowhere.sim.mjs').catch(({ code, message }) => code + ' ' + message))
      `,
    })
    const { stdout } = await there.node('deep/caller.mjs')
    const [caller, cwd] = ['deep/nowhere.sim.mjs', 'nowhere.sim.mjs'].map((file) => join(there.folder, file))
    expect(stdout.replaceAll('/private', '')).toBe(
      `held\nheld\nheld\nERR_WAVETANK_NO_SIMULATION simulate(): there is no file ${caller}, nor ${cwd}\n`,
    )
  })
})

describe('a mistake in a simulation file', () => {
  const simple = (name: string, more: string, workload = ''): string => `
import { simulation } from 'wavetank'
export default simulation('${name}', {
  processes: {},
  workload: { clients: 1, operations: 1, run: ({ operation }) => operation('say', () => 1), ${workload} },
  ${more}
})
`

  it.each(
    sample([
      ['invariantz: {}', 'there is no option "invariantz"; did you mean "invariants"?'],
      ['processes: undefined', 'processes is missing: expected an object'],
    ]),
  )('is refused with its place: %s', async (field, message) => {
    const wrong = project({ 'a.sim.js': simple('a', field) })
    const { stdout, stderr, code } = await wrong.wavetank('run', '--seeds', '1')
    expect(stderr).toContain(`simulation('a'): ${message}`)
    expect(stderr).not.toMatch(/^\s+at /m)
    expect([code, stdout]).toEqual([254, ''])
  })

  it('does not stop the simulations of other files, but the exit code says it', async () => {
    const mixed = project({
      'bad.sim.js': simple('bad', 'bugdet: {}'),
      'worse.sim.js': 'export default nothing.at.all',
      'good.sim.js': simple('good', '', 'check() {}'),
    })
    const all = await mixed.wavetank('run', '--seeds', '1')
    expect(all.stdout).toContain('✓ good')
    expect(all.stderr).toMatch(
      /bad\.sim\.js cannot be loaded: simulation\('bad'\): there is no option "bugdet"/,
    )
    expect(all.stderr).toMatch(/worse\.sim\.js cannot be loaded: ReferenceError: nothing is not defined/)
    expect(all.code).toBe(254)
    expect((await mixed.wavetank('run', 'good', '--seeds', '1')).code).toBe(0)
    expect((await mixed.wavetank('run', 'bad', '--seeds', '1')).code).toBe(254)
    const list = await mixed.wavetank('list')
    expect([list.stdout.includes('good'), list.code]).toEqual([true, 254])
  })

  it('that is only met in a run is the simulation’s, with its line, and no violation', async () => {
    const mistakes = {
      'is 1': simple('a', "invariants: { 'is 1': ({ events }) => evnets.last('operation') }"),
      check: simple('b', '', 'check: ({ history }) => history.nothing.length'),
      run: simple('c', '').replace("operation('say', () => 1)", 'nothing()'),
      'check, which returns 5': simple('d', '', 'check: () => 5'),
    }
    const files = Object.values(mistakes).map((text, index) => [`${'abcd'[index]}.sim.js`, text])
    const { stdout, code } = await project(Object.fromEntries(files) as Record<string, string>).wavetank(
      'run',
      '--seeds',
      '1',
      '--no-shrink',
    )
    const reports = stdout.split(/^(?=\? [a-d] )/m).filter((text) => text.startsWith('? '))
    expect(reports).toHaveLength(4)
    for (const [index, title] of Object.keys(mistakes).entries()) {
      const name = 'abcd'[index]
      expect(reports[index]).toContain(`? ${name}  level sunny  unknown`)
      expect(reports[index]).toContain(`mistake: ${title.split(',')[0]}`)
      expect(reports[index]).toMatch(
        new RegExp(`a mistake in the simulation: .*Error: .*, at \\S*${name}\\.sim\\.js:\\d+:\\d+|and got 5`),
      )
    }
    expect(code).toBe(2)
  })
})

describe('what the tank lacks', () => {
  it('is unknown, with the way out, and no violation', async () => {
    const lacking = project({
      'server.js': "import 'node:repl'",
      'addon.cjs': "require('native')",
      'node_modules/native/package.json': '{ "main": "native.node" }',
      'node_modules/native/native.node': '',
      'repl.sim.js': `import { simulation } from 'wavetank'
        export const repl = simulation('repl', { processes: { p: { entry: './server.js' } }, workload: { run() {} } })
        export const addon = simulation('addon', { processes: { p: { entry: './addon.cjs', onExit: 'restart' } }, workload: { run() {} } })`,
    })
    const { stdout, code } = await lacking.wavetank('run', '--seeds', '1', '--no-shrink')
    const reports = stdout.split(/^(?=\? )/m)
    for (const [name, wayOut] of [
      ['repl', "externals: { 'repl': './stub.ts' }"],
      ['addon', "addons: ['native']"],
    ]) {
      const report = reports.find((text) => text.startsWith(`? ${name}  level sunny  unknown`))
      expect(report).toContain('unsupported: p')
      expect(report).toContain(wayOut)
    }
    expect(code).toBe(2)
  })

  it('is replaced by externals', async () => {
    const replaced = project({
      'server.js': "import repl from 'node:repl'\nconsole.log(repl.start())",
      'stub.js': "export default { start: () => 'the stub' }",
      'a.sim.js': `import { simulation, sometimes } from 'wavetank'
        export default simulation('repl', {
          processes: { p: { entry: './server.js' } },
          workload: { run() {}, check: ({ events }) => sometimes(events.last('stdout')?.data === 'the stub', 'stub') },
          externals: { repl: './stub.js' },
          allowGaps: ['no-operation'],
        })`,
    })
    const { stdout, code } = await replaced.wavetank('run', '--seeds', '1')
    expect([stdout.includes('✓ repl'), code]).toEqual([true, 0])
  })

  /** A real addon that happens to be here: one of the bundler that the tests run on. */
  const addon = realAddon()

  it.skipIf(addon === null)(
    'is allowed by addons: an addon that computes is loaded, seed after seed',
    async () => {
      const allowed = project({
        'addon.cjs': `const { transform } = require('native')
        const { code } = transform({ filename: 'a.css', code: Buffer.from('a { color: #ff0000 }'), minify: true })
        console.log(code.toString())`,
        'node_modules/native/package.json': '{ "main": "native.node" }',
        'a.sim.js': `import { simulation, sometimes } from 'wavetank'
        export default simulation('addon', {
          processes: { p: { entry: './addon.cjs', count: 2 } },
          workload: { run() {}, check: ({ events }) => sometimes(events.all('stdout').every(({ data }) => data === 'a{color:red}'), 'css') },
          addons: ['native'],
          allowGaps: ['no-operation'],
        })`,
      })
      copyFileSync(addon!, join(allowed.folder, 'node_modules/native/native.node'))
      const { stdout, code } = await allowed.wavetank('run', '--seeds', '3')
      expect([stdout.includes('✓ addon'), code]).toEqual([true, 0])
    },
  )
})

function realAddon(): string | null {
  const modules = new URL('../../node_modules/', import.meta.url).pathname
  const name = readdirSync(modules).find((each) => each.startsWith('lightningcss-'))
  if (name === undefined) {
    process.stderr.write('skipped: no native addon of lightningcss is installed for this platform\n')
    return null
  }
  const file = readdirSync(join(modules, name)).find((each) => each.endsWith('.node'))
  return file === undefined ? null : join(modules, name, file)
}
