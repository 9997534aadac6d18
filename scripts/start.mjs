// npm start: the tank in a minute. Installs and builds where that is still to do, then simulates examples/kv/kv-broken,
// a key-value server with a planted bug, until it breaks, and prints the shrunk story and the command that replays it.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

process.chdir(new URL('..', import.meta.url).pathname)

function step(title, command, args, expected = 0) {
  console.log(`▸ ${title}`)
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
  if (status === expected) return
  console.error(`✗ ${title} failed (exit ${status})`)
  process.exit(status || 1)
}

// Not `npm ci`: it insists on optional packages for every platform, which a registry may not have.
if (!existsSync('node_modules/.package-lock.json'))
  step('install', 'npm', ['install', '--no-save', '--no-audit', '--no-fund'])
step('build', 'node', ['scripts/build.mjs'])
const args = ['run', 'kv-broken', '--level', 'stormy', '--seeds', '500', '--bail']
// The bug is there, so finding it (exit code 1) is what must happen.
step(`wavetank ${args.join(' ')}\n`, 'node', ['dist/cli/main.js', ...args], 1)
console.log(
  'The bug was planted: examples/kv/kv-broken.sim.ts. The correct server holds: npx wavetank run kv --level stormy',
)
