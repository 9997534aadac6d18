/** Races under node:test, run by Node itself on the built package, as a user would. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const ROOT = new URL('../..', import.meta.url).pathname
const BUILT = existsSync(`${ROOT}dist/node-test.js`)
if (!BUILT) console.warn('races under node:test: skipped, dist/ is missing; run npm run build')

describe.skipIf(!BUILT)('races under node:test', () => {
  it('hold and fail beside ordinary tests', () => {
    const { stdout, status } = spawnSync(
      process.execPath,
      ['--test', '--test-reporter', 'tap', 'test/explore/fixtures/deposits.mjs'],
      {
        cwd: ROOT,
        encoding: 'utf8',
      },
    )
    expect(stdout).toMatch(/^ *ok \d - an ordinary test beside races$/m)
    expect(stdout).toMatch(/^ *ok \d - one deposit is kept$/m)
    expect(stdout).toMatch(/^ *not ok \d - two deposits are kept$/m)
    expect(stdout).toContain('✗ two deposits are kept')
    expect(status).toBe(1)
  })
})
