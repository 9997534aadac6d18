// npm test: set up, lint, type-check, build, test. `--full` runs every suite at full counts (WAVETANK_FULL=1).
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

process.chdir(new URL('..', import.meta.url).pathname)
const full = process.argv.includes('--full')
const env = { ...process.env, ...(full ? { WAVETANK_FULL: '1' } : {}) }

function step(title, command, args) {
  console.log(`\n▸ ${title}`)
  const { status } = spawnSync(command, args, { stdio: 'inherit', env })
  if (status !== 0) {
    console.error(`\n✗ ${title} failed (exit ${status})`)
    process.exit(status || 1)
  }
}

// Not `npm ci`: it insists on optional packages for every platform, which a registry may not have.
if (!existsSync('node_modules/.package-lock.json'))
  step('install', 'npm', ['install', '--no-save', '--no-audit', '--no-fund'])
step('lint', 'npx', ['--no-install', 'oxlint', '--type-aware'])
step('format', 'npx', ['--no-install', 'prettier', '--check', '--log-level', 'warn', '.'])
step('types', 'npx', ['--no-install', 'tsc', '-p', 'tsconfig.json'])
step('build', 'node', ['scripts/build.mjs'])
step('unused code', 'npx', ['--no-install', 'knip'])
step('package', 'npx', ['--no-install', 'publint', '--strict'])
step('tests', 'npx', ['--no-install', 'vitest', 'run'])
