import { describe, expect, it } from 'vitest'
import { takeInternals } from '../internals.ts'
import { MODULE_TABLE } from '../module-table.ts'
import type { PartingOptions } from './analysis.ts'
import { detachSource, partSource } from './rewriting.ts'

const PARAMETERS = ['module', 'require', 'internalBinding', 'primordials']

interface Module {
  readonly exports: Record<string, any>
  /** Makes this the record of the running process. */
  as(process: string): void
}

/** Evaluates a parted module for several processes. */
function evaluate(
  source: string,
  requires: Record<string, unknown> = {},
  options: Partial<PartingOptions> = {},
): Module {
  const { code } = partSource(source, { variablesOf: () => [], ...options })
  const records = new Map<string, Record<string, unknown>>()
  let running = ''
  const own = (): unknown => {
    let record = records.get(running)
    if (record === undefined) {
      records.set(running, (record = filling.fresh()))
      filling.begin()
    }
    return record
  }
  const module = { exports: {} as Record<string, any> }
  // oxlint-disable-next-line no-implied-eval
  const compiled = new Function('$own', '$process', '$global', ...PARAMETERS, code) as (
    ...args: unknown[]
  ) => { fresh(): Record<string, unknown>; begin(): void }
  const filling = compiled(
    own,
    () => running,
    () => ({ name: `global of ${running}` }),
    module,
    (id: string) => requires[id],
    (name: string) => ({ name, of: running }),
    { ObjectFreeze: Object.freeze, globalThis: { name: 'global of the host' } },
  )
  return { exports: module.exports, as: (process) => (running = process) }
}

describe('a parted module', () => {
  it('has variables, objects and bindings of each process, and functions and classes of its own', () => {
    const { exports, as } = evaluate(`
      const binding = internalBinding('b');
      const { of } = binding;
      let count = 0;
      const seen = { __proto__: null };
      const list = new Array();
      class Thing { constructor() { this.id = count++; list.push(this) } }
      function see(name) { seen[name] = true; return Object.keys(seen) }
      module.exports = { Thing, see, list, total: count, whose: () => of };
    `)
    as('a')
    const first = new exports.Thing()
    expect([new exports.Thing().id, exports.see('x')]).toEqual([1, ['x']])
    as('b')
    const other = new exports.Thing()
    expect([other.id, exports.see('y'), exports.list.length, exports.total]).toEqual([0, ['y'], 1, 1])
    expect(other.constructor).toBe(first.constructor)
    expect(exports.whose()).toBe('b')
    as('a')
    expect([exports.list.length, exports.total, exports.see('z'), exports.whose()]).toEqual([
      2,
      2,
      ['x', 'z'],
      'a',
    ])
  })

  it('has the running process in its functions, and the host’s while it is loaded', () => {
    const { exports, as } = evaluate(`
      const platform = process.platform;
      module.exports = { platform, current: () => process };
    `)
    as('a')
    expect([exports.platform, exports.current()]).toEqual([process.platform, 'a'])
    as('b')
    expect(exports.current()).toBe('b')
  })

  it('has the global object of the running process in its functions', () => {
    const { exports, as } = evaluate(`
      const {
        globalThis,
      } = primordials;
      module.exports = { whose: () => globalThis.name, put() { globalThis.x = 1; return globalThis } };
    `)
    for (const process of ['a', 'b']) {
      as(process)
      const name = `global of ${process}`
      expect([exports.whose(), exports.put()]).toEqual([name, { name, x: 1 }])
    }
  })

  it('executes for each process what sets its variables', () => {
    const { exports, as } = evaluate(`
      let listens = true;
      let count = 1;
      const heard = [];
      if (process.length > 1) {
        listens = false; // not this one
        heard.push(process, (more) => { count += more });
      }
      module.exports = { all: () => [listens, heard[0], count], add: (more) => heard[1](more) };
    `)
    as('aa')
    exports.add(5)
    expect(exports.all()).toEqual([false, 'aa', 6])
    as('b')
    expect(exports.all()).toEqual([true, undefined, 1])
    as('cc')
    expect(exports.all()).toEqual([false, 'cc', 1])
  })

  it('leaves alone what only has the name of a variable', () => {
    const { exports, as } = evaluate(`
      let count = 7;
      function parameter(count) { return count }
      function local() { const { count } = { count: 3 }; return (() => count)() }
      function member(x) { return x.count }
      function literal() { return { count } }
      function key() { return { count: 1 } }
      function caught() { try { throw 5 } catch (count) { return count } }
      module.exports = { parameter, local, member, literal, key, caught };
    `)
    as('a')
    const { parameter, local, member, literal, key, caught } = exports
    expect([parameter(1), local(), member({ count: 4 }), literal(), key(), caught()]).toEqual([
      1,
      3,
      4,
      { count: 7 },
      { count: 1 },
      5,
    ])
  })

  it('fills the record of a process in the order of the source', () => {
    const { exports, as } = evaluate(`
      const fields = [1, 2];
      fields[0] = 9;
      const sum = new Array(fields[0] + fields[1]);
      module.exports = { fields: () => fields, length: () => sum.length };
    `)
    as('a')
    expect([exports.fields(), exports.length()]).toEqual([[9, 2], 11])
  })

  it('calls functions in variables without a receiver', () => {
    const { exports, as } = evaluate(`
      'use strict';
      let debug = function () { return this };
      module.exports = { call: () => debug(debug) };
    `)
    as('a')
    expect(exports.call()).toBe(undefined)
  })

  it('makes objects of classes in variables', () => {
    const { exports, as } = evaluate(`
      let Thing = class { constructor(x) { this.x = x } };
      const deep = { things: { Thing } };
      module.exports = {
        make: (x) => new Thing(x), bare: () => new Thing, deep: (x) => new deep.things.Thing(new deep.things[x](x)),
      };
    `)
    as('a')
    expect([exports.make(3).x, exports.bare().x, exports.deep('Thing').x.x]).toEqual([3, undefined, 'Thing'])
  })

  it('takes what is all a process’s own anew in each of them', () => {
    const { exports, as } = evaluate(
      `
      const fs = require('fs');
      const { a: { b }, c: renamed } = require('own');
      const { d } = require('own').deep;
      const both = fs ? [b, d] : null;
      module.exports = { all: () => [fs.name, b, renamed, d, both] };
      `,
      {
        get fs() {
          return { name: name('fs') }
        },
        get own() {
          return { a: { b: name('b') }, c: name('c'), deep: { d: name('d') } }
        },
      },
      { variablesOf: () => 'all' },
    )
    let running = ''
    function name(what: string): string {
      return `${what} of ${running}`
    }
    for (running of ['a', 'b', 'a']) {
      as(running)
      const [fs, b, c, d] = ['fs', 'b', 'c', 'd'].map(name)
      expect(exports.all()).toEqual([fs, b, c, d, [b, d]])
    }
  })

  it('takes from another module what is a process’s own, by the name that it has there', () => {
    const { code } = partSource(
      `const { a: { b }, c: d, e } = require('x'); module.exports = () => [b, d, e];`,
      {
        variablesOf: () => ['a', 'd'],
      },
    )
    expect(code).toContain(`[$own().b, d, e]`)
  })

  it('has the global object of each process', () => {
    const { exports, as } = evaluate(`
      const { ObjectFreeze, globalThis, globalThis: { name } } = primordials;
      module.exports = { names: () => [globalThis.name, name, typeof ObjectFreeze] };
    `)
    for (const process of ['a', 'b']) {
      as(process)
      expect(exports.names()).toEqual([`global of ${process}`, `global of ${process}`, 'function'])
    }
  })

  it('completes the objects of each process', () => {
    const { exports, as } = evaluate(`
      const { ObjectFreeze } = primordials;
      const { of } = internalBinding('b');
      let first, second;
      const table = { __proto__: null };
      const keys = ['x', 'y'];
      function wrap(key, list) { return [of, key, list.length] }
      if (of === 'a') { table.a = true; }
      for (let i = 0; i < keys.length; i++) { const key = keys[i]; table[key] = wrap(key, keys); }
      ObjectFreeze(table);
      module.exports = { table, all: () => [first, second], set: () => { first = 1 } };
    `)
    as('a')
    exports.set()
    expect(exports.table).toEqual({ __proto__: null, a: true, x: ['a', 'x', 2], y: ['a', 'y', 2] })
    as('b')
    expect(exports.table).toEqual({ __proto__: null, x: ['b', 'x', 2], y: ['b', 'y', 2] })
    expect(exports.all()).toEqual([undefined, undefined])
    expect(Object.isFrozen(exports.table)).toBe(true)
  })

  it('has one of what is said to be a table', () => {
    const { exports, as } = evaluate(
      `const table = new Map(); table.set('x', () => 1); module.exports = { table };`,
      {},
      { tables: ['table'] },
    )
    as('a')
    const { table } = exports
    as('b')
    expect(exports.table).toBe(table)
  })

  it('keeps the lines of the source', () => {
    const source = `let a = {\n  b: 1,\n};\nconst {\n  c,\n  d,\n} = require('x');\nfunction f() { return a }\n`
    const { code } = partSource(source, { variablesOf: (id) => (id === 'x' ? ['d'] : []) })
    expect(code.split('\n')[7]).toBe('function f() { return $own().a }')
    expect(code).toContain(`$own().d = require('x').d`)
    expect(code).not.toMatch(/^\s*d,/m)
  })

  it.each([
    ['an export that is computed from it', 'let a = 1; module.exports = { b: a + 1 };'],
    ['a use while the module is loaded', 'const a = new Map(); a.set(1, 2);'],
    ['a call while the module is loaded', 'let a = () => {}; a();'],
    ['several declarations, some of them shared', 'let a = 1; const b = 2, c = a;'],
    ['the global object', 'module.exports = () => globalThis.fetch;'],
    ['a condition of the thread’s', 'let a = 1; if (a) setUp();'],
    ['a change of what is shared', 'let a = 1; function F() {} if (a) F.x = a;'],
    ['a call that may change what is shared', 'let a = 1; function F() {} Object.assign(F, a);'],
    ['state on a shared function', 'function Module() {} Module._cache = {};'],
  ])('is refused for %s', (_, source) => {
    expect(() => partSource(source, { variablesOf: () => [] })).toThrow(/cannot be parted: .* line 1/)
  })

  it('is one of Node’s that the rewriting understands', () => {
    const { natives } = takeInternals().internalBinding('builtins')
    const parted = MODULE_TABLE.flatMap((group) => (group.parted ? group.modules : []))
    expect(parted.length).toBeGreaterThan(0)
    const variables = parted.flatMap(
      (id) => partSource(natives[id] as string, { variablesOf: () => [] }).variables,
    )
    expect(variables).toEqual(expect.arrayContaining(['timerListMap', 'nextExpiry', 'timersPromises']))
  })
})

/** Executes a detached script for several processes; gives what each of them has of it. */
function execute(source: string) {
  const { code, variables } = detachSource(source, ['left', 'given'])
  // oxlint-disable-next-line no-implied-eval
  const run = new Function('$own', 'left', 'given', 'primordials', code) as (...args: unknown[]) => void
  const records = new Map<string, Record<string, unknown>>()
  let running = ''
  const own = (): unknown => records.get(running)
  return {
    as: (process: string): void => void (running = process),
    begin(process: string): Record<string, any> {
      running = process
      records.set(process, Object.fromEntries(variables.map((name) => [name, undefined])))
      const left = {}
      run(own, left, `for ${process}`, {
        globalThis: `global of ${process}`,
        upper: (s: string) => s.toUpperCase(),
      })
      return left
    },
  }
}

describe('a detached script', () => {
  it('is executed by every process, and its functions find what belongs to the running one', () => {
    const { begin, as } = execute(`
      const { globalThis, upper } = primordials;
      let count = 0;
      const { length, ...rest } = given;
      left.early = () => later() + given;
      class Thing { static made = 0; constructor() { Thing.made++; this.id = count++ } }
      function later() { return upper(globalThis) + count + length }
      left.make = function() { return new Thing().id };
      left.made = () => [Thing.made, rest[0], { count, later }.count];
      count += 10;
      for (const step of [1, 2]) count += step;
    `)
    const a = begin('a')
    expect([a.make(), a.make(), a.early(), a.made()]).toEqual([13, 14, 'GLOBAL OF A155for a', [2, 'f', 15]])
    const b = begin('b')
    expect([b.make(), b.early(), b.made()]).toEqual([13, 'GLOBAL OF B145for b', [1, 'f', 14]])
    as('a')
    expect([a.make(), a.made()]).toEqual([15, [3, 'f', 16]])
  })

  it('is strict, has hoisted functions, and calls its functions without a receiver', () => {
    const { begin } = execute(`
      'use strict';
      left.first = hoisted();
      function hoisted() { return this }
      const call = () => hoisted();
      left.second = () => call();
    `)
    const left = begin('a')
    expect([left.first, left.second()]).toEqual([undefined, undefined])
  })

  it('keeps its lines', () => {
    const source = 'const a = 1;\nlet b =\n  2;\nfunction f() {\n  return a + b;\n}\n'
    expect(detachSource(source, []).code.split('\n')).toHaveLength(source.split('\n').length)
  })

  it('is refused where a name of its top level is hidden outside of functions', () => {
    expect(() => detachSource('const a = 1;\n{ const a = 2; }', [])).toThrow(/another a in its line 2/)
  })

  it('is one of Node’s that the rewriting understands', () => {
    const { natives } = takeInternals().internalBinding('builtins')
    const ids = ['internal/bootstrap/node', 'internal/modules/cjs/loader']
    ids.push(...Object.keys(natives as object).filter((id) => id.startsWith('internal/bootstrap/switches/')))
    expect(ids.length).toBeGreaterThan(4)
    for (const id of ids) expect(detachSource(natives[id], ['process', 'require']).variables).not.toEqual([])
  })
})
