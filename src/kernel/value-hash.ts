/**
 * Feeds a value of a program into the hash of the run: what it posts to another thread, publishes or gets from an
 * operation. It reads own data properties and never calls code of the program, so getters stay out. It stops after a
 * number of parts: two values that agree until then count as the same.
 */
import type { RunHash } from './hash.ts'

const MOST_PARTS = 10_000

export function hashValue(hash: RunHash, value: unknown, verb: string): void {
  const seen = new Map<object, number>()
  let parts = 0
  const visit = (each: unknown): void => {
    if (++parts > MOST_PARTS) return
    if (typeof each !== 'object' || each === null) hash.addText(textOf(each), verb)
    else if (seen.has(each)) hash.add(seen.get(each)!)
    else {
      seen.set(each, seen.size)
      visitObject(each)
    }
  }
  const visitObject = (object: object): void => {
    if (ArrayBuffer.isView(object)) {
      hash.addBytes(new Uint8Array(object.buffer, object.byteOffset, object.byteLength), verb)
    } else if (object instanceof ArrayBuffer) hash.addBytes(new Uint8Array(object), verb)
    else if (object instanceof Date) hash.addWide(dateValue.call(object))
    else if (object instanceof Map) {
      hash.add(mapSize.call(object) as number)
      mapEach.call(object, (item, key) => {
        visit(key)
        visit(item)
      })
    } else if (object instanceof Set) {
      hash.add(setSize.call(object) as number)
      setEach.call(object, visit)
    } else visitProperties(object)
  }
  const visitProperties = (object: object): void => {
    if (Array.isArray(object)) hash.add(object.length)
    for (const key of Object.keys(object)) {
      const property = Object.getOwnPropertyDescriptor(object, key)
      if (property === undefined || !('value' in property)) continue
      hash.addText(key, verb)
      visit(property.value)
    }
    // An error has its message and no key for it.
    const message = Object.getOwnPropertyDescriptor(object, 'message')
    if (message !== undefined && message.enumerable !== true && typeof message.value === 'string')
      hash.addText(message.value, verb)
  }
  visit(value)
}

/** A primitive with its type; of functions and symbols only that. */
function textOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return Object.is(value, -0) ? 'number -0' : `number ${value}`
    case 'bigint':
    case 'boolean':
      return `${typeof value} ${value}`
    default:
      return value === null ? 'null' : typeof value
  }
}

// Taken now: a program may replace them.
const dateValue = Date.prototype.valueOf
const mapEach = Map.prototype.forEach
const setEach = Set.prototype.forEach
const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, 'size')!.get!
const setSize = Object.getOwnPropertyDescriptor(Set.prototype, 'size')!.get!
