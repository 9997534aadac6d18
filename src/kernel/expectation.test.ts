import { describe, expect, it } from 'vitest'
import { UsageError } from './errors.ts'
import {
  atLeast,
  checkedChance,
  checkFields,
  either,
  flag,
  fraction,
  listOf,
  nearest,
  object,
  oneOf,
  range,
  recordOf,
  text,
  type Fields,
} from './expectation.ts'

const FIELDS: Fields = {
  seeds: atLeast(1),
  level: oneOf('sunny', 'stormy'),
  rate: either(fraction, oneOf(null)),
  window: range(atLeast(0)),
  folders: listOf(text),
  groups: recordOf(object({ count: atLeast(0), spared: flag }, { required: ['count'] })),
}

function complaintOf(given: object): string | null {
  try {
    checkFields(given, FIELDS, '', (what) => new UsageError('ERR_WAVETANK_OPTIONS', what), {
      renamed: { timeMs: 'seeds' },
    })
    return null
  } catch (error) {
    return (error as UsageError).message
  }
}

describe('a table of expectations', () => {
  it('lets everything pass that is as expected, and what is undefined', () => {
    const given = {
      seeds: 3,
      level: 'stormy',
      rate: 0.5,
      window: [0, 2],
      folders: ['a'],
      groups: { kv: { count: 1, spared: true } },
    }
    expect(complaintOf(given)).toBeNull()
    expect(complaintOf({ rate: null, level: undefined })).toBeNull()
  })

  it.each([
    [{ sedes: 3 }, 'there is no option "sedes"; did you mean "seeds"?'],
    [{ lvl: 1 }, 'there is no option "lvl"; did you mean "level"?'],
    [{ timeMs: 3 }, 'there is no option "timeMs"; it is "seeds"'],
    [
      { somethingElse: 3 },
      'there is no option "somethingElse"; there are seeds, level, rate, window, folders, groups',
    ],
    [{ seeds: 0 }, 'seeds: expected a whole number from 1, and got 0'],
    [{ seeds: 'many' }, "seeds: expected a whole number from 1, and got 'many'"],
    [{ level: 'rainy' }, "level: expected 'sunny' or 'stormy', and got 'rainy'"],
    [{ rate: 500_000 }, 'rate: expected a fraction from 0 to 1, or null, and got 500000'],
    [{ window: [3, 2] }, 'window: expected [least, most], each a whole number from 0, and got [ 3, 2 ]'],
    [{ folders: ['a', 1] }, 'folders[1]: expected a text that is not empty, and got 1'],
    [{ groups: { kv: { cuont: 1 } } }, 'there is no option "groups.kv.cuont"; did you mean "count"?'],
    [{ groups: { kv: {} } }, 'groups.kv.count is missing: expected a whole number from 0'],
    [{ groups: [] }, 'groups: expected an object, and got []'],
  ])('refuses %o', (given, complaint) => {
    expect(complaintOf(given)).toBe(complaint)
  })
})

describe('the nearest name', () => {
  it.each([
    ['bugdet', 'budget'],
    ['invariantz', 'invariants'],
    ['onexit', 'onExit'],
    ['lim', 'limits'],
    ['zebra', null],
    ['', null],
  ])('to %o is %o', (given, meant) => {
    expect(nearest(given, ['processes', 'budget', 'invariants', 'onExit', 'limits'])).toBe(meant)
  })
})

describe('a chance', () => {
  it('is a fraction, and parts per million are refused with the fraction they are', () => {
    expect(checkedChance('rng.chance()', 0.5)).toBe(0.5)
    expect(() => checkedChance('rng.chance()', 500_000)).toThrow(
      'rng.chance(): expected a fraction from 0 to 1, and got 500000; 500000 parts per million are 0.5',
    )
    expect(() => checkedChance('buggify()', -1)).toThrow('expected a fraction from 0 to 1, and got -1')
  })
})
