import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { UsageError } from '../../kernel/errors.ts'
import type { Declaration } from '../../sim/campaign/declarations.ts'
import { select, type Declared } from './selection.ts'

const folder = mkdtempSync(join(tmpdir(), 'selection-'))
const STORES = join(folder, 'stores.sim.js')
const QUEUE = join(folder, 'queue.sim.js')
for (const file of [STORES, QUEUE]) writeFileSync(file, '')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const declaration = (name: string, file: string): Declaration => ({
  name,
  file,
  processes: [],
  invariants: [],
  seeds: { sunny: 10, stormy: 100, radioactive: 1000 },
})

const DECLARED: Declared = {
  simulations: [
    declaration('store', STORES),
    declaration('store with › a cache', STORES),
    declaration('queue', QUEUE),
    declaration('store-like queue', QUEUE),
  ],
  broken: [],
}

const chosen = (...names: string[]): string[] => select(DECLARED, names).map((each) => each.name)

describe('the simulations that a command is about', () => {
  it.each([
    ['all, without a name', [], ['store', 'store with › a cache', 'queue', 'store-like queue']],
    ['the one of this name, not those that contain it', ['store'], ['store']],
    ['those whose names contain it', ['store-'], ['store-like queue']],
    ['those of a file, by its path', [STORES], ['store', 'store with › a cache']],
    ['those of a file, by a part of its path', ['queue.sim'], ['queue', 'store-like queue']],
    ['one of a file', [`${STORES} › store`], ['store']],
    [
      'one of a file whose name has the separator',
      [`${STORES} › store with › a cache`],
      ['store with › a cache'],
    ],
    ['the union of several names, in the order of declaration', ['queue', 'store'], ['store', 'queue']],
    ['each once, if two names mean it', ['queue', `${QUEUE} › queue`], ['queue']],
    [
      'one of a file and all of another',
      [QUEUE, `${STORES} › store`],
      ['store', 'queue', 'store-like queue'],
    ],
  ])('%s', (_, names, expected) => {
    expect(chosen(...names)).toEqual(expected)
  })

  it.each([
    ['a name that nothing has', 'stroe', /no simulation matches 'stroe'; did you mean "store"/],
    [
      'a name that the file does not export',
      `${QUEUE} › store`,
      /queue\.sim\.js exports no simulation of this name/,
    ],
    ['a file without a simulation', join(folder, 'none.sim.js'), /none\.sim\.js exports no simulation/],
  ])('refuses %s, even beside one that is found', (_, name, message) => {
    writeFileSync(join(folder, 'none.sim.js'), '')
    expect(() => chosen('store', name)).toThrow(UsageError)
    expect(() => chosen('store', name)).toThrow(message)
  })

  it('gives the reason if the file that is meant cannot be loaded', () => {
    const error = new UsageError('ERR_WAVETANK_LOAD', 'queue.sim.js: Unexpected token')
    const declared = { simulations: [DECLARED.simulations[0]], broken: [{ file: QUEUE, error }] }
    expect(() => select(declared, ['queue'])).toThrow(error)
  })
})
