/**
 * Sleep sets must prune without losing anything. Random small programs are explored by plain enumeration and with sleep
 * sets; the final states that can be reached must be the same sets, with and without a preemption bound.
 */
import { describe, expect, it } from 'vitest'
import { Entropy } from '../../../kernel/prng.ts'
import { bareEnvironment, type RaceBody } from '../../running/environment.ts'
import { macrotask } from '../../running/macrotask.ts'
import { SharedCell } from '../../authoring/shared-cell.ts'
import { RaceRun } from '../../running/race-run.ts'
import { dfs } from './dfs.ts'
import { below } from './random.ts'

interface Step {
  readonly cell: number
  readonly write: boolean
}

/** Tasks that read and write two cells; a write stores a number made of everything the task has read so far. */
function randomProgram(seed: number): Step[][] {
  const entropy = new Entropy(seed, 'program')
  return Array.from({ length: 2 + below(entropy, 2) }, () =>
    Array.from({ length: 1 + below(entropy, 3) }, () => ({
      cell: below(entropy, 2),
      write: below(entropy, 2) === 1,
    })),
  )
}

function bodyOf(program: readonly Step[][], onEnd: (state: string) => void): RaceBody {
  return async (t) => {
    const cells = [new SharedCell(t, 'x', 0), new SharedCell(t, 'y', 0)]
    const seen = await Promise.all(
      program.map((steps, index) =>
        t.task(`t${index}`, async () => {
          let read = index + 1
          for (const { cell, write } of steps) {
            if (write) await cells[cell].set(read * 10)
            else read = read * 7 + (await cells[cell].get())
          }
          return read
        }),
      ),
    )
    onEnd(JSON.stringify([seen, cells.map((cell) => cell.peek())]))
  }
}

function explore(program: readonly Step[][], sleepSets: boolean, preemptionBound?: number) {
  const strategy = dfs({ sleepSets, preemptionBound })
  const states = new Set<string>()
  let runs = 0
  while (strategy.exhausted !== true) {
    runs++
    const body = bodyOf(program, (state) => states.add(state))
    new RaceRun({
      seed: 1,
      strategy,
      environment: bareEnvironment(body),
      maxSteps: 1e4,
      latenessUs: 1e9,
    }).execute()
  }
  return { states: [...states].sort(), runs }
}

const PROGRAMS = process.env.WAVETANK_FULL === '1' ? 200 : 60

describe('dfs', () => {
  it.each([undefined, 0, 1, 2])(
    `reaches the same states with sleep sets as without, bound %s`,
    async (bound) => {
      let plainRuns = 0
      let prunedRuns = 0
      await macrotask(() => {
        for (let seed = 0; seed < PROGRAMS; seed++) {
          const program = randomProgram(seed)
          const plain = explore(program, false, bound)
          const pruned = explore(program, true, bound)
          expect(pruned.states, `program ${seed}: ${JSON.stringify(program)}`).toEqual(plain.states)
          plainRuns += plain.runs
          prunedRuns += pruned.runs
        }
      })
      // Without a bound nothing is ever cut off, and most interleavings are equivalent to another.
      expect(prunedRuns).toBeLessThan(bound === undefined ? plainRuns / 2 : plainRuns + 1)
    },
  )
})
