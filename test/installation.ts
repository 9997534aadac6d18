/**
 * Installs the npm packages of a folder of tests where they are missing: they are no part of the project's own
 * installation. Test files run beside each other: one of them installs, the others wait for it.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { basename } from 'node:path'

/** A lock that is so old was left by somebody who was killed. */
const STALE_MS = 300_000

/** Whether the packages are there, after having tried to get them. Says what it does: it takes a minute. */
export function installPackages(folder: string): boolean {
  const lock = `${folder}/.installing`
  while (!isInstalled(folder)) {
    if (!take(lock)) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
      continue
    }
    try {
      if (!install(folder)) return false
    } finally {
      rmSync(lock, { recursive: true, force: true })
    }
  }
  return true
}

/** Whether everything is there that the lock file has now. */
function isInstalled(folder: string): boolean {
  const ageOf = (file: string) => statSync(`${folder}/${file}`, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return ageOf('node_modules/.package-lock.json') > ageOf('package-lock.json')
}

function take(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch {
    const { mtimeMs = Infinity } = statSync(lock, { throwIfNoEntry: false }) ?? {}
    if (Date.now() - mtimeMs > STALE_MS) rmSync(lock, { recursive: true, force: true })
    return false
  }
}

function install(folder: string): boolean {
  const name = `test/${basename(folder)}`
  console.warn(`${name}: installing npm packages (npm ci --ignore-scripts), about a minute …`)
  const { status, error, stderr } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status === 0) return true
  const reason = error?.message ?? stderr.trim().split('\n').slice(-5).join('\n')
  console.warn(`${name}: SKIPPED, npm ci failed (exit code ${status}):\n${reason}`)
  return false
}
