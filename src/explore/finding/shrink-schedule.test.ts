import { describe, expect, it } from 'vitest'
import type { RaceContext } from '../authoring/context.ts'
import { bareEnvironment, type RaceBody } from '../running/environment.ts'
import { macrotask } from '../running/macrotask.ts'
import { byRecord, rerun, type RaceProgram } from '../running/program.ts'
import { RaceRun, type RaceRunResult } from '../running/race-run.ts'
import { shrinkSchedule } from './shrink-schedule.ts'
import { random } from '../search/strategies/random.ts'

const programOf = (body: RaceBody): RaceProgram => {
  const environment = bareEnvironment(body)
  return (schedule) =>
    new RaceRun({ ...schedule, environment, maxSteps: 10_000, latenessUs: 1_000_000 }).execute()
}

/** Two tasks of three points each; the run fails if the points come in an order of the list. */
function ordersThat(...failing: readonly string[]): RaceProgram {
  return programOf(async (t: RaceContext) => {
    const order: string[] = []
    const three = (name: string) => async () => {
      for (let i = 1; i <= 3; i++) {
        await t.point(`${name}${i}`)
        order.push(`${name}${i}`)
      }
    }
    await Promise.all([t.task('a', three('a')), t.task('b', three('b'))])
    t.assert(!failing.includes(order.join(' ')), 'a bad order')
  })
}

/** The first random schedule that fails. */
function failingRun(program: RaceProgram): { seed: number; failing: RaceRunResult } {
  for (let seed = 1; ; seed++) {
    const failing = program({ seed, strategy: random() })
    if (failing.failure !== null) return { seed, failing }
  }
}

function shrinks(program: RaceProgram) {
  const { seed, failing } = failingRun(program)
  return { seed, ...shrinkSchedule(program, seed, failing, 2_000) }
}

describe('shrinking', () => {
  const BUSY = 'b1 a1 b2 a2 b3 a3'
  const LATE = 'a1 a2 b1 b2 b3 a3'

  it('leaves nothing in that can be left out, and changes nothing when it is done again', async () => {
    await macrotask(() => {
      const program = ordersThat(BUSY)
      const { seed, result, minimal } = shrinks(program)
      expect(minimal).toBe(true)
      for (let i = 0; i < result.choices.length; i++)
        expect(rerun(program, seed, result.choices.toSpliced(i, 1), 'bend').failure).toBeNull()
      const again = shrinkSchedule(program, seed, result, 2_000)
      expect(again.result.choices).toEqual(result.choices)
    })
  })

  it('takes one late event for many preemptions, where both fail alike', async () => {
    await macrotask(() => {
      const busy = shrinks(ordersThat(BUSY)).result
      expect(busy.choices.length).toBeGreaterThan(2)
      // The same run, in a program in which there is a simpler way to fail.
      const program = ordersThat(BUSY, LATE)
      const failing = program({ seed: 1, strategy: byRecord, base: 'zero', overrides: busy.choices })
      expect(failing.failure?.message).toBe('a bad order')
      const { result, minimal } = shrinkSchedule(program, 1, failing, 2_000)
      expect(result.choices).toHaveLength(1)
      expect(minimal).toBe(true)
    })
  })

  it('leaves out what was done at random at the end of a long run', async () => {
    await macrotask(() => {
      const program = programOf(async (t: RaceContext) => {
        const walk = async () => {
          for (let i = 0; i < 3_000; i++) await t.point()
        }
        await Promise.all([t.task('a', walk), t.task('b', walk)])
        t.assert(false, 'in any order')
      })
      const failing = program({ seed: 1, strategy: byRecord })
      expect(failing.choices.length).toBeGreaterThan(10) // the strategy itself prefers no task
      const { result, runs } = shrinkSchedule(program, 1, failing, 2_000)
      expect(result.choices).toEqual([])
      expect(runs).toBeLessThan(5)
    })
  })

  it('finds the least of many values in a few runs', async () => {
    await macrotask(() => {
      const program = programOf(() => {})
      const drawn = (schedule: Parameters<RaceProgram>[0]): RaceRunResult => {
        const { value = 0 } = schedule.overrides?.find(({ label }) => label === 'place') ?? {}
        const failure = {
          category: 'assertion',
          key: 'large',
          message: 'large',
          step: 1,
          stack: null,
        } as const
        const choices = value === 0 ? [] : [{ entity: 'link', label: 'place', index: 0, n: 1_000_000, value }]
        return { ...program(schedule), choices, failure: value >= 4_711 ? failure : null }
      }
      const failing = drawn({
        seed: 1,
        strategy: byRecord,
        overrides: [{ entity: 'link', label: 'place', index: 0, n: 1_000_000, value: 876_543 }],
      })
      const { result, runs, minimal } = shrinkSchedule(drawn, 1, failing, 2_000)
      expect(result.choices[0].value).toBe(4_711)
      expect(minimal).toBe(true)
      expect(runs).toBeLessThan(250)
    })
  })
})
