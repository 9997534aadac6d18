import { describe, expect, it } from 'vitest'
import { explore } from '../explore/explore.ts'
import type { RaceFinding, RaceFound } from '../explore/finding.ts'
import { SharedCell } from '../explore/primitives.ts'
import { raceTraceText } from './trace-race.ts'

async function lostUpdate(): Promise<RaceFinding> {
  const found: unknown = await explore(
    async (t) => {
      const balance = new SharedCell(t, 'balance', 0)
      const deposit = async () => balance.set((await balance.get()) + 1)
      const noise = t.task('noise', () => t.point('noise'))
      await Promise.all([t.task('a', deposit), t.task('b', deposit)])
      t.assert(balance.peek() === 2, 'a deposit was lost')
      await noise
    },
    { strategy: 'random' },
  ).catch((error: unknown) => error)
  return (found as RaceFound).finding
}

describe('the trace of a race', () => {
  it('is the slice, or everything', async () => {
    const finding = await lostUpdate()
    const events = raceTraceText(finding, { all: false, format: 'events' }).trimEnd().split('\n')
    expect(events.map((line) => (JSON.parse(line) as { step: number }).step)).toEqual(finding.slice)
    const everything = raceTraceText(finding, { all: true, format: 'events' }).trimEnd().split('\n')
    expect(everything.length).toBe(finding.schedule.length)
    expect(everything.length).toBeGreaterThan(events.length)
  })

  it('is text with an arrow, or JSON', async () => {
    const finding = await lostUpdate()
    expect(raceTraceText(finding, { all: false, format: 'text' })).toContain('← FAILED HERE')
    expect(JSON.parse(raceTraceText(finding, { all: true, format: 'json' }))).toEqual(finding)
  })
})
