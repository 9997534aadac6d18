import vm from 'node:vm'
import { describe, expect, it } from 'vitest'
import { ownScope } from './eval-scope.ts'

describe('evaluated programs', () => {
  it('declare their names for themselves only, and keep their line numbers', () => {
    const run = (source: string): unknown => {
      const scope = ownScope(source, '[worker eval]', 0, false)!
      return vm.runInThisContext(scope.source, { filename: '[worker eval]', lineOffset: scope.lineOffset })
    }
    run('const once = 1; var twice = 2')
    run('const once = 1; var twice = 2')
    expect('twice' in globalThis).toBe(false)
    expect(() => run('\nthrow new Error("here")')).toThrow(
      expect.objectContaining({ stack: expect.stringContaining('[worker eval]:2:') }),
    )
  })

  it('have a value when it is to be printed', () => {
    const run = (source: string): unknown => vm.runInThisContext(ownScope(source, '[eval]', 0, true)!.source)
    expect(run('const value = 42; value')).toBe(42)
    expect(run('const value = 43; value')).toBe(43)
    expect(run('"use strict"; (function () { return this })()')).toBe(undefined)
  })

  it('are distinguished from scripts that are meant to share a scope', () => {
    expect(ownScope('let shared', 'evalmachine.<anonymous>', 0, false)).toBe(null)
  })
})
