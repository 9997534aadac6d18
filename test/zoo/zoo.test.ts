/**
 * The zoo's visiting hours: every bug is found in the version that has it, within the default options, and nothing is
 * found in the version without. A few of them by default with few schedules, all of them with WAVETANK_FULL=1.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EXPLORE_DEFAULTS } from '../../src/explore/explore.ts'
import { RaceFound } from '../../src/explore/finding.ts'
import { macrotask } from '../../src/explore/macrotask.ts'
import { random } from '../../src/explore/strategies/random.ts'
import { EXHIBITS, FOLDER, programOf, visit } from './exhibits.ts'

const FULL = process.env.WAVETANK_FULL === '1'
const FEW = new Set(['cockatiel', 'generic-pool', 'lru-cache', 'pg-pool', 'redis-client'])
const FIXED_SCHEDULES = FULL ? 20_000 : 40
const SAME_SCHEDULES = FULL ? 300 : 20
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

  // Known as a race fixed by 3.1.0; in code the two differ only where the new option `maxUses` is given.
  it('sequelize-pool: 3.0.0 and 3.1.0 do the same, step for step', { timeout: TIMEOUT_MS }, async () => {
    const versions = (['buggy', 'fixed'] as const).map((version) => programOf('sequelize-pool', version))
    const outcomes = new Set<string>()
    for (let seed = 1; seed <= SAME_SCHEDULES; seed++) {
      const runs = await macrotask(() =>
        versions.map((program) => program({ seed, strategy: random(), record: true })),
      )
      const [before, after] = runs.map(({ schedule, bodyStep, failure }) => {
        const rows = schedule.filter(({ step }) => step > bodyStep)
        return [...rows.map(({ task, what }) => `${task} ${what}`), failure?.message ?? 'holds']
      })
      expect(before, `seed ${seed}`).toEqual(after)
      expect(before.at(-1)).toBe('holds')
      outcomes.add(before.join())
    }
    expect(outcomes.size).toBeGreaterThan(SAME_SCHEDULES / 2) // different schedules, not one again and again
  })
})
