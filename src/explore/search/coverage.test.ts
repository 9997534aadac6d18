import { describe, expect, it } from 'vitest'
import type { RaceBody } from '../running/environment.ts'
import { exploreClosure } from './closure.ts'
import { CoverageTally } from './coverage.ts'

/** Two users of which the second may have to wait, if both come at once. */
const users =
  (together: boolean): RaceBody =>
  async (t) => {
    let inside = 0
    const use = async () => {
      await t.point('enter')
      t.sometimes(inside > 0, 'two users at once')
      inside++
      await t.point('inside')
      inside--
    }
    if (together) await Promise.all([t.task('a', use), t.task('b', use)])
    else await t.task('a', use)
  }

const explored = async (body: RaceBody, allowGaps = false) => {
  const exploration = await exploreClosure(body, { iterations: 50, allowGaps })
  if (exploration.kind === 'found') throw new Error(exploration.finding.failure.message)
  return { kind: exploration.kind, ...exploration.result }
}

describe('what schedules have shown together', () => {
  it('has no gap if t.sometimes was true in one of them', async () => {
    const { kind, coverage, gaps } = await explored(users(true))
    expect(kind).toBe('held')
    expect(coverage.sometimes).toEqual({ 'two users at once': true })
    expect(gaps).toEqual([])
  })

  it('has a gap if t.sometimes was true in none, unless gaps are allowed', async () => {
    expect(await explored(users(false))).toMatchObject({
      kind: 'gap',
      gaps: ['t.sometimes was never true: two users at once'],
    })
    expect((await explored(users(false), true)).kind).toBe('held')
  })

  it('has a gap if every task failed in every schedule', async () => {
    const body =
      (names: readonly string[]): RaceBody =>
      async (t) => {
        const use = async (name: string) => {
          await t.point('here')
          if (name !== 'ok') throw new Error('timed out')
        }
        await Promise.allSettled(names.map((name) => t.task(name, () => use(name))))
      }
    expect(await explored(body(['a', 'b']))).toMatchObject({
      kind: 'gap',
      gaps: ['every task failed in every schedule: a, b'],
    })
    expect((await explored(body(['a', 'ok']))).kind).toBe('held')
  })

  it('names tasks that ended in none, and what they wait for', async () => {
    const { kind, neverEnded } = await explored(async (t) => {
      void t.task('listener', () => t.hold('never released'))
      await Promise.all([t.task('a', () => t.point()), t.task('b', () => t.point())])
    })
    expect(kind).toBe('held')
    expect(neverEnded).toHaveLength(1)
    expect(neverEnded[0]).toMatch(/^listener waits for release\("never released"\).*coverage\.test\.ts:\d+/)
  })

  it('says when there was nothing to choose', async () => {
    const { summary, coverage } = await explored((t) => t.point())
    expect(coverage.contested).toBe(0)
    expect(summary).toBe('50 schedules hold, all of them the same: nothing could change places')
    expect((await explored(users(true))).summary).toBe('50 schedules hold')
  })

  it('is the same however it is shared out', () => {
    const one = new CoverageTally()
    one.add({ contested: 1, sometimes: { x: true, y: false }, tasks: { a: 'failed', b: 'running' } })
    one.add({ contested: 2, sometimes: { x: false }, tasks: { a: 'done', b: 'running' } })
    expect(one.coverage).toEqual({
      contested: 3,
      sometimes: { x: true, y: false },
      tasks: { a: 'done', b: 'running' },
    })
  })
})
