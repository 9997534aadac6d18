import { describe, expect, it } from 'vitest'
import { collectRaces } from '../explore/authoring/race-collection.ts'
import { createRace } from './race.ts'
import type { RaceHost } from './race-runner.ts'
import { runnerStandIn } from './runner-stand-in.ts'

const NO_HOST: RaceHost = {
  tank: () => ({ image: [], hostModules: {} }),
  keep: () => '',
  nowMs: () => 0,
  note: () => {},
}

function declared() {
  const calls: [form: string, title: string, timeoutMs?: number][] = []
  const race = createRace(
    {
      test: (title, _, timeoutMs) => void calls.push(['test', title, timeoutMs]),
      only: (title, _, timeoutMs) => void calls.push(['only', title, timeoutMs]),
      skip: (title) => void calls.push(['skip', title]),
    },
    NO_HOST,
  )
  return { race, calls }
}

describe('race', () => {
  it('declares a test in each of its forms, with time for its budget and for shrinking', () => {
    const { race, calls } = declared()
    race('plain', () => {})
    race('with options', { budgetWallMs: 1_000 }, () => {})
    race.only('only', () => {})
    race.skip('skip', { depth: 5 }, () => {})
    expect(calls).toEqual([
      ['test', 'plain', 70_000],
      ['test', 'with options', 52_000],
      ['only', 'only', 70_000],
      ['skip', 'skip'],
    ])
  })

  it('declares one test per value, under titles of their own', () => {
    const { race, calls } = declared()
    race.each([1, 2])('with %s writers', () => {})
    race.only.each([{ name: 'a' }])('of $name and $missing', { depth: 2 }, () => {})
    race.skip.each(['x'])('%s', () => {})
    expect(calls.map(([form, title]) => `${form} ${title}`)).toEqual([
      'test with 1 writers',
      'test with 2 writers',
      "only of 'a' and undefined",
      'skip x',
    ])
  })

  it('formats titles as vitest does', () => {
    const { race, calls } = declared()
    race.each([
      [1, 'one'],
      [2, 'two'],
    ])('%#: %d is %s', () => {})
    race.each`
      a    | b
      ${1} | ${2}
    `('$a and $b', () => {})
    race.each([{ x: 1 }])('%j', () => {})
    expect(calls.map(([, title]) => title)).toEqual(['0: 1 is one', '1: 2 is two', '1 and 2', '{"x":1}'])
  })

  it('refuses what is no function', () => {
    const { race } = declared()
    expect(() => race('nothing', undefined as never)).toThrow(/race\("nothing"\): expected a function/)
  })

  it('refuses options that cannot be meant', () => {
    const { race } = declared()
    expect(() => race('slow', { timeout: 5 } as object, () => {})).toThrow(
      /^race\("slow"\): there is no option "timeout"/,
    )
  })

  it('hands each value to its body', async () => {
    const { race } = declared()
    const given: number[] = []
    const races = await collectRaces(async () => {
      race.each([1, 2])('with %s', (_, value) => void given.push(value))
    })
    await races.find('with 2').body(undefined as never)
    expect(given).toEqual([2])
  })

  it('hands the values of a row to its body one by one', async () => {
    const { race } = declared()
    const given: string[] = []
    const rows: readonly (readonly [number, string])[] = [[1, 'one']]
    const races = await collectRaces(async () => {
      race.each(rows)('%i', (_, number, name) => void given.push(`${number} ${name.toUpperCase()}`))
    })
    await races.find('1').body(undefined as never)
    expect(given).toEqual(['1 ONE'])
  })
})

describe('the name of a race', () => {
  const runner = runnerStandIn({ describe: () => {} }) as { describe: Describe }
  type Describe = ((title: unknown, body: () => unknown) => void) & {
    each: (table: readonly unknown[]) => (title: string, body: (...values: unknown[]) => void) => void
  }

  it('has the titles of the groups around it, so that one title can be used in several', async () => {
    const { race } = declared()
    const ran: unknown[] = []
    const races = await collectRaces(async () => {
      race('holds', () => ran.push('top'))
      runner.describe('a', () => {
        race('holds', () => ran.push('a'))
        runner.describe(class Inner {}, () => race('holds', () => ran.push('inner')))
      })
      runner.describe.each([1, 2])('of %i', (n) => race('holds', () => ran.push(n)))
    })
    for (const name of ['holds', 'a > holds', 'a > Inner > holds', 'of 1 > holds', 'of 2 > holds'])
      await races.find(name).body(undefined as never)
    expect(ran).toEqual(['top', 'a', 'inner', 1, 2])
    expect(() => races.find('b > holds')).toThrow(
      /no race called "b > holds"; it declares "holds", "a > holds",/,
    )
  })

  it('has the title of a group that awaits something before it declares a race', async () => {
    const { race } = declared()
    const ran: unknown[] = []
    const races = await collectRaces(async () => {
      runner.describe('slow', async () => {
        await new Promise((resolve) => setImmediate(resolve))
        race('holds', () => ran.push('slow'))
        runner.describe('inside', async () => {
          await Promise.resolve()
          race('holds', () => ran.push('inside'))
        })
      })
      race('holds', () => ran.push('top'))
    })
    for (const name of ['holds', 'slow > holds', 'slow > inside > holds'])
      await races.find(name).body(undefined as never)
    expect(ran).toEqual(['top', 'slow', 'inside'])
  })

  it('cannot be found in a group that fails', async () => {
    const failing = collectRaces(async () => {
      runner.describe('broken', async () => {
        await Promise.resolve()
        throw new Error('no fixtures')
      })
    })
    await expect(failing).rejects.toThrow('no fixtures')
  })

  it('may be its title alone where no other has it', async () => {
    const { race } = declared()
    const races = await collectRaces(async () => {
      runner.describe('a', () => race('first', () => {}))
      runner.describe('b', () => race('second', () => {}))
    })
    expect(races.find('second').title).toBe('second')
    expect(races.find('as the runner writes it > first').title).toBe('first')
  })

  it('is given to one race only', async () => {
    const { race } = declared()
    const twice = collectRaces(async () => {
      runner.describe('a', () => {
        race('holds', () => {})
        race('holds', () => {})
      })
    })
    await expect(twice).rejects.toThrow(/two races of one file are called "a > holds"/)
  })
})

describe('hooks around a race', () => {
  it('are those of its own groups, from the outside in and back out', async () => {
    const { race } = declared()
    const said: string[] = []
    const names = ['describe', 'test', 'beforeAll', 'beforeEach', 'afterEach', 'afterAll']
    const runner = runnerStandIn(Object.fromEntries(names.map((name) => [name, () => {}]))) as Record<
      string,
      (...args: unknown[]) => void
    >
    const say = (text: string) => () => void said.push(text)
    const races = await collectRaces(async () => {
      runner.afterAll(say('outer after all'))
      runner.beforeEach(say('outer before each'))
      runner.describe('group', () => {
        race('inside', say('body'))
        runner.beforeAll(say('inner before all'))
        runner.beforeEach(say('inner before each'))
        runner.afterEach(say('inner after each'))
        runner.test('ordinary', say('never'))
      })
      runner.describe('another', () => runner.beforeEach(say('never')))
    })
    await races.find('inside').body(undefined as never)
    expect(said).toEqual([
      'inner before all',
      'outer before each',
      'inner before each',
      'body',
      'inner after each',
      'outer after all',
    ])
  })
})
