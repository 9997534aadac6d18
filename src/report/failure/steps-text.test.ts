import { describe, expect, it } from 'vitest'
import { exploreClosure } from '../../explore/search/closure.ts'
import type { RaceFinding } from '../../explore/finding/finding.ts'
import { SharedCell } from '../../explore/authoring/shared-cell.ts'
import type { FailureSteps } from '../../failures/recorded-failure.ts'
import { raceTrace } from '../../failures/recorded-race.ts'
import { runOptionsOf } from '../../explore/search/options.ts'
import { stepsText } from './steps-text.ts'

async function lostUpdate(): Promise<RaceFinding> {
  const found = await exploreClosure(
    async (t) => {
      const balance = new SharedCell(t, 'balance', 0)
      const deposit = async () => balance.set((await balance.get()) + 1)
      const noise = t.task('noise', () => t.point('noise'))
      await Promise.all([t.task('a', deposit), t.task('b', deposit)])
      t.assert(balance.peek() === 2, 'a deposit was lost')
      await noise
    },
    { strategy: 'random' },
  )
  if (found.kind !== 'found') throw new Error('nothing was found', { cause: found })
  return found.finding
}

function stepsOf(finding: RaceFinding): FailureSteps {
  const race = { file: 'a.race.ts', title: finding.title }
  return { kind: 'race', trace: raceTrace(race, '', finding, runOptionsOf({})) }
}

describe('the steps of a race', () => {
  it('is the slice, or everything', async () => {
    const finding = await lostUpdate()
    const events = stepsText(stepsOf(finding), { all: false, format: 'events' }).trimEnd().split('\n')
    expect(events.map((line) => (JSON.parse(line) as { step: number }).step)).toEqual(finding.slice)
    const everything = stepsText(stepsOf(finding), { all: true, format: 'events' }).trimEnd().split('\n')
    expect(everything.length).toBe(finding.schedule.length)
    expect(everything.length).toBeGreaterThan(events.length)
  })

  it('is text with an arrow, or JSON', async () => {
    const finding = await lostUpdate()
    expect(stepsText(stepsOf(finding), { all: false, format: 'text' })).toContain('← FAILED HERE')
    expect(JSON.parse(stepsText(stepsOf(finding), { all: true, format: 'json' }))).toEqual({
      ...finding,
      hashes: '',
    })
  })
})
