/** Installs this folder's packages where they are missing: they are no part of the project's own installation. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { FOLDER } from './runs.ts'

/** Whether the packages are there, after having tried to get them. Says what it does: it takes a minute. */
export function installPackages(): boolean {
  if (existsSync(`${FOLDER}/node_modules/.package-lock.json`)) return true
  console.warn('test/packages: installing npm packages (npm ci --ignore-scripts), about a minute …')
  const { status, error, stderr } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: FOLDER,
    encoding: 'utf8',
  })
  if (status === 0) return true
  const reason = error?.message ?? stderr.trim().split('\n').slice(-5).join('\n')
  console.warn(`test/packages: SKIPPED, npm ci failed (exit code ${status}):\n${reason}`)
  return false
}
