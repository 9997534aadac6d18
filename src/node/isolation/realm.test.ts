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
const { is, hasOwn } = Object
const { isProxy } = types

const MARK = '__mark__'

/** Objects that processes share and that are not watched, by the beginning of their paths, each with its reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  process:
    "functions and facts on the process object are not watched: the object itself is the process's own",
  console: "functions on the console are not watched: the console itself is the process's own",
  'globalThis.process': "an accessor of vitest's own global object",
  'globalThis.Buffer': "an accessor of vitest's own global object",
  'module:crypto.constants': 'every process defines one of its members anew',
  'module:crypto.timingSafeEqual': 'functions of native bindings are not watched',
  'module:module': 'functions of native bindings are not watched',
  'module:os': 'functions of native bindings are not watched',
  'module:perf_hooks.constants': 'data of a native binding is not watched',
  'module:v8': 'functions of native bindings are not watched',
  'module:vm.Script': 'the native class behind it is not watched',
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

/** What two worlds have in common. */
async function sharedObjects(): Promise<Map<object, string>> {
  const walks: Map<object, string>[] = []
  for (let i = 0; i < 2; i++) {
    await runOne((context) => void walks.push(reachable(context)))
    expect(NodeThread.get().endWorld()).toEqual([]) // loading a module changes nothing
  }
  const shared = new Map<object, string>()
  for (const [object, path] of walks[0]) if (walks[1].has(object) && !isExempt(path)) shared.set(object, path)
  shared.delete(globalThis)
  return shared
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

describe('what processes share', () => {
  it('carries no property into the next world, and every one that was added is named', async () => {
    const shared = await sharedObjects()
    expect(shared.size).toBeGreaterThan(2500)
    const open = [...shared.keys()].filter((object) => isExtensible(object))
    await runOne(() => {
      for (const object of open) {
        try {
          ;(object as any)[MARK] = MARK
        } catch {
          // Below an object that makes it read-only.
        }
      }
    })
    const marked = open.filter((object) => hasOwn(object, MARK)).length
    const leaks = NodeThread.get().endWorld()
    const kept = open.filter((object) => hasOwn(object, MARK)).map((object) => shared.get(object))
    for (const object of open) Reflect.deleteProperty(object, MARK)
    expect(kept).toEqual([])
    expect(leaks.filter(({ path }) => path.endsWith(MARK)).length).toBe(marked)
  })

  it('has its values again in the next world', async () => {
    const thread = NodeThread.get()
    const shared = await sharedObjects()
    const unnoticed: string[] = []
    await new Promise<void>((done) => {
      setImmediate(() => {
        for (const [object, path] of shared) {
          const before = new Map<PropertyKey, unknown>()
          thread.burst(() => {
            for (const key of ownKeys(object)) {
              const { value, writable } = getOwnPropertyDescriptor(object, key)!
              // Every process has a limit of stack frames of its own.
              if (writable !== true || key === 'prototype' || key === 'stackTraceLimit') continue
              if (key === 'length' && Array.isArray(object)) continue // it would remove elements
              before.set(key, value)
              ;(object as any)[key] = otherThan(value)
            }
          })
          const leaks = before.size === 0 ? [] : thread.endWorld()
          for (const [key, value] of before) {
            if (is(getOwnPropertyDescriptor(object, key)?.value, value)) continue
            unnoticed.push(`${path}.${String(key)}`)
            ;(object as any)[key] = value
          }
          if (leaks.length < before.size) unnoticed.push(`${path}: ${leaks.length} of ${before.size} named`)
        }
        done()
      })
    })
    expect(unnoticed).toEqual([])
  }, 120_000)
})
