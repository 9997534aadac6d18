import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { HOST_MODULES } from './host-modules.ts'
import { projectRoot } from './project.ts'
import { ThreadExecutor, threadHost } from '../sim/campaign/thread-host.ts'

let folder = ''
beforeEach(() => void (folder = realpathSync(mkdtempSync(join(tmpdir(), 'wavetank-project-')))))
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

/** Files by path; a text that begins with `->` is a symbolic link. */
function plant(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const full = join(folder, path)
    mkdirSync(dirname(full), { recursive: true })
    if (text.startsWith('->')) symlinkSync(text.slice(2), full)
    else writeFileSync(full, text)
  }
}

describe('the root of a project', () => {
  const rootOf = (path: string): string => projectRoot(join(folder, path)).slice(folder.length)

  it('is the nearest package, unless a repository or a workspace is around it', () => {
    plant({
      'outer/package.json': '{}',
      'outer/inner/package.json': '{}',
      'outer/inner/a.sim.ts': '',
      'npm/package.json': '{ "workspaces": ["packages/*"] }',
      'npm/packages/a/package.json': '{}',
      'pnpm/pnpm-workspace.yaml': '',
      'pnpm/apps/a/package.json': '{}',
      'repository/.git/HEAD': '',
      'repository/a/b/package.json': '{}',
    })
    expect(rootOf('outer/inner/a.sim.ts')).toBe('/outer/inner')
    expect(rootOf('npm/packages/a')).toBe('/npm')
    expect(rootOf('pnpm/apps/a')).toBe('/pnpm')
    expect(rootOf('repository/a/b')).toBe('/repository')
  })

  it('is the nearest repository, and the workspace around it, but no repository around that', () => {
    plant({
      'disk/.git/HEAD': '',
      'disk/secret': 'secret',
      'disk/app/.git/HEAD': '',
      'disk/app/package.json': '{}',
      'disk/npm/package.json': '{ "workspaces": ["*"] }',
      'disk/npm/a/.git': 'gitdir: elsewhere',
      'disk/npm/a/package.json': '{}',
    })
    expect(rootOf('disk/app')).toBe('/disk/app')
    expect(rootOf('disk/npm/a')).toBe('/disk/npm')
  })

  it('reaches up to the packages that are installed', () => {
    plant({
      'outer/package.json': '{}',
      'outer/node_modules/a/package.json': '{}',
      'outer/inner/package.json': '{}',
    })
    expect(rootOf('outer/inner')).toBe('/outer')
  })

  it('is never the home folder, whatever lies in it', () => {
    plant({
      'home/package.json': '{ "workspaces": ["*"] }',
      'home/.git/HEAD': '',
      'home/.ssh/id_ed25519': 'secret',
      'home/work/app/package.json': '{}',
    })
    vi.stubEnv('HOME', join(folder, 'home'))
    expect(rootOf('home/work/app')).toBe('/home/work/app')
    expect(() => rootOf('home')).toThrow('lies in the home folder itself, or above it')
    expect(() => projectRoot(folder)).toThrow(expect.objectContaining({ code: 'ERR_WAVETANK_PROJECT' }))
  })
})

/** A simulation whose only operation says what `program.js` printed. */
const simulation = (): string => `
  import { simulation } from 'wavetank'
  export default simulation('only', {
    processes: { only: { entry: './program.js' } },
    workload: { clients: 1, operations: 1, run: ({ operation }) => operation('nothing', () => {}) },
    invariants: { holds: () => true },
  })`

async function printed(project: string): Promise<{ lines: string[]; digest: string }> {
  const file = join(folder, project, 'a.sim.mjs')
  plant({ [join(project, 'a.sim.mjs')]: simulation() })
  const executor = new ThreadExecutor(threadHost({ root: projectRoot(file), hostModules: HOST_MODULES }))
  const { log, result } = await executor.record({
    simulation: { file, name: 'only' },
    level: 'sunny',
    seed: 1,
  })
  return { lines: log.map(({ text }) => text), digest: result.digest }
}

const PACKAGE = (name: string, more = ''): string => `{ "name": "${name}", "main": "index.js"${more} }`
const REQUIRES = "console.log(require('a'))"
const IMPORTS = "import a from 'a'\nconsole.log(a)"
const ESM = ', "type": "module"'

describe('packages behind links', () => {
  it.each([
    ['CommonJS', '', REQUIRES, "module.exports = 'a ' + require('b')", "module.exports = 'with b'"],
    ['ESM', ESM, IMPORTS, "import b from 'b'\nexport default 'a ' + b", "export default 'with b'"],
  ])('are found by %s', async (_, type, program, a, b) => {
    plant({
      // npm link: a lies elsewhere, with its own dependency.
      'elsewhere/a/package.json': PACKAGE('a', type),
      'elsewhere/a/index.js': a,
      'elsewhere/a/node_modules/b/package.json': PACKAGE('b', type),
      'elsewhere/a/node_modules/b/index.js': b,
      'elsewhere/secret': 'secret',
      'linked/package.json': PACKAGE('linked', type),
      'linked/node_modules/a': '->../../elsewhere/a',
      'linked/program.js': program,
      // An npm workspace.
      'npm/package.json': '{ "workspaces": ["packages/*"] }',
      'npm/node_modules/a': '->../packages/a',
      'npm/node_modules/b': '->../packages/b',
      'npm/packages/a/package.json': PACKAGE('a', type),
      'npm/packages/a/index.js': a,
      'npm/packages/b/package.json': PACKAGE('b', type),
      'npm/packages/b/index.js': b,
      'npm/packages/app/package.json': PACKAGE('app', type),
      'npm/packages/app/program.js': program,
      // pnpm with its store inside the project.
      'pnpm/pnpm-workspace.yaml': 'packages: [app]',
      'pnpm/node_modules/.pnpm/a@1/node_modules/a/package.json': PACKAGE('a', type),
      'pnpm/node_modules/.pnpm/a@1/node_modules/a/index.js': a,
      'pnpm/node_modules/.pnpm/a@1/node_modules/b': '->../../b@1/node_modules/b',
      'pnpm/node_modules/.pnpm/b@1/node_modules/b/package.json': PACKAGE('b', type),
      'pnpm/node_modules/.pnpm/b@1/node_modules/b/index.js': b,
      'pnpm/app/package.json': PACKAGE('app', type),
      'pnpm/app/node_modules/a': '->../../node_modules/.pnpm/a@1/node_modules/a',
      'pnpm/app/program.js': program,
      // pnpm with a store outside it.
      'store/a@1/node_modules/a/package.json': PACKAGE('a', type),
      'store/a@1/node_modules/a/index.js': a,
      'store/a@1/node_modules/b': '->../../b@1/node_modules/b',
      'store/b@1/node_modules/b/package.json': PACKAGE('b', type),
      'store/b@1/node_modules/b/index.js': b,
      'global/pnpm-workspace.yaml': 'packages: [app]',
      'global/app/package.json': PACKAGE('app', type),
      'global/app/node_modules/a': '->../../../store/a@1/node_modules/a',
      'global/app/program.js': program,
    })
    for (const project of ['linked', 'npm/packages/app', 'pnpm/app', 'global/app'])
      expect([project, ...(await printed(project)).lines]).toEqual([project, 'a with b'])
  })

  it('show nothing else outside the project, and nothing that wavetank keeps in it', async () => {
    plant({
      'elsewhere/a/package.json': PACKAGE('a'),
      'elsewhere/a/index.js': '',
      'elsewhere/secret': 'secret',
      'project/package.json': PACKAGE('project'),
      'project/node_modules/a': '->../../elsewhere/a',
      'project/.wavetank/runs/1.trace': '',
      'project/program.js': `const { existsSync, readdirSync } = require('fs')
        console.log(existsSync('../elsewhere/a/index.js'), existsSync('../elsewhere/secret'))
        console.log(readdirSync('.').join(' '), existsSync('.wavetank'))`,
    })
    expect((await printed('project')).lines).toEqual([
      'true false',
      'a.sim.mjs node_modules package.json program.js false',
    ])
  })
})

describe('two clones of a project', () => {
  it('have the same runs, however deep they lie and whatever they print of their paths', async () => {
    const program = `const fs = require('fs')
      fs.writeFileSync('/data/a', 'a')
      console.log(__filename, fs.statSync('/data/a').ino)
      new Error('here').stack.split('\\n').forEach((line) => console.error(line))
      fs.writeFileSync('local', 'b')
      fs.chmodSync('package.json', 0o600)
      require('child_process').execFile(process.execPath, [require('path').resolve('child.js')])`
    const files = (at: string): Record<string, string> => ({
      [`${at}/package.json`]: PACKAGE('a'),
      [`${at}/program.js`]: program,
      [`${at}/child.js`]: 'console.log(process.cwd())',
    })
    plant({ ...files('clone'), ...files('much/deeper/down/clone') })
    const [one, two] = [await printed('clone'), await printed('much/deeper/down/clone')]
    expect(one.lines[0]).toContain('clone/program.js')
    expect(two.digest).toBe(one.digest)
  })
})
