/**
 * What a test file sees of its test runner while it is loaded inside a world for the sake of its races: groups run their
 * bodies, hooks are kept for the races they surround, tests are nothing. Everything else (`expect`, `vi`, `mock`, …) is the host's.
 */
import { currentCollection, type HookKind } from './race-collection.ts'

type AnyFunction = (...args: any[]) => any

/** Names under which runners declare groups, tests and hooks. */
const GROUPS = new Set(['describe', 'suite'])
const TESTS = new Set(['test', 'it', 'bench'])
const HOOKS: Readonly<Record<string, HookKind>> = {
  before: 'beforeAll',
  beforeAll: 'beforeAll',
  beforeEach: 'beforeEach',
  afterEach: 'afterEach',
  after: 'afterAll',
  afterAll: 'afterAll',
}

/** A stand-in for a test runner's module. */
export function runnerStandIn(namespace: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const standIn: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(namespace)) {
    if (GROUPS.has(name)) standIn[name] = chainable(runGroup)
    else if (TESTS.has(name) || (name === 'default' && typeof value === 'function'))
      standIn[name] = chainable(() => {})
    else if (Object.hasOwn(HOOKS, name))
      standIn[name] = (hook: () => unknown) => currentCollection()?.hook(HOOKS[name], hook)
    else standIn[name] = value
  }
  return standIn
}

function runGroup(...args: unknown[]): void {
  const body = args.findLast((argument) => typeof argument === 'function') as AnyFunction | undefined
  if (body !== undefined) currentCollection()?.inGroup(() => body())
}

/** A function whose every property is a function like it: `describe.skip`, `test.each([…])(…)`. */
function chainable(call: AnyFunction): AnyFunction {
  return new Proxy(call, {
    get(_, property) {
      if (property === 'each' || property === 'for') return () => chainable(call)
      if (property === 'skipIf' || property === 'runIf') return () => chainable(call)
      return chainable(call)
    },
  })
}
