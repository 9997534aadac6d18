// Installs the systems of examples/real from Debian packages, and what the backends need: what `wavetank doctor` finds
// missing, Docker aside. Needs root. No server is started: Debian's own switch for that is set while packages come in.
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'

const SWITCH = '/usr/sbin/policy-rc.d'

process.chdir(new URL('..', import.meta.url).pathname)
const { stdout, status } = spawnSync(process.execPath, ['dist/cli/main.js', 'doctor', '--json'], {
  encoding: 'utf8',
})
if (status !== 0 && status !== 2) throw new Error('wavetank doctor failed; build the project first')
const missing = JSON.parse(stdout).findings.filter(
  ({ present, package: debian }) => !present && debian !== null && debian !== 'docker.io',
)
const packages = [...new Set(missing.map(({ package: debian }) => debian))]

function run(...words) {
  console.log(words.join(' '))
  return spawnSync(words[0], words.slice(1), { stdio: 'inherit' }).status ?? 1
}

if (packages.length === 0) console.log('Nothing is missing.')
else if (process.getuid?.() !== 0) {
  console.error(`real:install: installing ${packages.join(', ')} needs root`)
  process.exitCode = 254
} else {
  const ours = !existsSync(SWITCH)
  if (ours) writeFileSync(SWITCH, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    process.exitCode =
      run('apt-get', 'update') || run('apt-get', 'install', '-y', '--no-install-recommends', ...packages)
  } finally {
    if (ours) rmSync(SWITCH)
  }
}
