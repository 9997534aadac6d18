/**
 * Walks everything that a program reaches: its global object and the builtin modules. What two processes of two worlds
 * have in common is shared by all processes of the thread, and none of it may carry a change into the next world.
 */
import { builtinModules } from 'node:module'
import { types } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { ProcessContext } from '../process/program-options.ts'
import { runOne } from '../process/programs.test-support.ts'
import { NodeThread } from './thread.ts'

const { apply, construct, ownKeys, getOwnPropertyDescriptor, getPrototypeOf, isExtensible } = Reflect
const { defineProperty, deleteProperty, set: setProperty } = Reflect
const { is, hasOwn, getOwnPropertyDescriptors } = Object
const { isArray } = Array
const { isProxy } = types

const MARK = '__mark__'

/** What is shared only here, with its reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  'globalThis.process': "an accessor of vitest's own global object",
  'globalThis.Buffer': "an accessor of vitest's own global object",
}

function isExempt(path: string): boolean {
  return Object.keys(EXEMPT).some((prefix) => path === prefix || path.startsWith(`${prefix}.`))
}

/** Every object that a process reaches, with the shortest path to it. */
function reachable({ globalThis: global, require }: ProcessContext): Map<object, string> {
  const found = new Map<object, string>()
  const queue: object[] = []
  const meet = (path: string, value: unknown): void => {
    const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function'
    if (!isObject || isProxy(value) || found.has(value) || ArrayBuffer.isView(value)) return
    found.set(value, path)
    queue.push(value)
  }
  for (const key of ownKeys(global)) meet(String(key), (global as any)[key])
  for (const id of builtinModules) {
    if (
      /^(?:_|node:|internal\/)|^(?:inspector|repl|wasi|sqlite|test|sea|trace_events|domain|sys|punycode)/.test(
        id,
      )
    )
      continue
    meet(`module:${id}`, require(id))
  }
  const samples = [
    function* () {},
    async () => {},
    async function* () {},
    [].values(),
    new Map().values(),
    ''.matchAll(/a/g),
  ]
  samples.forEach((sample, i) => meet(`sample ${i}`, getPrototypeOf(sample)))
  for (let i = 0; i < queue.length; i++) {
    const object = queue[i]
    const path = found.get(object)!
    for (const key of ownKeys(object)) {
      const { get, set, value } = getOwnPropertyDescriptor(object, key)!
      meet(`${path}.${String(key)}.get`, get)
      meet(`${path}.${String(key)}.set`, set)
      meet(`${path}.${String(key)}`, value)
    }
    meet(`${path}.__proto__`, getPrototypeOf(object))
  }
  return found
}

/** What two worlds have in common: objects by path, and the members that each world defines anew. */
interface Shared {
  readonly paths: Map<object, string>
  readonly isAnew: (object: object, key: PropertyKey) => boolean
}

async function sharedObjects(): Promise<Shared> {
  const walks: Map<object, string>[] = []
  const members: Map<object, PropertyDescriptorMap>[] = []
  for (let i = 0; i < 3; i++) {
    await runOne((context) => {
      const walk = reachable(context)
      walks.push(walk)
      members.push(new Map([...walk.keys()].map((object) => [object, getOwnPropertyDescriptors(object)])))
    })
    expect(NodeThread.get().endWorld()).toEqual([]) // loading a module changes nothing
  }
  const paths = new Map<object, string>()
  for (const [object, path] of walks[0]) if (walks[1].has(object) && !isExempt(path)) paths.set(object, path)
  paths.delete(globalThis)
  const isAnew = (object: object, key: PropertyKey): boolean =>
    members[1].get(object)?.[key as string]?.value !== members[2].get(object)?.[key as string]?.value
  return { paths, isAnew }
}

/** Another value of the same kind; a function that does the same. */
function otherThan(value: unknown): unknown {
  if (typeof value === 'function')
    return function (this: unknown, ...args: unknown[]): unknown {
      return new.target ? construct(value, args) : apply(value, this, args)
    }
  if (typeof value === 'number') return value === 1 ? 2 : 1
  if (typeof value === 'boolean') return !value
  return typeof value === 'string' ? `${value}!` : value === undefined ? null : undefined
}

const SYMBOL = Symbol.for(MARK)

/** What a program does to everything that it reaches. */
const MARKS: Readonly<Record<string, (object: any) => void>> = {
  'a property': (object) => (object[MARK] = MARK),
  'a property under a symbol': (object) => (object[SYMBOL] = MARK),
  'a hidden property': (object) => Object.defineProperty(object, MARK, { value: MARK, configurable: true }),
  'a property for good': (object) => Object.defineProperty(object, MARK, { value: MARK }),
}

/** How many objects are changed before they are looked at: one after the other takes longer. */
const AT_ONCE = 20

/** What it does to the members of an object. Without their methods, classes of the language are of no use to the test. */
const CHANGES: Readonly<Record<string, (object: any, key: PropertyKey) => boolean>> = {
  values: (object, key) => {
    const { value, writable } = getOwnPropertyDescriptor(object, key)!
    return writable === true && setProperty(object, key, otherThan(value))
  },
  'names and lengths': (object, key) => {
    if (typeof object !== 'function' || (key !== 'name' && key !== 'length')) return false
    return deleteProperty(object, key)
  },
}

describe('what processes share', () => {
  it.each(Object.entries(MARKS))('carries %s into no other world, and each is named', async (_, mark) => {
    const { paths } = await sharedObjects()
    expect(paths.size).toBeGreaterThan(2500)
    const open = [...paths.keys()].filter((object) => isExtensible(object))
    const isMarked = (object: object): boolean => hasOwn(object, MARK) || hasOwn(object, SYMBOL)
    await runOne(() => {
      for (const object of open) {
        try {
          mark(object)
        } catch {
          // Below an object that makes it read-only.
        }
      }
    })
    const marked = open.filter(isMarked).length
    expect(marked).toBeGreaterThan(2500)
    const leaks = NodeThread.get().endWorld()
    const kept = open.filter(isMarked).map((object) => paths.get(object))
    for (const object of open) for (const key of [MARK, SYMBOL]) deleteProperty(object, key)
    expect(kept).toEqual([])
    expect(leaks.filter(({ path }) => path.includes(MARK)).length).toBe(marked)
    expect(NodeThread.get().isStained).toBe(false)
  })

  it.each(Object.entries(CHANGES))(
    'has its %s again in the next world',
    async (_, change) => {
      const thread = NodeThread.get()
      const { paths, isAnew } = await sharedObjects()
      const all = [...paths.keys()]
      const unnoticed: string[] = []
      await new Promise<void>((done) => {
        setImmediate(() => {
          for (let from = 0; from < all.length; from += AT_ONCE) {
            const changes: { object: object; key: PropertyKey; before: PropertyDescriptor }[] = []
            for (const object of all.slice(from, from + AT_ONCE))
              for (const key of ownKeys(object)) {
                const before = getOwnPropertyDescriptor(object, key)!
                // Every process has a limit of stack frames of its own; an array without a length would lose its elements.
                const isLength = key === 'length' && isArray(object)
                if (key === 'stackTraceLimit' || isLength || isAnew(object, key)) continue
                changes.push({ object, key, before })
              }
            let count = 0
            thread.burst(() => {
              for (let i = 0; i < changes.length; i++) if (change(changes[i].object, changes[i].key)) count++
            })
            const leaks = thread.endWorld()
            for (const { object, key, before } of changes) {
              if (is(getOwnPropertyDescriptor(object, key)?.value, before.value)) continue
              unnoticed.push(`${paths.get(object)}.${String(key)}`)
              defineProperty(object, key, before)
            }
            if (leaks.length < count)
              unnoticed.push(`${paths.get(all[from])}: ${leaks.length} of ${count} named`)
          }
          done()
        })
      })
      expect(unnoticed).toEqual([])
    },
    120_000,
  )
})
