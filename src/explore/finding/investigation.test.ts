import { describe, expect, it } from 'vitest'
import { SharedCell } from '../authoring/shared-cell.ts'
import { bareEnvironment, type RaceBody } from '../running/environment.ts'
import { macrotask } from '../running/macrotask.ts'
import type { RaceProgram } from '../running/program.ts'
import { RaceRun } from '../running/race-run.ts'
import { random } from '../search/strategies/random.ts'
import { investigate } from './investigation.ts'

const lostUpdate: RaceBody = async (t) => {
  const balance = new SharedCell(t, 'balance', 0)
  const deposit = async () => balance.set((await balance.get()) + 1)
  await Promise.all(['a', 'b', 'c'].map((name) => t.task(name, deposit)))
  t.assert(balance.peek() === 3, 'a deposit was lost')
}

/** Investigates a failing run; the time is over when `isOver` has been asked this often. */
function investigated(questions: number) {
  const environment = bareEnvironment(lostUpdate)
  let runs = 0
  const program: RaceProgram = (schedule) => {
    runs++
    return new RaceRun({ ...schedule, environment, maxSteps: 1_000, latenessUs: 1e6 }).execute()
  }
  return macrotask(() => {
    let seed = 1
    let failing = program({ seed, strategy: random() })
    while (failing.failure === null || failing.choices.length < 3)
      failing = program({ seed: ++seed, strategy: random() })
    runs = 0
    const { choices } = failing
    const discovery = { title: 'deposits', iteration: 1, iterations: 1, seed, strategy: 'random' }
    let asked = 0
    const isOver = () => ++asked > questions
    const finding = investigate(program, discovery, choices, { shrink: true, isOver })
    return { finding, runs }
  })
}

describe('an investigation', () => {
  it('shrinks the schedule and names the pair while there is time', async () => {
    const { finding } = await investigated(Infinity)
    expect(finding).toMatchObject({ shrunk: { minimal: true } })
    expect(finding.criticalPair).not.toBeNull()
    expect(finding).not.toHaveProperty('cutShort')
  })

  it('ends with what it knows when the time is over', async () => {
    const { finding, runs } = await investigated(2)
    expect(runs).toBe(1 + 2 + 1) // run again, two attempts to shrink, recorded
    expect(finding).toMatchObject({ cutShort: true, criticalPair: null, otherSchedules: null })
    expect(finding.shrunk.minimal).toBe(false)
    expect(finding.failure.message).toBe('a deposit was lost')
  })
})
