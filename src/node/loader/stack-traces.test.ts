import { runInThisContext } from 'node:vm'
import { afterEach, describe, expect, it } from 'vitest'
import { takeInternals } from '../library/internals.ts'
import type { SourceMaps } from './compiling/source-maps.ts'
import { installStackTraces } from './stack-traces.ts'

describe('the stack of a program', () => {
  const runners = Error.prepareStackTrace
  let uninstall = () => {}
  afterEach(() => {
    uninstall()
    Error.prepareStackTrace = runners
  })

  /** Installs while `Error.prepareStackTrace` is a test runner's; this file is one that was rewritten, a line down. */
  function install(isProgramRunning: boolean, ofRunner: typeof Error.prepareStackTrace): void {
    Error.prepareStackTrace = ofRunner
    const maps = {
      has: (path: string) => path.includes('stack-traces.test'),
      original: () => ({ line: 7, column: 9 }),
    } as unknown as SourceMaps
    uninstall = installStackTraces({
      internals: takeInternals(),
      maps,
      isProgramRunning: () => isProgramRunning,
    })
  }

  /** An error in a rewritten file outside of this package. */
  const stackOf = (): unknown =>
    runInThisContext('new Error("x").stack', { filename: '/project/stack-traces.test.js' })

  it('is not formatted by the test runner, which knows other files by the same paths', () => {
    install(true, () => 'formatted by the runner')
    expect(stackOf()).toContain('/project/stack-traces.test.js:7:9')
    expect((Error.prepareStackTrace as () => unknown)()).toBe('formatted by the runner')
  })

  it('is formatted by the runner while no program runs', () => {
    install(false, () => 'formatted by the runner')
    expect(stackOf()).toBe('formatted by the runner')
  })

  it('is formatted by the program where it wants to, from sites that can be copied by their prototype', () => {
    install(true, () => 'formatted by the runner')
    Error.prepareStackTrace = (_, sites) => {
      const [site] = sites as unknown as Record<string, () => unknown>[]
      const names = Object.getOwnPropertyNames(Object.getPrototypeOf(site))
      const copy = Object.fromEntries(names.map((name) => [name, site[name]]))
      return [copy.getLineNumber(), copy.isNative(), copy.getFileName()]
    }
    expect(stackOf()).toEqual([7, false, '/project/stack-traces.test.js'])
  })
})
