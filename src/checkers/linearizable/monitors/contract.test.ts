/** Every model that has a monitor keeps the contract of monitors; a broken monitor does not. */
import { describe, expect, it, vi } from 'vitest'
import * as checkers from '../index.ts'
import type { Model } from '../index.ts'
import * as models from '../models/index.ts'
import { SUBJECTS } from '../subjects.test-support.ts'
import { checkMonitor, LAWS, type Law } from './monitor.contract.ts'

const HISTORIES = process.env['WAVETANK_FULL'] === '1' ? 20_000 : 400
vi.setConfig({ testTimeout: 600_000 })

describe('the contract of monitors', () => {
  for (const subject of SUBJECTS.filter(({ model }) => model.monitor !== undefined)) {
    it(`is kept for a ${subject.name}`, () => {
      const { broken, answered, valid } = checkMonitor(subject, HISTORIES)
      expect(broken).toEqual({})
      expect(valid).toBeGreaterThan(HISTORIES / 20)
      expect(answered).toBeGreaterThan(HISTORIES / 10)
    })
  }

  it('is asked of every model that has a monitor', () => {
    const held = new Set(SUBJECTS.map(({ model }) => model.name))
    const { bank, semaphore, ...rest } = models
    const made = [
      bank({ initial: { a: 1 } }),
      semaphore({ permits: 3 }),
      ...Object.values(rest).map((make) => make()),
    ]
    const monitored = made.filter(({ monitor }) => monitor !== undefined).map(({ name }) => name)
    expect(monitored.length).toBeGreaterThan(5)
    expect(monitored.filter((name) => !held.has(name))).toEqual([])
  })

  const monitored = checkers.register()
  const answer = (valid: boolean) => ({
    method: 'none at all',
    anomaly: valid ? null : { type: 'broken', message: 'broken', operations: [] },
    witness: new Float64Array(0),
  })
  const brokenMonitors: Readonly<Record<string, [NonNullable<Model['monitor']>, readonly Law[]]>> = {
    'calls everything valid': [() => answer(true), ['truth', 'witness']],
    'calls everything with an unknown operation invalid': [
      (history, positions, budget) =>
        history.type.includes(2) ? answer(false) : monitored.monitor!(history, positions, budget),
      ['truth', 'unknown added', 'beginning'],
    ],
    'looks at failed operations': [
      (history, positions, budget) =>
        history.type.includes(1) ? answer(false) : monitored.monitor!(history, positions, budget),
      ['failed added'],
    ],
    'looks at the order of the file': [
      (history) => answer(history.invokeIndex.every((at, i) => i === 0 || at < history.completeIndex[i - 1])),
      ['truth', 'witness', 'neighbours'],
    ],
  }

  it.each(Object.entries(brokenMonitors))('is broken by a monitor that %s', (_, [monitor, laws]) => {
    const subject = SUBJECTS.find(({ name }) => name === 'register with unique values')!
    const { broken } = checkMonitor({ ...subject, model: { ...subject.model, monitor } }, 2_000)
    expect(Object.keys(broken)).toEqual(expect.arrayContaining([...laws]))
  })

  it('has a broken monitor for each law', () => {
    const shown = Object.values(brokenMonitors).flatMap(([, laws]) => laws)
    expect(new Set(shown)).toEqual(new Set(LAWS))
  })
})
