// npm test: set up, lint, type-check, build, test on the Node at hand, and a smoke on one other major. `--full` runs
// every suite at full counts (WAVETANK_FULL=1) on the Node at hand, then the whole suite at normal counts on the others.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { MAJOR_AT_HAND, MAJORS } from './node-binaries.mjs'
import { runSuite, table } from './versions.mjs'

process.chdir(new URL('..', import.meta.url).pathname)
const full = process.argv.includes('--full')

const NPX = ['npx', '--no-install']

/** What a step prints appears when it has ended, so that steps can run side by side. */
function step(title, [command, ...args]) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const output = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => output.push(bytes))
    child.on('close', (status) => {
      process.stdout.write(`\n▸ ${title}\n${Buffer.concat(output)}`)
      if (status === 0) return resolve()
      console.error(`\n✗ ${title} failed (exit ${status})`)
      process.exit(status || 1)
    })
  })
}

// Not `npm ci`: it insists on optional packages for every platform, which a registry may not have.
if (!existsSync('node_modules/.package-lock.json'))
  await step('install', ['npm', 'install', '--no-save', '--no-audit', '--no-fund'])
await Promise.all([
  step('lint', [...NPX, 'oxlint', '--type-aware']),
  step('format', [...NPX, 'prettier', '--check', '--log-level', 'warn', '.']),
  step('types', [...NPX, 'tsc', '-p', 'tsconfig.json']),
  step('build', ['node', 'scripts/build.mjs'])
    .then(() => step('unused code', [...NPX, 'knip']))
    .then(() => step('package', [...NPX, 'publint', '--strict'])),
])

const others = MAJORS.filter((major) => major !== MAJOR_AT_HAND)
const rows = [runSuite({ major: MAJOR_AT_HAND, full })]
if (full) for (const major of others) rows.push(runSuite({ major }))
else rows.push(runSuite({ major: others.includes(24) ? 24 : 22, smoke: true }))
console.log(`\n${table(rows)}`)
process.exit(rows.every(({ ok }) => ok) ? 0 : 1)
