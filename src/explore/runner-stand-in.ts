/**
 * What a test file sees of its test runner while it is loaded inside a world for the sake of its races: groups run their
 * bodies, hooks are kept, tests are nothing. Everything else (`expect`, `vi`, `mock`, …) is the host's.
 */
import { currentCollection } from './race-collection.ts'

type AnyFunction = (...args: any[]) => any

/** Names under which runners declare groups, tests and hooks. */
const GROUPS = new Set(['describe', 'suite'])
const TESTS = new Set(['test', 'it', 'bench'])
const HOOKS = new Set(['before', 'after', 'beforeAll', 'afterAll'])

/** A stand-in for a test runner's module. */
export function runnerStandIn(namespace: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const standIn: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(namespace)) {
    if (GROUPS.has(name)) standIn[name] = chainable(runGroup)
    else if (TESTS.has(name) || (name === 'default' && typeof value === 'function'))
      standIn[name] = chainable(() => {})
    else if (HOOKS.has(name)) standIn[name] = () => {}
    else if (name === 'beforeEach')
      standIn[name] = (hook: () => unknown) => currentCollection()?.beforeEach.push(hook)
    else if (name === 'afterEach')
      standIn[name] = (hook: () => unknown) => currentCollection()?.afterEach.push(hook)
    else standIn[name] = value
  }
  return standIn
}

function runGroup(...args: unknown[]): void {
  const body = args.findLast((argument) => typeof argument === 'function') as AnyFunction | undefined
  body?.()
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
