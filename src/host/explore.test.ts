import { describe, expect, it } from 'vitest'
import { explore, findingText, RaceFound, RaceGap, SharedCell, type RaceBody } from './explore.ts'

const lostUpdate: RaceBody = async (t) => {
  const balance = new SharedCell(t, 'balance', 0)
  const deposit = async () => balance.set((await balance.get()) + 1)
  await Promise.all([t.task('a', deposit), t.task('b', deposit)])
  t.assert(balance.peek() === 2, 'a deposit was lost')
}

describe('explore', () => {
  it('returns what held, with the real time that it took', async () => {
    const result = await explore((t) => t.point(), { iterations: 5 })
    expect(result).toMatchObject({ iterations: 5, outOfTime: false })
    expect(result.wallMs).toBeGreaterThan(0)
  })

  it('throws what it found, with its text and the stack of the failure', async () => {
    const error: unknown = await explore(lostUpdate).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(RaceFound)
    const { finding, message, stack, code } = error as RaceFound
    expect(finding.failure.message).toBe('a deposit was lost')
    expect(message).toBe(findingText(finding))
    expect(stack).toMatch(/\n {4}at .*explore\.test\.ts:8:/)
    expect(code).toBe('ERR_WAVETANK_RACE_FOUND')
    expect(Object.keys(error as object)).not.toContain('finding')
  })

  it('says when no order is to blame', async () => {
    const error: unknown = await explore(async (t) => {
      await Promise.all([t.task('a', () => t.point('x')), t.task('b', () => t.point('y'))])
      t.assert(false, 'always')
    }).catch((reason: unknown) => reason)
    expect((error as Error).message).toContain(
      'no order of events, it seems: 20 of 20 other schedules fail alike',
    )
  })

  it('throws a gap if the schedules show too little', async () => {
    const body: RaceBody = (t) => t.sometimes(false, 'a client had to wait')
    const error: unknown = await explore(body, { iterations: 5, title: 'clients' }).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(RaceGap)
    const { message, code, result } = error as RaceGap
    expect(message).toMatch(/^\? clients\n {2}5 schedules hold/)
    expect(message).toContain('- t.sometimes was never true: a client had to wait')
    expect(code).toBe('ERR_WAVETANK_RACE_GAP')
    expect(result.gaps).toHaveLength(1)
    await expect(explore(body, { iterations: 5, allowGaps: true })).resolves.toMatchObject({ iterations: 5 })
  })

  it('rejects wrong options before it runs anything', async () => {
    let runs = 0
    const body = (): void => void runs++
    await expect(explore(body, { iteration: 5 } as object)).rejects.toThrow('there is no option "iteration"')
    expect(runs).toBe(0)
  })
})
