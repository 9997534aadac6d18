/**
 * The first minute of a stranger with the package as npm packs it, in every layout of node_modules: `wavetank init`, a run,
 * and a failure that is replayed.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { LAYOUT_NAMES, packedPackage } from './packed-package.ts'
import { runNode, type Outcome } from './project.ts'

vi.setConfig({ testTimeout: 300_000 })

const packed = packedPackage()

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

/**
 * Every layout with one way of writing, and npm's with both kinds of modules; at full counts all with all. Whatever the
 * layout, test/e2e/first-contact.test.ts has every way of writing.
 */
const FULL = process.env.WAVETANK_FULL === '1'
const CASES = LAYOUT_NAMES.flatMap((layout) =>
  WRITTEN.filter((_, i) => FULL || i === 0 || (i === 2 && layout === 'npm')).map(
    (written) => [layout, ...written] as const,
  ),
)

if (!FULL) process.stderr.write(`packed-package: ${CASES.length} of 16 projects; WAVETANK_FULL=1 has all\n`)

describe('npx wavetank init, run and replay of the packed package', () => {
  it.each(CASES)(
    'work as installed by %s in a %s project with %s',
    async (layout, type, file, imports, exports, annotation) => {
      const { cli, project } = packed.laidOut(layout)
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
    const readme = readFileSync(join(packed.unpacked, 'README.md'), 'utf8')
    const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, path]) => path)
    expect(links.length).toBeGreaterThan(5)
    expect(links.filter((path) => !existsSync(join(packed.unpacked, path)))).toEqual([])
  })
})
