/**
 * The package as npm packs it, unpacked where npm, a workspace, pnpm and `npm link` put it, and the first minute of a
 * stranger there: `wavetank init`, a run, and a failure that is replayed. Its dependencies are this repository's, copied,
 * so nothing is fetched.
 */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { buildOnce } from './build.ts'
import { CLI, runNode, type Outcome } from './project.ts'

vi.setConfig({ testTimeout: 300_000 })

const REPOSITORY = join(CLI, '../../..')
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wavetank-packed-')))
const unpacked = join(folder, 'unpacked/package')
const dependencies = join(folder, 'dependencies')

beforeAll(buildOnce, 120_000)
beforeAll(() => {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: REPOSITORY })
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'))!
  mkdirSync(dirname(unpacked))
  execFileSync('tar', ['-xzf', join(folder, archive), '-C', dirname(unpacked)])
  for (const name of allDependencies()) {
    mkdirSync(dirname(join(dependencies, name)), { recursive: true })
    cpSync(join(REPOSITORY, 'node_modules', name), join(dependencies, name), { recursive: true })
  }
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }), 120_000)

/** What the package needs, and what that needs; packages for other platforms are not there. */
function allDependencies(): readonly string[] {
  const names = new Set<string>()
  const open = ['']
  for (const name of open) {
    const manifest = join(REPOSITORY, name === '' ? '' : `node_modules/${name}`, 'package.json')
    if (!existsSync(manifest)) continue
    if (name !== '') names.add(name)
    const { dependencies: needed = {}, optionalDependencies: optional = {} } = JSON.parse(
      readFileSync(manifest, 'utf8'),
    ) as Record<string, Record<string, string> | undefined>
    open.push(...Object.keys({ ...needed, ...optional }).filter((each) => !names.has(each)))
  }
  return [...names]
}

/** Where the command line and the project are, in a layout of node_modules. */
interface Layout {
  readonly cli: string
  readonly project: string
}

const LAYOUTS: Readonly<Record<string, (root: string) => Layout>> = {
  npm(root) {
    cpSync(dependencies, join(root, 'node_modules'), { recursive: true })
    cpSync(unpacked, join(root, 'node_modules/wavetank'), { recursive: true })
    return { cli: join(root, 'node_modules/wavetank/dist/cli/main.js'), project: root }
  },
  workspace(root) {
    const { cli } = LAYOUTS.npm(root)
    writeFileSync(join(root, 'package.json'), '{ "private": true, "workspaces": ["packages/*"] }')
    const project = join(root, 'packages/app')
    mkdirSync(project, { recursive: true })
    symlinkSync(project, join(root, 'node_modules/app'))
    return { cli, project }
  },
  pnpm(root) {
    const store = join(root, 'node_modules/.pnpm/wavetank@0.1.0/node_modules')
    cpSync(dependencies, store, { recursive: true })
    cpSync(unpacked, join(store, 'wavetank'), { recursive: true })
    symlinkSync(join(store, 'wavetank'), join(root, 'node_modules/wavetank'))
    return { cli: join(root, 'node_modules/wavetank/dist/cli/main.js'), project: root }
  },
  'npm link'(root) {
    const elsewhere = mkdtempSync(join(folder, 'linked-'))
    cpSync(unpacked, elsewhere, { recursive: true })
    cpSync(dependencies, join(elsewhere, 'node_modules'), { recursive: true })
    mkdirSync(join(root, 'node_modules'))
    symlinkSync(elsewhere, join(root, 'node_modules/wavetank'))
    return { cli: join(root, 'node_modules/wavetank/dist/cli/main.js'), project: root }
  },
}

const made = new Map<string, Layout>()

/** Each layout is made once: copying takes longer than running. */
function laidOut(name: string): Layout {
  const layout = made.get(name) ?? LAYOUTS[name](mkdtempSync(join(folder, 'project-')))
  made.set(name, layout)
  return layout
}

/** A server that forgets, written as the project is. */
const FORGETFUL = (imports: string, exports: string, type: string): string => `${imports}
${exports} simulation('forgetful', {
  processes: {
    store: {
      run(_${type}, node${type}) {
        let stored = 0
        const { createServer } = node.require('node:http')
        createServer((request${type}, response${type}) => {
          if (request.method === 'POST') stored++
          response.end(String(stored % 5))
        }).listen(80)
      },
    },
  },
  workload: {
    clients: 1,
    operations: 12,
    run: ({ operation }) =>
      operation('add', () => fetch('http://store/', { method: 'POST' }).then((answer) => answer.text())),
  },
  invariants: {
    'a count is never 0': ({ events }) => {
      const { data } = events.last('operation') ?? {}
      return data?.type !== 'ok' || data.value !== '0' || 'it is 0'
    },
  },
})
`

type Written = readonly [type: string, file: string, imports: string, exports: string, annotation: string]

const WRITTEN: readonly Written[] = [
  ['commonjs', 'a.sim.ts', "import { simulation } from 'wavetank'", 'export default', ': any'],
  ['commonjs', 'a.sim.js', "const { simulation } = require('wavetank')", 'module.exports =', ''],
  ['module', 'a.sim.js', "import { simulation } from 'wavetank'", 'export default', ''],
  ['module', 'a.sim.ts', "import { simulation } from 'wavetank'", 'export default', ': any'],
]

/** Every layout with one way of writing, and npm's with all; at full counts all with all. */
const CASES = Object.keys(LAYOUTS).flatMap((layout) =>
  WRITTEN.filter((_, i) => i === 0 || layout === 'npm' || process.env.WAVETANK_FULL === '1').map(
    (written) => [layout, ...written] as const,
  ),
)

describe('npx wavetank init, run and replay of the packed package', () => {
  it.each(CASES)(
    'work as installed by %s in a %s project with %s',
    async (layout, type, file, imports, exports, annotation) => {
      const { cli, project } = laidOut(layout)
      for (const name of readdirSync(project))
        if (/^(first|a)\.sim\.|^wavetank\.config/.test(name)) rmSync(join(project, name))
      writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'app', type }))
      const wavetank = (...args: string[]): Promise<Outcome> => runNode(project, [cli, ...args])

      expect((await wavetank('init')).stdout).toContain('wrote first.sim.ts')
      writeFileSync(join(project, file), FORGETFUL(imports, exports, annotation))
      const { stdout, stderr, code } = await wavetank('run', '--level', 'stormy', '--seeds', '1')
      expect(stderr).not.toContain('cannot be loaded')
      expect(stdout).toContain('✓ first  level stormy  held')
      expect(stdout).toContain('← it is 0')
      expect(code).toBe(1)
      const [, trace] = /npx wavetank replay (\S+)/.exec(stdout)!
      expect((await wavetank('replay', trace)).stdout).toContain('the same run, to the last step')
    },
  )
})

describe('the package', () => {
  it('has every page that the README links to', () => {
    const readme = readFileSync(join(unpacked, 'README.md'), 'utf8')
    const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, path]) => path)
    expect(links.length).toBeGreaterThan(5)
    expect(links.filter((path) => !existsSync(join(unpacked, path)))).toEqual([])
  })
})
