/** Every strategy keeps every law of the contract, and each law is broken by a strategy made to break it. */
import { describe, expect, it } from 'vitest'
import { Entropy } from '../../../kernel/prng.ts'
import type { ExploreStrategy } from '../strategy.ts'
import { dfs } from './dfs.ts'
import { STRATEGIES, type StrategyName } from './index.ts'
import { below, random } from './random.ts'
import { LAWS, type MakeStrategy } from './strategy.contract.ts'

const NAMES = Object.keys(STRATEGIES) as StrategyName[]

describe.each(NAMES)('%s', (name) => {
  const make: MakeStrategy = () => STRATEGIES[name]({ depth: 3 })
  const laws = LAWS.filter(({ applies }) => applies?.(make()) ?? true)

  it('has the name by which it is chosen', () => {
    expect(make().name).toBe(name)
  })

  it.each(laws)('$title', ({ check }) => {
    expect(() => check(make)).not.toThrow()
  })
})

/** For each law, a strategy that breaks it, and what the law says of it. */
const BROKEN: Readonly<Record<string, readonly [MakeStrategy, RegExp]>> = {
  'picks one of the events that are ready, and leaves them as they are': [
    () => ({ ...random(), pick: (ready) => ready.length }),
    /it picked \d of \d events/,
  ],
  'picks the same for the same seeds': [
    () => ({ ...random(), pick: (ready) => Math.trunc(Math.random() * ready.length) }), // missed with 2^-1000
    /it picked .*, and then /,
  ],
  'forgets the events of earlier runs': [unforgetting, /it picked .*, and then /],
  'lets a task that polls see what it waits for, in some schedule and usually soon': [
    () => ({ ...random(), pick: (ready) => ready.findIndex(({ task }) => task === 1) }),
    /only 0 of 200 runs ended/,
  ],
  'ends when it has been through every schedule': [
    () => ({ ...dfs(), inOrder: true, exhausted: true }),
    /was never run/,
  ],
  'finds a planted bug of depth 2 often enough': [
    () => ({ ...random(), pick: () => 0 }), // goes on with the task that ran last
    /0 of 200 runs have lost the update/,
  ],
}

/** Keeps the priorities of events from run to run. */
function unforgetting(): ExploreStrategy {
  const priorities = new Map<number, number>()
  let entropy = new Entropy(0, 'unforgetting')
  return {
    name: 'unforgetting',
    begin: (seed) => void (entropy = new Entropy(seed, 'unforgetting')),
    pick(ready) {
      const values = ready.map(({ seq }) => {
        const value = priorities.get(seq) ?? below(entropy, 1_000_000)
        priorities.set(seq, value)
        return value
      })
      return values.indexOf(Math.max(...values))
    },
  }
}

describe('the contract', () => {
  it('has a broken strategy for each of its laws', () => {
    expect(Object.keys(BROKEN)).toEqual(LAWS.map(({ title }) => title))
  })

  it.each(LAWS)('notices a strategy that does not keep: $title', ({ title, check }) => {
    const [make, said] = BROKEN[title]
    expect(() => check(make)).toThrow(said)
  })
})
