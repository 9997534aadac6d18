// Builds dist/ from src/ with plain tsc, after a clean, so that nothing stale is ever packed.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync } from 'node:fs'

process.chdir(new URL('..', import.meta.url).pathname)
rmSync('dist', { recursive: true, force: true })
const tsc = spawnSync('npx', ['--no-install', 'tsc', '-p', 'tsconfig.build.json'], { stdio: 'inherit' })
if (tsc.status !== 0) process.exit(tsc.status ?? 1)
if (existsSync('dist/cli/main.js')) chmodSync('dist/cli/main.js', 0o755)
