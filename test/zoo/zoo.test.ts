/**
 * The zoo's visiting hours: every bug is found in the version that has it, within the default options, and nothing is
 * found in the version without. A few of them by default with few schedules, all of them with WAVETANK_FULL=1.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EXPLORE_DEFAULTS } from '../../src/explore/explore.ts'
import { RaceFound } from '../../src/explore/finding.ts'
import { EXHIBITS, FOLDER, visit } from './exhibits.ts'

const FULL = process.env.WAVETANK_FULL === '1'
const FEW = new Set(['cockatiel', 'generic-pool', 'lru-cache', 'pg-pool', 'redis-client'])
const FIXED_SCHEDULES = FULL ? 20_000 : 40
const TIMEOUT_MS = FULL ? 7_200_000 : 240_000

function install(): boolean {
  if (existsSync(`${FOLDER}/node_modules/.package-lock.json`)) return true
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

const exhibits = EXHIBITS.filter(({ name }) => FULL || FEW.has(name))
if (!FULL)
  console.warn(`test/zoo: ${exhibits.length} of ${EXHIBITS.length} exhibits; WAVETANK_FULL=1 for all`)

describe.skipIf(!install())('zoo', () => {
  it.each(exhibits)('$name: finds "$symptom" in $buggy', { timeout: TIMEOUT_MS }, async (exhibit) => {
    const found = await visit(exhibit, 'buggy', {}).then(
      ({ summary }) => Promise.reject(new Error(`nothing was found: ${summary}`)),
      (error: unknown) => error,
    )
    expect(found).toBeInstanceOf(RaceFound)
    const { finding } = found as RaceFound
    expect(finding.failure.message).toMatch(exhibit.symptom)
    expect(finding.iteration).toBeLessThanOrEqual(EXPLORE_DEFAULTS.iterations)
    console.info(`${exhibit.buggy}: schedule ${finding.iteration}, ${finding.preemptions} preemptions`)
  })

  it.each(exhibits)('$name: finds nothing in $fixed', { timeout: TIMEOUT_MS }, async (exhibit) => {
    const { iterations } = await visit(exhibit, 'fixed', {
      iterations: FIXED_SCHEDULES,
      timeBudgetMs: Infinity,
    })
    expect(iterations).toBe(FIXED_SCHEDULES)
  })
})
