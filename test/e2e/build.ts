/** Builds `dist` once for the tests that drive the real command line. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = new URL('../..', import.meta.url).pathname

export function buildOnce(): void {
  if (process.env.WAVETANK_CLI !== undefined) return
  const built = join(ROOT, 'dist/cli/main.js')
  if (existsSync(built) && statSync(built).mtimeMs >= newest(join(ROOT, 'src'))) return
  const { status, stdout } = spawnSync('node', ['scripts/build.mjs'], { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the build failed:\n${stdout}`)
}

function newest(folder: string): number {
  let newestMs = 0
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || /\.(test|contract)\.ts$/.test(entry.name)) continue
    newestMs = Math.max(newestMs, statSync(join(entry.parentPath, entry.name)).mtimeMs)
  }
  return newestMs
}
