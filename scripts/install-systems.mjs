// Installs the systems of examples/real from Debian packages: what `wavetank doctor` finds missing. Needs root.
import { spawnSync } from 'node:child_process'

process.chdir(new URL('..', import.meta.url).pathname)
const { stdout, status } = spawnSync(process.execPath, ['dist/cli/main.js', 'doctor', '--json'], {
  encoding: 'utf8',
})
if (status !== 0 && status !== 2) throw new Error('wavetank doctor failed; build the project first')
const { install } = JSON.parse(stdout)
if (install === null) console.log('Nothing is missing.')
else {
  console.log(install)
  const [command, ...args] = install.split(' ')
  process.exitCode = spawnSync(command, args, { stdio: 'inherit' }).status ?? 1
}
