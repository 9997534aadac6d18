/**
 * The package as npm packs it, unpacked where npm, a workspace, pnpm and `npm link` put it. Its dependencies are this
 * repository's, copied, so nothing is fetched. pnpm's layout is that of `pnpm add`, without the links for the packages of
 * packages: what a program may not import by itself is not at the top.
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
import { afterAll, beforeAll } from 'vitest'
import { buildOnce } from './build.ts'
import { CLI } from './project.ts'

const REPOSITORY = join(CLI, '../../..')

/** Where the command line and the project are, in a layout of node_modules. */
export interface Layout {
  readonly cli: string
  readonly project: string
}

export type LayoutName = 'npm' | 'workspace' | 'pnpm' | 'npm link'

export const LAYOUT_NAMES: readonly LayoutName[] = ['npm', 'workspace', 'pnpm', 'npm link']

/** Packs the package before the tests of a file, and removes everything after them. */
export function packedPackage(): PackedPackage {
  const packed = new PackedPackage()
  beforeAll(buildOnce, 240_000)
  beforeAll(() => packed.pack(), 600_000)
  afterAll(() => packed.remove(), 120_000)
  return packed
}

class PackedPackage {
  private readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'wavetank-packed-')))
  private readonly dependencies = join(this.folder, 'dependencies')
  private readonly made = new Map<LayoutName, Layout>()
  readonly unpacked = join(this.folder, 'unpacked/package')

  pack(): void {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', this.folder], { cwd: REPOSITORY })
    const archive = readdirSync(this.folder).find((name) => name.endsWith('.tgz'))!
    mkdirSync(dirname(this.unpacked))
    execFileSync('tar', ['-xzf', join(this.folder, archive), '-C', dirname(this.unpacked)])
    for (const name of allDependencies()) {
      mkdirSync(dirname(join(this.dependencies, name)), { recursive: true })
      cpSync(join(REPOSITORY, 'node_modules', name), join(this.dependencies, name), { recursive: true })
    }
  }

  /** Each layout is made once: copying takes longer than running. */
  laidOut(name: LayoutName): Layout {
    const layout = this.made.get(name) ?? this.layOut(name, mkdtempSync(join(this.folder, 'project-')))
    this.made.set(name, layout)
    return layout
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  private layOut(name: LayoutName, root: string): Layout {
    const cli = join(root, 'node_modules/wavetank/dist/cli/main.js')
    const { unpacked, dependencies } = this
    switch (name) {
      case 'npm':
        cpSync(dependencies, join(root, 'node_modules'), { recursive: true })
        cpSync(unpacked, join(root, 'node_modules/wavetank'), { recursive: true })
        return { cli, project: root }
      case 'workspace': {
        this.layOut('npm', root)
        writeFileSync(join(root, 'package.json'), '{ "private": true, "workspaces": ["packages/*"] }')
        const project = join(root, 'packages/app')
        mkdirSync(project, { recursive: true })
        symlinkSync(project, join(root, 'node_modules/app'))
        return { cli, project }
      }
      case 'pnpm': {
        const store = join(root, 'node_modules/.pnpm/wavetank@0.1.0/node_modules')
        cpSync(dependencies, store, { recursive: true })
        cpSync(unpacked, join(store, 'wavetank'), { recursive: true })
        symlinkSync(join(store, 'wavetank'), join(root, 'node_modules/wavetank'))
        return { cli, project: root }
      }
      case 'npm link': {
        const elsewhere = mkdtempSync(join(this.folder, 'linked-'))
        cpSync(unpacked, elsewhere, { recursive: true })
        cpSync(dependencies, join(elsewhere, 'node_modules'), { recursive: true })
        mkdirSync(join(root, 'node_modules'))
        symlinkSync(elsewhere, join(root, 'node_modules/wavetank'))
        return { cli, project: root }
      }
    }
  }
}

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
