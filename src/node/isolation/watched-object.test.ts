import { describe, expect, it } from 'vitest'
import {
  isUntouched,
  putBack,
  watchObject,
  withMember,
  type Leak,
  type WatchedObject,
} from './watched-object.ts'

// Some globals of later Nodes load a module when they are first described, which adds others.
Object.getOwnPropertyDescriptors(globalThis)

const SYMBOL = Symbol('kept')

class Base {
  inherited(): void {}
}

/** One of each kind that is watched, with members of every kind. */
const KINDS: Readonly<Record<string, () => any>> = {
  class: () => {
    class Fresh {
      static get accessor(): number {
        return 1
      }
      static [SYMBOL](): void {}
      static method(): void {}
      static nothing = undefined
      static notANumber = NaN
    }
    return Fresh
  },
  prototype: () => {
    class Fresh extends Base {
      get accessor(): number {
        return 1
      }
      [SYMBOL](): void {}
      method(): void {}
    }
    return Object.assign(Fresh.prototype, { nothing: undefined, notANumber: NaN })
  },
  namespace: () => ({
    get accessor(): number {
      return 1
    },
    [SYMBOL]: () => {},
    method: () => {},
    nothing: undefined,
    notANumber: NaN,
  }),
  globalThis: () => globalThis,
}

type Change = (object: any) => void

const define =
  (key: PropertyKey, descriptor: PropertyDescriptor): Change =>
  (object) =>
    Object.defineProperty(object, key, descriptor)

const ADDED = Symbol('added')

/** What a program may do, and what is said of it. */
const CHANGES: Readonly<Record<string, [Change, Record<string, Leak['kind']>]>> = {
  'an assignment': [(object) => (object.added = 1), { added: 'added' }],
  'an addition that is not enumerable': [
    define('added', { value: 1, configurable: true }),
    { added: 'added' },
  ],
  'an accessor more': [define('added', { get: () => 1, configurable: true }), { added: 'added' }],
  'a symbol more': [(object) => (object[ADDED] = 1), { 'Symbol(added)': 'added' }],
  'a hidden symbol more': [define(ADDED, { value: 1, configurable: true }), { 'Symbol(added)': 'added' }],
  'an index more': [(object) => (object[7] = 1), { 7: 'added' }],
  'a value changed': [(object) => (object.method = () => {}), { method: 'changed' }],
  'a value of a symbol changed': [
    define(SYMBOL, { value: 1, configurable: true }),
    { 'Symbol(kept)': 'changed' },
  ],
  'a number in place of none': [(object) => (object.notANumber = 0), { notANumber: 'changed' }],
  'a getter changed': [define('accessor', { get: () => 1 }), { accessor: 'changed' }],
  'a setter more': [define('accessor', { set: () => {} }), { accessor: 'changed' }],
  'a value in place of an accessor': [define('accessor', { value: 1 }), { accessor: 'changed' }],
  'an accessor seen by loops or not': [
    (object) => {
      const { enumerable } = Object.getOwnPropertyDescriptor(object, 'accessor')!
      Object.defineProperty(object, 'accessor', { enumerable: !enumerable })
    },
    { accessor: 'changed' },
  ],
  'a removal': [(object) => delete object.method, { method: 'removed' }],
  'an accessor removed': [(object) => delete object.accessor, { accessor: 'removed' }],
  'a symbol removed': [(object) => delete object[SYMBOL], { 'Symbol(kept)': 'removed' }],
  'one for another': [
    (object) => {
      delete object.nothing
      object.added = undefined
    },
    { added: 'added', nothing: 'removed' },
  ],
  'an index for another': [
    (object) => {
      delete object.nothing
      object[7] = undefined
    },
    { 7: 'added', nothing: 'removed' },
  ],
  'a symbol for a string': [
    (object) => {
      delete object.nothing
      object[ADDED] = undefined
    },
    { 'Symbol(added)': 'added', nothing: 'removed' },
  ],
  'a string for a symbol': [
    (object) => {
      delete object[SYMBOL]
      object.added = 1
    },
    { added: 'added', 'Symbol(kept)': 'removed' },
  ],
}

/** What programs may do without a trace. */
const TRACELESS: Readonly<Record<string, Change>> = {
  nothing: () => {},
  'the same number that is none': (object) => (object.notANumber = NaN),
  'a value changed and restored': (object) => {
    const { method } = object
    object.method = 1
    object.method = method
  },
  'an accessor changed and restored': (object) => {
    const accessor = Object.getOwnPropertyDescriptor(object, 'accessor')!
    Object.defineProperty(object, 'accessor', { value: 1 })
    Object.defineProperty(object, 'accessor', accessor)
  },
  'an addition taken back': (object) => {
    object.added = 1
    delete object.added
  },
}

/** Watches an object for the length of a test: the global one gets the members of the others meanwhile. */
function withWatched(kind: string, test: (watched: WatchedObject) => void): void {
  const object = KINDS[kind]()
  const own = kind === 'globalThis' ? Object.getOwnPropertyDescriptors(KINDS.namespace()) : {}
  Object.defineProperties(object, own)
  try {
    test(watchObject('it', object))
  } finally {
    for (const key of Reflect.ownKeys(own)) delete object[key]
  }
}

function leaksOf(watched: WatchedObject): Record<string, string> {
  const leaks: Leak[] = []
  putBack(watched, leaks)
  return Object.fromEntries(leaks.map(({ path, kind }) => [path.replace('it.', ''), kind]))
}

describe.each(Object.keys(KINDS))('a watched object (%s)', (kind) => {
  it.each(Object.entries(CHANGES))('shows %s, and is put back', (_, [change, expected]) => {
    withWatched(kind, (watched) => {
      const { object } = watched
      const before = Object.getOwnPropertyDescriptors(object)
      change(object)
      const untouched = isUntouched(watched)
      const leaks = leaksOf(watched)
      expect(untouched).toBe(false)
      expect(leaks).toEqual(expected)
      expect(leaksOf(watched)).toEqual({})
      const after = Object.getOwnPropertyDescriptors(object)
      // Members of the global object keep the places that they get: others are put there meanwhile.
      const placesOf = (own: object) =>
        kind === 'globalThis' ? Reflect.ownKeys(own).length : Reflect.ownKeys(own)
      expect(placesOf(after)).toEqual(placesOf(before))
      for (const key of Reflect.ownKeys(before)) expect(after[key as string]).toEqual(before[key as string])
    })
  })

  it.each(Object.entries(TRACELESS))('is what it was after %s', (_, change) => {
    withWatched(kind, (watched) => {
      change(watched.object)
      expect(isUntouched(watched)).toBe(true)
      expect(leaksOf(watched)).toEqual({})
    })
  })

  it('may get a member, or another in its place, that belongs to it', () => {
    withWatched(kind, (watched) => {
      define('added', { get: () => 1, configurable: true })(watched.object)
      expect(isUntouched(watched)).toBe(false)
      const withAdded = withMember(watched, 'added')
      expect(isUntouched(withAdded)).toBe(true)
      define('accessor', { get: () => 2 })(watched.object)
      expect(isUntouched(withAdded)).toBe(false)
      expect(isUntouched(withMember(withAdded, 'accessor'))).toBe(true)
      expect(leaksOf(watched)).toEqual({ accessor: 'changed', added: 'added' })
    })
  })
})

describe('the order of members', () => {
  const move: Change = (object) => {
    const descriptor = Object.getOwnPropertyDescriptor(object, 'method')!
    delete object.method
    Object.defineProperty(object, 'method', descriptor)
  }

  it.each(['class', 'prototype', 'namespace'])('is put back and named (%s)', (kind) => {
    withWatched(kind, (watched) => {
      const before = Reflect.ownKeys(watched.object as object)
      move(watched.object)
      expect(isUntouched(watched)).toBe(false)
      expect(leaksOf(watched)).toEqual({ 'it (the order of its members)': 'changed' })
      expect(Reflect.ownKeys(watched.object as object)).toEqual(before)
      expect(isUntouched(watched)).toBe(true)
    })
  })

  it('stays where a member that cannot be removed keeps the others from their places, and is named once', () => {
    const object: any = {}
    for (const name of ['a', 'b']) object[name] = name
    Object.defineProperty(object, 'fixed', { value: 1 })
    const watched = watchObject('it', object)
    delete object.a
    object.a = 'a'
    expect(leaksOf(watched)).toEqual({ 'it (the order of its members)': 'changed' })
    expect(Reflect.ownKeys(object)).toEqual(['fixed', 'a', 'b'])
    expect(leaksOf(watched)).toEqual({})
  })
})

describe('attributes of values', () => {
  it('are looked at in the global object, whose members are few and shared by all', () => {
    withWatched('globalThis', (watched) => {
      Object.defineProperty(watched.object, 'method', { writable: false })
      expect(isUntouched(watched)).toBe(false)
      expect(leaksOf(watched)).toEqual({ method: 'changed' })
    })
  })

  it('are put back in others when something else led there', () => {
    withWatched('namespace', (watched) => {
      Object.defineProperty(watched.object, 'method', { enumerable: false })
      watched.object.added = 1
      expect(leaksOf(watched)).toEqual({ added: 'added', method: 'changed' })
    })
  })
})
