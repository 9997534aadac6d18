/**
 * `race`: an exploration declared beside ordinary tests, for any test runner. `race.only` and `race.skip` are as in the
 * runner; `race.each` has the cases and titles of vitest's `each`.
 */
import type { RaceContext } from '../explore/authoring/context.ts'
import type { RaceBody } from '../explore/running/environment.ts'
import type { ExploreOptions } from '../explore/search/options.ts'
import { declareRace } from './declared-race.ts'
import { caseTitle, casesOf } from './each-case.ts'
import type { DeclareTest, RaceHost, RaceRunner } from './race-runner.ts'

type Arguments<Body> = [Body] | [ExploreOptions, Body]

type Declare = (title: string, ...rest: Arguments<RaceBody>) => void

type DeclareEach<Values extends readonly unknown[]> = (
  title: string,
  ...rest: Arguments<(t: RaceContext, ...values: Values) => unknown>
) => void

/**
 * Declares one race per case. In the title `%s`, `%d`, `%i`, `%f`, `%j` and `%o` stand for the values in turn, `%#` for the
 * number of the case from 0, `$name` for a property of the first value; all as in vitest's `each`.
 */
interface Each {
  /** A row that is an array gives several values. */
  <T extends readonly unknown[]>(rows: readonly T[]): DeclareEach<T>
  <T>(values: readonly T[]): DeclareEach<[T]>
  /** A table: names in the first row, then values; each case is one object. */
  (heading: TemplateStringsArray, ...values: readonly unknown[]): DeclareEach<[any]>
}

export interface RaceForm extends Declare {
  readonly each: Each
}

export interface Race extends RaceForm {
  readonly only: RaceForm
  readonly skip: RaceForm
}

/** Makes `race` for a test runner. */
export function createRace(runner: RaceRunner, host: RaceHost): Race {
  const form = (declare: DeclareTest): RaceForm => {
    const one: Declare = (title, ...rest) => declareRace(title, ...parted(rest), declare, host)
    const each = (...table: readonly unknown[]): DeclareEach<any[]> => {
      return (title, ...rest) => {
        const [options, body] = parted(rest)
        for (const [index, values] of casesOf(table).entries()) {
          const ofCase: RaceBody = (t) => body(t, ...values)
          declareRace(caseTitle(title, values, index), options, ofCase, declare, host)
        }
      }
    }
    return Object.assign(one, { each: each as Each })
  }
  return Object.assign(form(runner.test), {
    only: form(runner.only),
    skip: form((title) => runner.skip(title)),
  })
}

/** Options may be left out. */
function parted<Body>(given: Arguments<Body>): [ExploreOptions, Body] {
  return given.length === 1 ? [{}, given[0]] : given
}
