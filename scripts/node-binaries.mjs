// Other majors of Node.js than the one at hand, from npm's `node` package, kept in node_modules/.cache. A binary is
// there or it is null with a reason on stderr: without a registry the suite still runs on the Node at hand.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The majors that the suite is to pass on. */
export const MAJORS = [20, 22, 24, 26]
export const MAJOR_AT_HAND = Number(process.versions.node.split('.')[0])

/** The path of a Node binary of a major; null where it cannot be had. */
export function nodeBinary(major) {
  if (major === MAJOR_AT_HAND) return process.execPath
  const folder = join(import.meta.dirname, '../node_modules/.cache/wavetank', `node-${major}`)
  const binary = join(folder, 'node_modules/node/bin/node')
  if (versionOf(binary) !== null) return binary
  console.log(`▸ getting Node ${major} from npm`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts=false', `node@${major}`]
  const { error, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' })
  if (versionOf(binary) !== null) return binary
  const reason = error?.message ?? stderr.trim().split('\n').slice(-5).join('\n')
  console.error(`\n✗✗✗ SKIPPED: Node ${major} could not be had, nothing is known about it here:\n${reason}\n`)
  return null
}

/** What a binary says it is; null when it does not run. */
export function versionOf(binary) {
  if (!existsSync(binary)) return null
  const { status, stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}
