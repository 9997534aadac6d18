/**
 * The test runner as a test file sees it while the file is loaded inside a world: groups run their bodies, hooks are kept for
 * the races that they surround, tests are ignored. Everything else (`expect`, `vi`, `mock`, …) is the host's, except for
 * fake timers.
 */
import { caseTitle, casesOf } from './each-case.ts'
import { mockInWorld, viInWorld } from './fake-timers.ts'
import { currentCollection, type HookKind } from '../explore/authoring/race-collection.ts'

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

const MOCKS: Readonly<Record<string, (value: any) => object>> = {
  vi: viInWorld,
  vitest: viInWorld,
  mock: mockInWorld,
}

/** A stand-in for a test runner's module. */
export function runnerStandIn(namespace: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const standIn: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(namespace)) {
    if (GROUPS.has(name)) standIn[name] = chainable(runGroup, { each: eachGroup, for: groupFor })
    else if (TESTS.has(name) || (name === 'default' && typeof value === 'function'))
      standIn[name] = chainable(() => {}, { each: () => () => {}, for: () => () => {} })
    else if (Object.hasOwn(HOOKS, name))
      standIn[name] = (hook: () => unknown) => currentCollection()?.hook(HOOKS[name], hook)
    else if (Object.hasOwn(MOCKS, name)) standIn[name] = MOCKS[name](value)
    else standIn[name] = value
  }
  return standIn
}

/** `describe(title, body)`, with options before or after the body, or without a title. */
function runGroup(...args: unknown[]): void {
  const body = bodyOf(args)
  if (body !== undefined) currentCollection()?.inGroup(titleOf(args, body), () => body())
}

/** `describe.each(table)(title, body)`: a group for each case; the body gets its values. */
function eachGroup(...table: unknown[]): AnyFunction {
  return runGroups(casesOf(table).map((values) => ({ values, given: values })))
}

/** `describe.for(cases)(title, body)`: the body gets the case as it is. */
function groupFor(cases: readonly unknown[]): AnyFunction {
  return runGroups(casesOf([cases]).map((values, index) => ({ values, given: [cases[index]] })))
}

interface GroupCase {
  /** What the title may name. */
  readonly values: readonly unknown[]
  readonly given: readonly unknown[]
}

function runGroups(cases: readonly GroupCase[]): AnyFunction {
  return (...args) => {
    const body = bodyOf(args)
    if (body === undefined) return
    for (const [index, { values, given }] of cases.entries()) {
      const title = caseTitle(titleOf(args, body), values, index)
      currentCollection()?.inGroup(title, () => body(...given))
    }
  }
}

function bodyOf(args: readonly unknown[]): AnyFunction | undefined {
  return args.findLast((argument) => typeof argument === 'function') as AnyFunction | undefined
}

/** If the title is a class or a function, its name; without a title, the name of the body. */
function titleOf([first]: readonly unknown[], body: AnyFunction): string {
  if (typeof first === 'string') return first
  return (typeof first === 'function' ? first.name : body.name) || '<anonymous>'
}

/** A function whose every property is a function like it: `describe.skip`, `describe.skipIf(…)(…)`, `test.each([…])(…)`. */
function chainable(call: AnyFunction, cases: Readonly<Record<'each' | 'for', AnyFunction>>): AnyFunction {
  return new Proxy(call, {
    get(_, property) {
      if (property === 'each' || property === 'for') return cases[property]
      if (property === 'skipIf' || property === 'runIf') return () => chainable(call, cases)
      return chainable(call, cases)
    },
  })
}
