import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../kernel/errors.ts'
import { exploreClosure } from './closure.ts'
import { checkedOptions, EXPLORE_DEFAULTS, OPTION_NAMES } from './options.ts'

const checked = (options: unknown) => checkedOptions(options as object, 'race("deposits")')

describe('options of an exploration', () => {
  it('are those that are set', () => {
    const options = {
      iterations: Infinity,
      budgetWallMs: 0,
      seed: -7,
      everyAwait: ['src/bank.ts'],
      shrink: false,
    }
    expect(checked({ ...options, depth: undefined })).toEqual(options)
    expect(checked({ ...options, depth: undefined })).not.toHaveProperty('depth')
  })

  it.each([
    ['lateness', 'there is no option "lateness"; did you mean "latenessVirtualMs"?'],
    ['latenessMs', 'there is no option "latenessMs"; it is called "latenessVirtualMs"'],
    ['timeoutMs', 'there is no option "timeoutMs"; it is called "timeoutVirtualMs"'],
    ['timeBudgetMs', 'there is no option "timeBudgetMs"; it is called "budgetWallMs"'],
    ['Iterations', 'there is no option "Iterations"; did you mean "iterations"?'],
    ['toString', /^there is no option "toString"; there are title, suite, strategy, iterations, /],
  ])('have names: %s is none', (name, message) => {
    expect(() => checked({ [name]: 1 })).toThrow(UsageError)
    expect(messageOf(() => checked({ [name]: 1 }))).toMatch(message)
  })

  it.each([
    [{ iterations: 0 }, 'iterations: expected a whole number from 1, or Infinity, and got 0'],
    [{ iterations: '5' }, "iterations: expected a whole number from 1, or Infinity, and got '5'"],
    [{ maxSteps: 1.5 }, 'maxSteps: expected a whole number from 1, or Infinity, and got 1.5'],
    [{ depth: -1 }, 'depth: expected a whole number from 1, or Infinity, and got -1'],
    [{ seed: NaN }, 'seed: expected a whole number, and got NaN'],
    [{ budgetWallMs: NaN }, 'budgetWallMs: expected a number of milliseconds, 0 or more, and got NaN'],
    [
      { latenessVirtualMs: -1 },
      'latenessVirtualMs: expected a number of milliseconds, 0 or more, and got -1',
    ],
    [{ everyAwait: 'src' }, "everyAwait: expected true, false or a list of files and folders, and got 'src'"],
    [{ addons: 'bcrypt' }, "addons: expected a list of package names, such as ['bcrypt'], and got 'bcrypt'"],
    [{ addons: [7] }, "addons: expected a list of package names, such as ['bcrypt'], and got [ 7 ]"],
    [
      { externals: ['sqlite'] },
      "externals: expected an object of module paths by name, such as { sqlite: './stub.ts' }, and got [ 'sqlite' ]",
    ],
    [{ shrink: 'no' }, "shrink: expected true or false, and got 'no'"],
    [{ suite: '' }, "suite: expected a text that is not empty, and got ''"],
    [{ clock: 5 }, 'clock: expected a function, and got 5'],
    [5, 'expected options, and got 5'],
    [null, 'expected options, and got null'],
  ])('have values: %j', (options, message) => {
    expect(messageOf(() => checked(options))).toBe(message)
  })

  const page = readFileSync(new URL('../../../docs/exploration.md', import.meta.url), 'utf8')
  const rows = new Map(
    [...page.matchAll(/^\| `(\w+)` +\| ([^|]+?) +\|/gm)].map(([, name, text]) => [name, text]),
  )

  it.each(OPTION_NAMES)('are in docs/exploration.md: %s', (name) => {
    expect([...rows.keys()]).toContain(name)
  })

  const numbers = Object.entries(EXPLORE_DEFAULTS).filter(([, value]) => typeof value === 'number')

  it.each(numbers)('have their defaults in docs/exploration.md: %s is %s', (name, value) => {
    expect(rows.get(name)).toBe(value.toLocaleString('en'))
  })

  it('are checked before anything is explored', () => {
    let runs = 0
    const body = (): void => void runs++
    expect(() => exploreClosure(body, { iteration: 5 } as object)).toThrow(
      'explore: there is no option "iteration"',
    )
    expect(runs).toBe(0)
  })
})

/** The message after the name of the function that was given the options. */
function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    return (error as Error).message.replace('race("deposits"): ', '')
  }
  throw new Error('nothing was thrown')
}
