/**
 * The zoo's visiting hours: every bug is found in the version that has it, within the default options. That nothing is
 * found in the versions without is in two files of its own, which take long at full counts and run beside each other.
 */
import { describe, expect, it } from 'vitest'
import { EXPLORE_DEFAULTS } from '../../src/explore/search/options.ts'
import { macrotask } from '../../src/explore/running/macrotask.ts'
import { random } from '../../src/explore/search/strategies/random.ts'
import { EXHIBITS, programOf, visit } from './exhibits.ts'
import { exhibits, FULL, isOpen, TIMEOUT_MS } from './visiting-hours.ts'

const SAME_SCHEDULES = FULL ? 300 : 20

if (!FULL)
  console.warn(`test/zoo: ${exhibits.length} of ${EXHIBITS.length} exhibits; WAVETANK_FULL=1 for all`)

describe.skipIf(!isOpen())('zoo', () => {
  it.each(exhibits)('$name: finds "$symptom" in $buggy', { timeout: TIMEOUT_MS }, async (exhibit) => {
    const found = await visit(exhibit, 'buggy', {})
    if (found.kind !== 'found') throw new Error(`nothing was found: ${found.result.summary}`)
    const { finding } = found
    expect(finding.failure.message).toMatch(exhibit.symptom)
    expect(finding.iteration).toBeLessThanOrEqual(EXPLORE_DEFAULTS.iterations)
    console.info(`${exhibit.buggy}: schedule ${finding.iteration}, ${finding.preemptions} preemptions`)
  })

  // Known as a race fixed by 3.1.0; in code the two differ only where the new option `maxUses` is given.
  it('sequelize-pool: 3.0.0 and 3.1.0 do the same, step for step', { timeout: TIMEOUT_MS }, async () => {
    const versions = (['buggy', 'fixed'] as const).map((version) =>
      programOf({ name: 'sequelize-pool' }, version),
    )
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
