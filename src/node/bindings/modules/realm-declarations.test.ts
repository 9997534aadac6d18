import { describe, expect, it } from 'vitest'
import { NodeThread } from '../../isolation/thread.ts'
import { runOne, runPrograms } from '../../process/programs.test-support.ts'
import type { ProcessContext } from '../../process/program-options.ts'
import { withRevocableDeclarations } from './realm-declarations.ts'

describe('declarations at the top of a script', () => {
  it.each([
    ['let a = 1, b', 'var a = 1, b = undefined'],
    ['const { c, d } = {}', 'var   { c, d } = {}'],
    ['class A {}\n(1)', 'var A = class A {};\n(1)'],
    ['#!/usr/bin/env node\nlet x\nx', '#!/usr/bin/env node\nvar x = undefined\nx'],
  ])('become properties of the realm: %s', (source, expected) => {
    expect(withRevocableDeclarations(source)).toBe(expected)
  })

  it.each([
    'var a = 1',
    'function f() { let a }',
    '{ const b = 1 }',
    'for (let i = 0; i < 1; i++);',
    'let let',
  ])('are left alone where they bind nothing in the realm: %s', (source) => {
    expect(withRevocableDeclarations(source)).toBe(null)
  })
})

describe('a script that runs in this context', () => {
  const declares = ({ require, process }: ProcessContext): void => {
    const vm = require('vm')
    const before = vm.runInThisContext('typeof realmLet + typeof realmConst + typeof RealmClass')
    vm.runInThisContext('let realmLet = 1; const realmConst = 2; class RealmClass {}')
    const script = new vm.Script('const realmAgain = 3; realmAgain')
    const values = [vm.runInThisContext('realmLet + realmConst'), script.runInThisContext()]
    process.stdout.write(`${before} ${values} ${vm.runInThisContext('new RealmClass().constructor.name')}`)
  }
  const NONE = 'undefinedundefinedundefined'

  it('declares for its world, in each of its processes, and for no other', async () => {
    const { stdout, stderr } = await runPrograms({ first: declares, second: declares })
    expect(stderr).toEqual({ first: '', second: '' })
    expect(stdout.first).toBe(`${NONE} 3,3 RealmClass`)
    expect(stdout.second).toContain('3,3 RealmClass')
    const leaks = NodeThread.get().endWorld()
    expect(leaks).toContainEqual({ path: 'globalThis.realmConst', kind: 'added' })
    expect((await runOne(declares)).stdout).toBe(`${NONE} 3,3 RealmClass`)
    NodeThread.get().endWorld()
  })

  it('declares as ever in a context of its own', async () => {
    const { stdout } = await runOne(({ require, process }) => {
      const vm = require('vm')
      const script = new vm.Script('const own = 1; own = 2')
      try {
        script.runInNewContext()
      } catch (error) {
        process.stdout.write(String(error))
      }
    })
    expect(stdout).toBe('TypeError: Assignment to constant variable.')
  })
})
