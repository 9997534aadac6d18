/**
 * When the zoo is open, and what is shown: a few exhibits with few schedules by default, all of them at full counts with
 * WAVETANK_FULL=1. Its packages are installed by whichever test file comes first; the others wait for it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { EXHIBITS, FOLDER, type Exhibit, visit } from './exhibits.ts'

export const FULL = process.env.WAVETANK_FULL === '1'
export const TIMEOUT_MS = FULL ? 7_200_000 : 240_000

const FEW = new Set(['cockatiel', 'generic-pool', 'lru-cache', 'pg-pool', 'redis-client'])
const FIXED_SCHEDULES = FULL ? 20_000 : 40

/** The exhibits that are shown now. */
export const exhibits = EXHIBITS.filter(({ name }) => FULL || FEW.has(name))

/** Whether the packages are there; says why when they are not. */
export function isOpen(): boolean {
  const lock = `${FOLDER}/.installing`
  while (!existsSync(`${FOLDER}/node_modules/.package-lock.json`)) {
    if (!taken(lock)) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
      continue
    }
    try {
      if (!install()) return false
    } finally {
      rmSync(lock, { recursive: true, force: true })
    }
  }
  return true
}

/** Whether the lock is ours now. One that is too old was left by somebody who was killed. */
function taken(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch {
    const { mtimeMs = Infinity } = statSync(lock, { throwIfNoEntry: false }) ?? {}
    if (Date.now() - mtimeMs > TIMEOUT_MS) rmSync(lock, { recursive: true, force: true })
    return false
  }
}

function install(): boolean {
  console.warn('test/zoo: installing npm packages (npm ci --ignore-scripts) …')
  const { status, error, stderr } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: FOLDER,
    encoding: 'utf8',
  })
  if (status === 0) return true
  const reason = error?.message ?? stderr.trim().split('\n').slice(-5).join('\n')
  console.warn(`test/zoo: SKIPPED, npm ci failed (exit code ${status}):\n${reason}`)
  return false
}

/** Declares a test for each exhibit: in the version without the bug, nothing is found. */
export function findsNothingInFixed(chosen: readonly Exhibit[]): void {
  it.each(chosen)('$name: finds nothing in $fixed', { timeout: TIMEOUT_MS }, async (exhibit) => {
    const { iterations } = await visit(exhibit, 'fixed', {
      iterations: FIXED_SCHEDULES,
      timeBudgetMs: Infinity,
    })
    expect(iterations).toBe(FIXED_SCHEDULES)
  })
}
