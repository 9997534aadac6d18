// npm test: set up, lint, type-check, build, test on the Node at hand, and a smoke on one other major. `--full` runs
// every suite at full counts (WAVETANK_FULL=1) on the Node at hand, then the whole suite at normal counts on the others.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { MAJOR_AT_HAND, MAJORS } from './node-binaries.mjs'
import { runSuite, table } from './versions.mjs'

process.chdir(new URL('..', import.meta.url).pathname)
const full = process.argv.includes('--full')

function step(title, command, args) {
  console.log(`\n▸ ${title}`)
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
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

const others = MAJORS.filter((major) => major !== MAJOR_AT_HAND)
const rows = [runSuite({ major: MAJOR_AT_HAND, full })]
if (full) for (const major of others) rows.push(runSuite({ major }))
else rows.push(runSuite({ major: others.includes(24) ? 24 : 22, smoke: true }))
console.log(`\n${table(rows)}`)
process.exit(rows.every(({ ok }) => ok) ? 0 : 1)
